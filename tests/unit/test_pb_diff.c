/*
 * The decoder and the encoder held to protobuf-c: what one takes the other
 * takes, and both find the same in it.
 *
 * Beyond the wire format the decoder asks for a sound profile.  flaw() says
 * from protobuf-c's message alone whether it is one, so that a message is
 * refused if and only if protobuf-c refuses it or it has a flaw.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pb/pb.h"
#include "pb/profile.pb-c.h"
#include "pb/wire.h"
#include "profile/check.h"
#include "random_message.h"

typedef Perftools__Profiles__Profile Message;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Label Label;
typedef Perftools__Profiles__ValueType ValueType;

/* --- flaws -----------------------------------------------------------------
 */

#define NOWHERE SIZE_MAX

/* The index of the entity with this id; all ids come first. */
#define FIND(name, type)                                                       \
    static size_t find_##name(const Message *m, uint64_t id, size_t from)      \
    {                                                                          \
        for (size_t i = from; i < m->n_##name; i++)                            \
            if (m->name[i]->id == id)                                          \
                return i;                                                      \
        return NOWHERE;                                                        \
    }                                                                          \
    static bool twice_##name(const Message *m)                                 \
    {                                                                          \
        for (size_t i = 0; i < m->n_##name; i++)                               \
            if (find_##name(m, m->name[i]->id, i + 1) != NOWHERE)              \
                return true;                                                   \
        return false;                                                          \
    }
FIND(mapping, Mapping)
FIND(function, Function)
FIND(location, Location)

/*
 * Functions that all lack an id count from 1; false if a line without a
 * function id could then mean any of them.
 */
static bool number_functions(Message *m)
{
    for (size_t i = 0; i < m->n_function; i++)
        if (m->function[i]->id)
            return true;
    for (size_t i = 0; i < m->n_function; i++)
        m->function[i]->id = i + 1;
    for (size_t i = 0; m->n_function && i < m->n_location; i++)
        for (size_t k = 0; k < m->location[i]->n_line; k++) {
            uint64_t *id = &m->location[i]->line[k]->function_id;
            if (!*id && m->n_function > 1)
                return false;
            *id += !*id;
        }
    return true;
}

static bool bad_string(const Message *m, int64_t index)
{
    return index && (uint64_t)index >= m->n_string_table;
}

static bool bad_type(const Message *m, const ValueType *t)
{
    return t && (bad_string(m, t->type) || bad_string(m, t->unit));
}

static bool bad_strings(const Message *m)
{
    bool bad = bad_string(m, m->drop_frames) || bad_string(m, m->keep_frames) ||
               bad_string(m, m->default_sample_type) ||
               bad_string(m, m->doc_url) || bad_type(m, m->period_type);
    for (size_t i = 0; i < m->n_sample_type; i++)
        bad |= bad_type(m, m->sample_type[i]);
    for (size_t i = 0; i < m->n_comment; i++)
        bad |= bad_string(m, m->comment[i]);
    for (size_t i = 0; i < m->n_mapping; i++)
        bad |= bad_string(m, m->mapping[i]->filename) ||
               bad_string(m, m->mapping[i]->build_id);
    for (size_t i = 0; i < m->n_function; i++)
        bad |= bad_string(m, m->function[i]->name) ||
               bad_string(m, m->function[i]->system_name) ||
               bad_string(m, m->function[i]->filename);
    for (size_t i = 0; i < m->n_sample; i++)
        for (size_t k = 0; k < m->sample[i]->n_label; k++) {
            const Label *l = m->sample[i]->label[k];
            bad |= bad_string(m, l->key) || bad_string(m, l->str) ||
                   bad_string(m, l->num_unit);
        }
    return bad;
}

static bool bad_location(const Message *m, const Location *l)
{
    bool bad = l->mapping_id && find_mapping(m, l->mapping_id, 0) == NOWHERE;
    for (size_t i = 0; i < l->n_line; i++)
        bad |= l->line[i]->function_id &&
               find_function(m, l->line[i]->function_id, 0) == NOWHERE;
    return bad;
}

static bool bad_sample(const Message *m, const Sample *s)
{
    bool bad = !m->n_sample_type || s->n_value != m->n_sample_type;
    for (size_t i = 0; i < s->n_location_id; i++)
        bad |= find_location(m, s->location_id[i], 0) == NOWHERE;
    return bad;
}

/* Field number 0 is not allowed; protobuf-c keeps it among the unknown. */
static bool has_field_0(const ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->n_unknown_fields; i++)
        if (!m->unknown_fields[i].tag)
            return true;
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        const void *at = (const char *)m + f->offset;
        if (f->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (f->label != PROTOBUF_C_LABEL_REPEATED) {
            const ProtobufCMessage *const *one = at;
            if (*one && has_field_0(*one))
                return true;
            continue;
        }
        const size_t *n =
            (const void *)((const char *)m + f->quantifier_offset);
        const ProtobufCMessage *const *const *all = at;
        for (size_t k = 0; k < *n; k++)
            if (has_field_0((*all)[k]))
                return true;
    }
    return false;
}

/*
 * Whether a field that is there once at most comes twice, in a message that
 * protobuf-c has taken.
 */
static bool given_twice(struct wire w, const ProtobufCMessageDescriptor *d)
{
    bool twice = false, seen[32] = {false};
    struct wire_field f;
    while (!wire_done(&w) && wire_field(&w, &f, NULL)) {
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(d, f.number);
        if (!field)
            continue;
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            twice |= seen[f.number];
            seen[f.number] = true;
        }
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            twice |= given_twice(f.bytes, field->descriptor);
    }
    return twice;
}

/*
 * Whether a tag or a length has more than five bytes, which protobuf-c does
 * not take and others do.  The message is one that the decoder has taken.
 */
static bool has_long_number(struct wire w, const ProtobufCMessageDescriptor *d)
{
    bool is_long = false;
    while (!wire_done(&w)) {
        struct wire at = w;
        struct wire_field f;
        uint64_t number;
        if (!wire_field(&w, &f, NULL) || !wire_varint(&at, &number, NULL))
            return false;
        is_long |= wire_offset(&at) - f.offset > 5;
        if (f.type != WIRE_BYTES)
            continue;
        is_long |= f.bytes.at - at.at > 5;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(d, f.number);
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
            is_long |= has_long_number(f.bytes, field->descriptor);
    }
    return is_long;
}

static const char *flaw(Message *m)
{
    if (has_field_0(&m->base))
        return "field number 0";
    if (m->n_string_table && *m->string_table[0])
        return "string 0 is not empty";
    if (bad_strings(m))
        return "string index";
    if (!number_functions(m))
        return "line without function id";
    if (twice_mapping(m) || twice_function(m) || twice_location(m))
        return "id given twice";
    for (size_t i = 0; i < m->n_location; i++)
        if (bad_location(m, m->location[i]))
            return "reference of a location";
    for (size_t i = 0; i < m->n_sample; i++)
        if (bad_sample(m, m->sample[i]))
            return "sample";
    return NULL;
}

/* --- content ---------------------------------------------------------------
 */

/* Both sides at once. */
struct pair {
    const struct profile *p;
    const Message *m;
    bool twice; /* given_twice() */
};

static void same_string(const struct pair *o, uint32_t id, int64_t index)
{
    const char *s = o->m->n_string_table ? o->m->string_table[index] : "";
    assert_string_equal(prof_cstr(o->p, id), s);
}

static void same_type(const struct pair *o, const struct prof_value_type *vt,
                      const ValueType *t)
{
    same_string(o, vt->type, t ? t->type : 0);
    same_string(o, vt->unit, t ? t->unit : 0);
}

static void same_headers(const struct pair *o)
{
    const struct profile *p = o->p;
    const Message *m = o->m;
    assert_int_equal(p->n_types, m->n_sample_type);
    for (size_t i = 0; i < p->n_types; i++)
        same_type(o, &p->types[i], m->sample_type[i]);
    /* Of two period types protobuf-c takes the last, and does not merge. */
    if (!o->twice)
        same_type(o, &p->period_type, m->period_type);
    assert_int_equal(p->n_comments, m->n_comment);
    for (size_t i = 0; i < p->n_comments; i++)
        same_string(o, p->comments[i], m->comment[i]);
    same_string(o, p->drop_frames, m->drop_frames);
    same_string(o, p->keep_frames, m->keep_frames);
    same_string(o, p->default_sample_type, m->default_sample_type);
    same_string(o, p->doc_url, m->doc_url);
    assert_true(p->time_nanos == m->time_nanos);
    assert_true(p->duration_nanos == m->duration_nanos);
    assert_true(p->period == m->period);
}

static void same_mappings(const struct pair *o)
{
    assert_int_equal(o->p->n_mappings, o->m->n_mapping);
    for (size_t i = 0; i < o->p->n_mappings; i++) {
        const struct prof_mapping *a = &o->p->mappings[i];
        const Perftools__Profiles__Mapping *b = o->m->mapping[i];
        assert_true(a->start == b->memory_start);
        assert_true(a->limit == b->memory_limit);
        assert_true(a->offset == b->file_offset);
        same_string(o, a->filename, b->filename);
        same_string(o, a->build_id, b->build_id);
        assert_int_equal(a->has_functions, b->has_functions);
        assert_int_equal(a->has_filenames, b->has_filenames);
        assert_int_equal(a->has_line_numbers, b->has_line_numbers);
        assert_int_equal(a->has_inline_frames, b->has_inline_frames);
    }
}

static void same_functions(const struct pair *o)
{
    assert_int_equal(o->p->n_functions, o->m->n_function);
    for (size_t i = 0; i < o->p->n_functions; i++) {
        const struct prof_function *a = &o->p->functions[i];
        const Perftools__Profiles__Function *b = o->m->function[i];
        same_string(o, a->name, b->name);
        same_string(o, a->system_name, b->system_name);
        same_string(o, a->filename, b->filename);
        assert_true(a->start_line == b->start_line);
    }
}

/* Index and id; "none" where the id is 0 and nothing is called so. */
static void same_reference(uint32_t index, size_t found)
{
    assert_true(index == PROF_NONE ? found == NOWHERE : index == found);
}

static void same_locations(const struct pair *o)
{
    assert_int_equal(o->p->n_locations, o->m->n_location);
    for (size_t i = 0; i < o->p->n_locations; i++) {
        const struct prof_location *a = &o->p->locations[i];
        const Location *b = o->m->location[i];
        assert_true(a->address == b->address);
        assert_int_equal(a->is_folded, b->is_folded);
        same_reference(a->mapping, b->mapping_id
                                       ? find_mapping(o->m, b->mapping_id, 0)
                                       : NOWHERE);
        assert_int_equal(a->n_lines, b->n_line);
        for (size_t k = 0; k < a->n_lines; k++) {
            const struct prof_line *line = &o->p->lines[a->line_off + k];
            assert_true(line->line == b->line[k]->line);
            assert_true(line->column == b->line[k]->column);
            same_reference(line->function,
                           find_function(o->m, b->line[k]->function_id, 0));
        }
    }
}

static uint32_t string_id(const struct pair *o, int64_t index)
{
    uint32_t id;
    const char *s = o->m->n_string_table ? o->m->string_table[index] : "";
    assert_true(strtab_find(&o->p->strings, s, strlen(s), &id));
    return id;
}

static bool before(const struct prof_label *a, const struct prof_label *b)
{
    return a->key < b->key || (a->key == b->key && a->str && !b->str);
}

/* The labels put in order of key, strings first, otherwise as they stand. */
static void same_labels(const struct pair *o, uint32_t set, const Sample *s)
{
    const struct prof_label *a = o->p->labels + o->p->labelset_off[set];
    struct prof_label *v = calloc(s->n_label + 1, sizeof *v);
    assert_non_null(v);
    assert_int_equal(o->p->labelset_off[set + 1] - o->p->labelset_off[set],
                     s->n_label);
    for (size_t i = 0; i < s->n_label; i++) {
        const Label *l = s->label[i];
        struct prof_label x = {.key = string_id(o, l->key),
                               .str = string_id(o, l->str)};
        if (!x.str) {
            x.num = l->num;
            x.unit = string_id(o, l->num_unit);
        }
        size_t k = i;
        for (; k && before(&x, &v[k - 1]); k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
    for (size_t i = 0; i < s->n_label; i++) {
        assert_int_equal(a[i].key, v[i].key);
        assert_int_equal(a[i].str, v[i].str);
        assert_true(a[i].num == v[i].num);
        assert_int_equal(a[i].unit, v[i].unit);
    }
    free(v);
}

static void same_samples(const struct pair *o)
{
    const struct profile *p = o->p;
    assert_int_equal(p->n_samples, o->m->n_sample);
    for (size_t s = 0; s < p->n_samples; s++) {
        const Sample *b = o->m->sample[s];
        assert_int_equal(prof_depth(p, s), b->n_location_id);
        for (size_t i = 0; i < b->n_location_id; i++)
            assert_int_equal(prof_stack(p, s)[i],
                             find_location(o->m, b->location_id[i], 0));
        assert_int_equal(p->n_types, b->n_value);
        assert_memory_equal(p->values + s * p->n_types, b->value,
                            b->n_value * sizeof *b->value);
        same_labels(o, p->labelset[s], b);
    }
}

static void same_content(const struct profile *p, const Message *m, bool twice)
{
    struct pair o = {p, m, twice};
    same_headers(&o);
    same_mappings(&o);
    same_functions(&o);
    same_locations(&o);
    same_samples(&o);
}

static void same_ids(const struct profile *p, const Message *m)
{
    for (size_t i = 0; i < p->n_mappings; i++)
        assert_true(p->mappings[i].id == m->mapping[i]->id);
    for (size_t i = 0; i < p->n_functions; i++)
        assert_true(p->functions[i].id == m->function[i]->id);
    for (size_t i = 0; i < p->n_locations; i++)
        assert_true(p->locations[i].id == m->location[i]->id);
}

/* --- tests -----------------------------------------------------------------
 */

static Message *unpack(const struct buf *b)
{
    return perftools__profiles__profile__unpack(NULL, b->n, b->v);
}

static void free_message(Message *m)
{
    perftools__profiles__profile__free_unpacked(m, NULL);
}

/* Equal strings once, entities numbered from 1. */
static void encodes(const struct profile *p)
{
    struct buf b = profile_bytes(p);
    Message *m = unpack(&b);
    assert_non_null(m);
    if (!m)
        return;
    assert_null(flaw(m));
    assert_int_equal(m->base.n_unknown_fields, 0);
    same_content(p, m, false);
    for (size_t i = 0; i < m->n_string_table; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(m->string_table[i], m->string_table[k]);
    for (size_t i = 0; i < m->n_mapping; i++)
        assert_true(m->mapping[i]->id == i + 1);
    for (size_t i = 0; i < m->n_function; i++)
        assert_true(m->function[i]->id == i + 1);
    for (size_t i = 0; i < m->n_location; i++)
        assert_true(m->location[i]->id == i + 1);
    free_message(m);
    buf_free(&b);
}

static void valid_messages(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct buf b = random_message(seed);
        struct profile p;
        struct err err = {0};
        Message *m = unpack(&b);
        assert_non_null(m);
        if (!m)
            return;
        if (flaw(m))
            fail_msg("seed %llu: %s", (unsigned long long)seed, flaw(m));
        if (!pb_decode(b.v, b.n, &p, NULL, &err) || !prof_check(&p, &err))
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        same_content(&p, m, false);
        same_ids(&p, m);
        encodes(&p);
        free_message(m);
        prof_free(&p);
        buf_free(&b);
    }
}

/* How often each outcome came up: a test of refusals needs some of each. */
struct tally {
    size_t taken, wire, flawed;
};

/* protobuf-c hands out strings that end at their first NUL. */
static bool has_nul(const struct profile *p)
{
    for (uint32_t i = 0; i < p->strings.n; i++)
        if (strlen(strtab_str(&p->strings, i)) != strtab_len(&p->strings, i))
            return true;
    return false;
}

static void decide(const struct buf *b, uint64_t seed, struct tally *tally)
{
    /* A copy of just the size, for the sanitizer's sake. */
    uint8_t *exact = malloc(b->n ? b->n : 1);
    struct profile p;
    struct err err = {0};
    assert_non_null(exact);
    if (b->n)
        memcpy(exact, b->v, b->n);
    Message *m = unpack(b);
    const char *why = m ? flaw(m) : "protobuf-c refuses it";
    bool twice = m && given_twice(wire_of(exact, b->n), m->base.descriptor);
    bool ok = pb_decode(exact, b->n, &p, NULL, &err);
    /* What is given twice may be wrong the first time. */
    bool excused =
        ok ? !m && has_long_number(wire_of(exact, b->n),
                                   &perftools__profiles__profile__descriptor)
           : twice;
    if (ok != !why && !excused)
        fail_msg("seed %llu: taken: %d (%s), though %s",
                 (unsigned long long)seed, ok, err.text,
                 why ? why : "it has no flaw");
    if (ok && m) {
        tally->taken++;
        assert_true(prof_check(&p, &err));
        if (!has_nul(&p))
            same_content(&p, m, twice);
        same_ids(&p, m);
    } else if (!ok) {
        *(m ? &tally->flawed : &tally->wire) += 1;
        assert_int_equal(err.kind, ERR_INPUT);
        assert_true(*err.text);
    }
    if (m)
        free_message(m);
    prof_free(&p);
    free(exact);
}

static void mutated_messages(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 30000; seed++) {
        struct rng r = {~seed};
        struct buf b = random_message(seed % 1000);
        mutate(&b, &r);
        decide(&b, seed, &tally);
        buf_free(&b);
    }
    print_message("%zu taken, %zu bad on the wire, %zu with flaws\n",
                  tally.taken, tally.wire, tally.flawed);
    assert_true(tally.taken > 1000);
    assert_true(tally.wire > 1000);
    assert_true(tally.flawed > 1000);
}

static void prefixes(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct buf b = random_message(seed);
        for (size_t whole = b.n; b.n > 0; b.n--)
            if (b.n < whole)
                decide(&b, seed, &tally);
        buf_free(&b);
    }
    assert_true(tally.taken && tally.wire && tally.flawed);
}

/* Two messages in a row are one message, which rarely makes sense. */
static void concatenated(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct buf a = random_message(seed), b = random_message(seed / 2);
        assert_true(buf_put(&a, b.v, b.n));
        decide(&a, seed, &tally);
        buf_free(&a);
        buf_free(&b);
    }
    assert_true(tally.taken && tally.flawed);
    assert_int_equal(tally.wire, 0);
}

/* The encoder on profiles that were not read but made. */
static void made_profiles(void **state)
{
    (void)state;
    const struct random_opts opts = {.types = RANDOM_TYPES_SUBSETS,
                                     .negative = true};
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct profile p;
        random_profile(&p, seed, seed, &opts);
        encodes(&p);
        prof_free(&p);
    }
}

/* The samples of a random profile backwards, from somewhere on. */
static void another_order(void **state)
{
    (void)state;
    const struct random_opts opts = {.negative = true};
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct profile p;
        random_profile(&p, seed, seed, &opts);
        struct buf b = {0};
        struct buf_sink sink = buf_sink_of(&b);
        struct err err;
        size_t n = p.n_samples;
        uint32_t *order = malloc((n + 1) * sizeof *order);
        Sample **restored = malloc((n + 1) * sizeof(void *));
        assert_true(order && restored);
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)((n - 1 - i + seed) % n);
        assert_true(pb_encode_order(&p, order, &sink.sink, &err));
        Message *m = unpack(&b);
        assert_non_null(m);
        assert_int_equal(m->n_sample, n);
        for (size_t i = 0; i < n; i++)
            restored[order[i]] = m->sample[i];
        for (size_t i = 0; i < n; i++)
            m->sample[i] = restored[i];
        same_content(&p, m, false);
        free_message(m);
        free(order);
        free((void *)restored);
        buf_free(&b);
        prof_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_messages), cmocka_unit_test(mutated_messages),
        cmocka_unit_test(prefixes),       cmocka_unit_test(concatenated),
        cmocka_unit_test(made_profiles),  cmocka_unit_test(another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
