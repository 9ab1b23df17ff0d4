/*
 * The digest: one for all ways of writing a profile, another as soon as any
 * field says something else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "gen/profile.pb-c.h"
#include "merge_try.h"
#include "msg.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "report/data/digests.h"

typedef Perftools__Profiles__Profile Message;

enum { DIGEST_TEXT = 33 };

/* --- digests --------------------------------------------------------------
 */

/* False where the bytes are no profile. */
static bool digest_of(const struct buf *b, unsigned threads,
                      char text[DIGEST_TEXT])
{
    struct digests d = {.threads = threads};
    struct profile p;
    struct prof_err err;
    bool ok = pb_decode(b->v, b->n, &p, NULL, &err);
    if (ok) {
        assert_true(digests_add(&d, "NAME", &p, NULL, &err));
        assert_int_equal(d.out.n, DIGEST_TEXT - 1 + strlen("  NAME\n"));
        memcpy(text, d.out.v, DIGEST_TEXT - 1);
        text[DIGEST_TEXT - 1] = 0;
    }
    buf_free(&d.out);
    prof_free(&p);
    return ok;
}

static Message *unpack(const struct buf *b)
{
    Message *m = perftools__profiles__profile__unpack(NULL, b->n, b->v);
    assert_non_null(m);
    return m;
}

static void free_message(Message *m)
{
    perftools__profiles__profile__free_unpacked(m, NULL);
}

static struct buf pack(const Message *m)
{
    struct buf b = {0};
    assert_true(
        buf_reserve(&b, perftools__profiles__profile__get_packed_size(m) + 1));
    b.n = perftools__profiles__profile__pack(m, b.v);
    return b;
}

/* The digest of the canonical bytes by the hash function's other interface. */
static void is_hash_of_canonical_bytes(void **state)
{
    const struct random_opts opts = {.negative = true};
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct profile p, canonical;
        struct prof_err err;
        char got[DIGEST_TEXT], wanted[DIGEST_TEXT];
        random_profile(&p, seed, seed, &opts);
        struct buf as_made = profile_bytes(&p);
        assert_true(canonical_copy(&p, &canonical, &err));
        struct buf b = profile_bytes(&canonical);
        XXH128_hash_t h = XXH3_128bits(b.v, b.n);
        (void)snprintf(wanted, sizeof wanted, "%016" PRIx64 "%016" PRIx64,
                       (uint64_t)h.high64, (uint64_t)h.low64);
        assert_true(digest_of(&as_made, 1 + seed % 3, got));
        assert_string_equal(got, wanted);
        assert_true(digest_of(&b, 1, got));
        assert_string_equal(got, wanted);
        buf_free(&as_made);
        buf_free(&b);
        prof_free(&p);
        prof_free(&canonical);
    }
}

/* --- the same in other words ---------------------------------------------
 */

static void shuffle(struct rng *r, void *array, size_t n)
{
    void **v = array;
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(r, (uint32_t)i);
        void *t = v[j];
        v[j] = v[i - 1];
        v[i - 1] = t;
    }
}

/* Numbers of strings: where each one goes; string 0 stays. */
static void shuffle_strings(struct rng *r, Message *m, int64_t *to)
{
    size_t n = m->n_string_table;
    char **old = malloc((n + 1) * sizeof *old);
    assert_non_null(old);
    memcpy((void *)old, (void *)m->string_table, n * sizeof *old);
    shuffle(r, m->string_table + 1, n - 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (m->string_table[k] == old[i])
                to[i] = (int64_t)k;
    free((void *)old);
}

static void move_type(const int64_t *to, Perftools__Profiles__ValueType *t)
{
    if (t) {
        t->type = to[t->type];
        t->unit = to[t->unit];
    }
}

static void move_strings(const int64_t *to, Message *m)
{
    for (size_t i = 0; i < m->n_sample_type; i++)
        move_type(to, m->sample_type[i]);
    move_type(to, m->period_type);
    for (size_t i = 0; i < m->n_sample; i++)
        for (size_t k = 0; k < m->sample[i]->n_label; k++) {
            Perftools__Profiles__Label *l = m->sample[i]->label[k];
            l->key = to[l->key];
            l->str = to[l->str];
            l->num_unit = to[l->num_unit];
        }
    for (size_t i = 0; i < m->n_mapping; i++) {
        m->mapping[i]->filename = to[m->mapping[i]->filename];
        m->mapping[i]->build_id = to[m->mapping[i]->build_id];
    }
    for (size_t i = 0; i < m->n_function; i++) {
        m->function[i]->name = to[m->function[i]->name];
        m->function[i]->system_name = to[m->function[i]->system_name];
        m->function[i]->filename = to[m->function[i]->filename];
    }
    for (size_t i = 0; i < m->n_comment; i++)
        m->comment[i] = to[m->comment[i]];
    m->drop_frames = to[m->drop_frames];
    m->keep_frames = to[m->keep_frames];
    m->default_sample_type = to[m->default_sample_type];
    m->doc_url = to[m->doc_url];
}

/* Ids count from 1; a permutation of numbers that are larger. */
static uint64_t new_id(uint64_t id, uint64_t key)
{
    return id ? (id ^ key) * UINT64_C(0x9e3779b97f4a7c15) | 1 : 0;
}

static void renumber(struct rng *r, Message *m)
{
    /* `| 1` stays one to one if ids are even. */
    uint64_t key = rng_next(r) & 0xffff0;
    for (size_t i = 0; i < m->n_mapping; i++)
        m->mapping[i]->id = new_id(2 * m->mapping[i]->id, key);
    for (size_t i = 0; i < m->n_function; i++)
        m->function[i]->id = new_id(2 * m->function[i]->id, key);
    for (size_t i = 0; i < m->n_location; i++) {
        Perftools__Profiles__Location *l = m->location[i];
        l->id = new_id(2 * l->id, key);
        l->mapping_id = new_id(2 * l->mapping_id, key);
        for (size_t k = 0; k < l->n_line; k++)
            l->line[k]->function_id = new_id(2 * l->line[k]->function_id, key);
    }
    for (size_t i = 0; i < m->n_sample; i++)
        for (size_t k = 0; k < m->sample[i]->n_location_id; k++)
            m->sample[i]->location_id[k] =
                new_id(2 * m->sample[i]->location_id[k], key);
}

/* A sample with unpacked numbers, and part of the values. */
static void put_sample(struct buf *to, const Perftools__Profiles__Sample *s,
                       int64_t part, bool rest)
{
    struct buf b = {0};
    for (size_t i = s->n_value; i--;)
        msg_num(&b, 2,
                (uint64_t)(rest ? s->value[s->n_value - 1 - i] - part : part));
    for (size_t i = 0; i < s->n_location_id; i++)
        msg_num(&b, 1, s->location_id[i]);
    for (size_t i = 0; i < s->n_label; i++) {
        struct buf l = {0};
        msg_num(&l, 4, (uint64_t)s->label[i]->num_unit);
        msg_num(&l, 3, (uint64_t)s->label[i]->num);
        msg_num(&l, 2, (uint64_t)s->label[i]->str);
        msg_num(&l, 1, (uint64_t)s->label[i]->key);
        msg_sub(&b, 3, &l);
    }
    msg_sub(to, 2, &b);
}

/*
 * The message with ids, strings and order of everything changed, samples in
 * two parts and unpacked, some of them before and some after all the rest,
 * and a field that nobody knows.
 */
static struct buf in_other_words(const struct buf *b, uint64_t seed)
{
    struct rng r = {seed};
    struct buf out = {0};
    Message *m = unpack(b);
    int64_t *to = calloc(m->n_string_table + 1, sizeof *to);
    assert_non_null(to);
    shuffle_strings(&r, m, to);
    move_strings(to, m);
    renumber(&r, m);
    shuffle(&r, m->sample, m->n_sample);
    shuffle(&r, m->location, m->n_location);
    shuffle(&r, m->function, m->n_function);
    if (m->n_mapping)
        shuffle(&r, m->mapping + 1, m->n_mapping - 1); /* the main one stays */
    for (size_t i = 0; i < m->n_sample; i++)
        put_sample(&out, m->sample[i], 5, false);
    msg_str(&out, 1000, "unknown");
    size_t n = m->n_sample;
    m->n_sample = 0;
    struct buf rest = pack(m);
    m->n_sample = n;
    assert_true(buf_put(&out, rest.v, rest.n));
    for (size_t i = m->n_sample; i--;)
        put_sample(&out, m->sample[i], 5, true);
    buf_free(&rest);
    free(to);
    free_message(m);
    return out;
}

static void says_the_same_in_other_words(void **state)
{
    const struct random_opts opts = {.negative = true};
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct profile p;
        char digest[DIGEST_TEXT], other[DIGEST_TEXT];
        random_profile(&p, seed, seed, &opts);
        struct buf b = profile_bytes(&p);
        assert_true(digest_of(&b, 1, digest));
        struct buf words = in_other_words(&b, seed);
        assert_true(digest_of(&words, 2, other));
        assert_string_equal(digest, other);
        buf_free(&words);
        buf_free(&b);
        prof_free(&p);
    }
}

/* --- something else -------------------------------------------------------
 */

static void rich_samples(struct buf *b)
{
    static const uint64_t stack[] = {1, 2, 3}, root[] = {3};
    static const uint64_t values[] = {7, 70}, more[] = {1, 10};
    struct buf s = {0}, l = {0};
    for (uint64_t i = 1; i < 5; i += 2) {
        msg_num(&s, 1, i);
        msg_num(&s, 2, i + 1);
        msg_sub(b, 1, &s);
    }
    msg_packed(&s, 1, stack, 3);
    msg_packed(&s, 2, values, 2);
    msg_num(&l, 1, 14);
    msg_num(&l, 2, 15);
    msg_sub(&s, 3, &l);
    msg_num(&l, 1, 16);
    msg_num(&l, 3, 512);
    msg_num(&l, 4, 17);
    msg_sub(&s, 3, &l);
    msg_sub(b, 2, &s);
    msg_packed(&s, 1, root, 1);
    msg_packed(&s, 2, more, 2);
    msg_sub(b, 2, &s);
}

static void rich_entities(struct buf *b)
{
    struct buf s = {0}, l = {0};
    for (uint64_t i = 0; i < 2; i++) {
        msg_num(&s, 1, i + 1);
        msg_num(&s, 2, 0x10000 * (i + 1));
        msg_num(&s, 3, 0x10000 * (i + 1) + 0x2000);
        msg_num(&s, 4, 0x1000 * i);
        msg_num(&s, 5, i ? 7 : 5);
        if (!i)
            msg_num(&s, 6, 6);
        msg_num(&s, i ? 7 : 8, 1);
        msg_num(&s, i ? 9 : 10, 1);
        msg_sub(b, 3, &s);
    }
    for (uint64_t i = 0; i < 3; i++) {
        msg_num(&s, 1, i + 1);
        msg_num(&s, 2, i < 2 ? i + 1 : 0);
        msg_num(&s, 3, 0x10000 * (i + 1) + 0x100);
        for (uint64_t k = 0; k < 2 && i != 1; k++) {
            msg_num(&l, 1, k + 1);
            msg_num(&l, 2, 10 * (i + k + 1));
            msg_num(&l, 3, i + k + 1);
            msg_sub(&s, 4, &l);
        }
        if (i == 2)
            msg_num(&s, 5, 1);
        msg_sub(b, 4, &s);
    }
    for (uint64_t i = 0; i < 2; i++) {
        msg_num(&s, 1, i + 1);
        for (uint64_t k = 0; k < 3; k++)
            msg_num(&s, 2 + (unsigned)k, 8 + 3 * i + k);
        msg_num(&s, 5, 3 + i);
        msg_sub(b, 5, &s);
    }
}

/* One of everything, all of it in use, and no two the same. */
static struct buf rich(void)
{
    static const char *const strings[] = {
        "",       "samples", "count", "cpu",    "nanoseconds", "/bin/a",
        "build1", "/bin/b",  "f",     "_f",     "f.c",         "g",
        "_g",     "g.c",     "key",   "string", "size",        "bytes",
        "drop",   "keep",    "note",  "note2",  "http://x/y",
    };
    struct buf b = {0}, s = {0};
    rich_samples(&b);
    rich_entities(&b);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        msg_str(&b, 6, strings[i]);
    msg_num(&b, 7, 18);
    msg_num(&b, 8, 19);
    msg_num(&b, 9, 1234567890);
    msg_num(&b, 10, 1000);
    msg_num(&s, 1, 3);
    msg_num(&s, 2, 4);
    msg_sub(&b, 11, &s);
    msg_num(&b, 12, 99);
    msg_num(&b, 13, 20);
    msg_num(&b, 13, 21);
    msg_num(&b, 14, 3);
    msg_num(&b, 15, 22);
    return b;
}

/* Goes through all fields; change number `left` is made when it gets to 0. */
struct change {
    size_t left;
    int64_t string; /* the index of one that is used nowhere */
    bool made;
    char what[80];
};

static bool now(struct change *c, const char *message, const char *field,
                const char *how)
{
    if (c->made || c->left--)
        return false;
    (void)snprintf(c->what, sizeof c->what, "%s.%s %s", message, field, how);
    return c->made = true;
}

/* What it takes for an id to be another one that is there. */
static bool is_reference(const char *field)
{
    return strstr(field, "_id") && strcmp(field, "build_id") != 0;
}

static bool is_string(const char *field)
{
    static const char *const names[] = {
        "type",        "unit",        "key",         "str",
        "num_unit",    "filename",    "build_id",    "name",
        "system_name", "drop_frames", "keep_frames", "default_sample_type",
        "comment",     "doc_url",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(field, names[i]) == 0)
            return true;
    return false;
}

static void change_message(ProtobufCMessage *m, struct change *c);

static void change_element(const ProtobufCMessageDescriptor *d,
                           const ProtobufCFieldDescriptor *f, void *at,
                           struct change *c)
{
    if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        ProtobufCMessage *sub = *(ProtobufCMessage **)at;
        if (sub)
            change_message(sub, c);
    } else if (f->type == PROTOBUF_C_TYPE_STRING) {
        char *s = *(char **)at;
        if (*s && now(c, d->short_name, f->name, s))
            s[0] ^= 1;
    } else if (f->type == PROTOBUF_C_TYPE_BOOL) {
        if (now(c, d->short_name, f->name, "turned"))
            *(protobuf_c_boolean *)at ^= 1;
    } else if (is_string(f->name)) {
        if (now(c, d->short_name, f->name, "another string"))
            *(int64_t *)at = c->string;
    } else if (is_reference(f->name)) {
        if (now(c, d->short_name, f->name, "another entity"))
            *(uint64_t *)at = *(uint64_t *)at == 1 ? 2 : 1;
    } else if (strcmp(f->name, "id") != 0) {
        if (now(c, d->short_name, f->name, "plus 1"))
            ++*(uint64_t *)at;
    }
}

/* Elements changed and, but for strings, entities and values, left out. */
static void change_repeated(ProtobufCMessage *m,
                            const ProtobufCFieldDescriptor *f, struct change *c)
{
    size_t *n = (size_t *)((char *)m + f->quantifier_offset);
    char *v = *(char **)((char *)m + f->offset);
    size_t size = 8;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE || f->type == PROTOBUF_C_TYPE_STRING)
        size = sizeof(void *);
    for (size_t i = 0; i < *n; i++)
        change_element(m->descriptor, f, v + i * size, c);
    if (*n && strcmp(f->name, "location_id") == 0 &&
        now(c, m->descriptor->short_name, f->name, "without the last"))
        --*n;
}

static void change_message(ProtobufCMessage *m, struct change *c)
{
    for (unsigned i = 0; i < m->descriptor->n_fields && !c->made; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        if (f->label == PROTOBUF_C_LABEL_REPEATED)
            change_repeated(m, f, c);
        else
            change_element(m->descriptor, f, (char *)m + f->offset, c);
    }
}

/* A string label has no number: it is not decoded. */
static bool means_nothing(const char *what, const Message *m)
{
    const Perftools__Profiles__Label *l = m->sample[0]->label[0];
    return (strcmp(what, "Label.num plus 1") == 0 && l->num) ||
           (strcmp(what, "Label.num_unit another string") == 0 && l->num_unit);
}

static void says_something_else(void **state)
{
    struct buf b = rich();
    char digest[DIGEST_TEXT], other[DIGEST_TEXT];
    assert_true(digest_of(&b, 1, digest));
    size_t n = 0, n_nothing = 0;
    for (;; n++) {
        Message *m = unpack(&b);
        struct change c = {.left = n, .string = (int64_t)m->n_string_table};
        change_message(&m->base, &c);
        if (!c.made) {
            free_message(m);
            break;
        }
        struct buf changed = pack(m);
        msg_str(&changed, 6, "another");
        if (!digest_of(&changed, 1, other))
            fail_msg("%s: cannot be read", c.what);
        bool same = strcmp(digest, other) == 0;
        if (same != means_nothing(c.what, m))
            fail_msg("%s: digests are %s", c.what,
                     same ? "the same" : "different");
        n_nothing += same;
        buf_free(&changed);
        free_message(m);
    }
    /* Fields of types, samples, mappings, locations, lines, functions; strings;
     * those of the profile itself. */
    assert_int_equal(n, 4 + 18 + 2 * 9 + 3 * 3 + 4 * 3 + 2 * 4 + 22 + 11);
    assert_int_equal(n_nothing, 2);
    buf_free(&b);
}

/* Samples, labels, lines and comments left out one by one. */
static size_t *counts_of(Message *m, size_t i)
{
    size_t *const counts[] = {
        &m->n_sample,
        &m->sample[0]->n_label,
        &m->location[0]->n_line,
        &m->location[2]->n_line,
        &m->n_comment,
        NULL,
    };
    return counts[i];
}

static void says_less(void **state)
{
    struct buf b = rich();
    char digest[DIGEST_TEXT], other[DIGEST_TEXT];
    assert_true(digest_of(&b, 1, digest));
    Message *m = unpack(&b);
    for (size_t i = 0; counts_of(m, i); i++) {
        --*counts_of(m, i);
        struct buf less = pack(m);
        ++*counts_of(m, i);
        assert_true(digest_of(&less, 1, other));
        assert_string_not_equal(digest, other);
        buf_free(&less);
    }
    free_message(m);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_hash_of_canonical_bytes),
        cmocka_unit_test(says_the_same_in_other_words),
        cmocka_unit_test(says_something_else),
        cmocka_unit_test(says_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
