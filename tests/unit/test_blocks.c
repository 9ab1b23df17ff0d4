/*
 * Messages that come in blocks: the columns are those of the same message in
 * memory, or the decoder asks for that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "check_profile.h"
#include "io/gzip.h"
#include "io/input.h"
#include "msg.h"
#include "profile/wire/pb.h"
#include "profile/wire/wire.h"
#include "random_message.h"
#include "scratch_dir.h"
#include "unit.h"

/* n bytes in blocks of `step`, each in memory of its own size. */
struct feed {
    struct prof_blocks blocks;
    const uint8_t *data;
    size_t n, at, step;
    uint8_t *block;
};

static ptrdiff_t next(struct prof_blocks *self, const uint8_t **block,
                      struct prof_err *err)
{
    struct feed *f = (struct feed *)self;
    size_t n = f->n - f->at < f->step ? f->n - f->at : f->step;
    (void)err;
    free(f->block);
    f->block = malloc(n ? n : 1);
    assert_non_null(f->block);
    if (n)
        memcpy(f->block, f->data + f->at, n);
    f->at += n;
    *block = f->block;
    return (ptrdiff_t)n;
}

static void assert_same_bytes(const void *a, const void *b, size_t n)
{
    if (n)
        assert_memory_equal(a, b, n);
}

static void assert_same_columns(const struct profile *p,
                                const struct profile *q)
{
    assert_int_equal(p->strings.n, q->strings.n);
    for (uint32_t i = 0; i < p->strings.n; i++)
        assert_true(prof_same_text(p, i, q, i));
    assert_int_equal(p->n_samples, q->n_samples);
    assert_int_equal(p->n_frames, q->n_frames);
    assert_int_equal(p->n_types, q->n_types);
    assert_int_equal(p->n_labelsets, q->n_labelsets);
    assert_same_bytes(p->frame_off, q->frame_off,
                      (p->n_samples + 1) * sizeof *p->frame_off);
    assert_same_bytes(p->frames, q->frames, p->n_frames * sizeof *p->frames);
    assert_same_bytes(p->values, q->values,
                      p->n_samples * p->n_types * sizeof *p->values);
    assert_same_bytes(p->labelset, q->labelset,
                      p->n_samples * sizeof *p->labelset);
    assert_same_bytes(p->labelset_off, q->labelset_off,
                      (p->n_labelsets + 1) * sizeof *p->labelset_off);
    struct buf a = profile_bytes(p), b = profile_bytes(q);
    assert_int_equal(a.n, b.n);
    assert_same_bytes(a.v, b.v, a.n);
    buf_free(&a);
    buf_free(&b);
}

/* Errors do not name places, which are those in a block. */
static void assert_reason(const struct prof_err *err)
{
    assert_int_equal(err->kind, PROF_ERR_INPUT);
    assert_true(*err->text);
    assert_null(strstr(err->text, "offset"));
}

/* How to decode a message. */
struct way {
    size_t step; /* bytes of a block */
    uint64_t about;
    bool shares;
};

/* Decodes *b in blocks.  Returns whether that can be done. */
static bool decodes(const struct buf *b, struct way way)
{
    struct profile p, q;
    struct prof_err err = {0};
    struct feed f = {
        {.next = next, .size_hint = way.about, .shares = way.shares},
        b->v,
        b->n,
        0,
        way.step,
        NULL};
    struct pb_decoder decoder = {.threads = 2};
    bool ok = pb_decode(b->v, b->n, &p, NULL, &err);
    assert_true(prof_init(&q, &err));
    if (pb_decode_blocks(&decoder, &f.blocks, &q, &err)) {
        assert_true(ok);
        assert_false(f.blocks.refused);
        assert_int_equal(q.shared != NULL, way.shares && q.n_samples);
        assert_true(check_profile(&q, &err));
        assert_true(prof_unshare(&q, &err));
        assert_same_columns(&p, &q);
    } else {
        assert_true(f.blocks.refused);
        assert_reason(&err);
    }
    free(f.block);
    prof_free(&p);
    prof_free(&q);
    return !f.blocks.refused;
}

/*
 * Decodes *b both ways.  Returns whether that can be done, and sets *shares to
 * whether stacks can share frames: not if some are in several fields.
 */
static bool decodes_either(const struct buf *b, size_t step, bool *shares)
{
    bool can = decodes(b, (struct way){step, b->n, false});
    *shares = decodes(b, (struct way){step, b->n, true});
    assert_true(can || !*shares);
    return can;
}

/* Whether all sizes of blocks agree that it can be done. */
static bool decodes_at_all(const struct buf *b)
{
    bool can = decodes(b, (struct way){b->n ? b->n : 1, b->n, false});
    for (size_t step = 1; step < 40 && step < b->n; step++)
        for (int shares = 0; shares < 2; shares++) {
            struct way way = {step, step % 2 ? b->n : 0, shares};
            assert_int_equal(decodes(b, way), can);
        }
    assert_int_equal(decodes(b, (struct way){b->n ? b->n : 1, 0, true}), can);
    return can;
}

/* What profutils and most other programs write. */
static void usual_messages(void **state)
{
    for (uint64_t seed = 0; seed < rng_rounds(60); seed++) {
        struct profile p;
        struct prof_err err = {0};
        struct buf b = random_message(seed);
        assert_true(pb_decode(b.v, b.n, &p, NULL, &err));
        struct buf usual = profile_bytes(&p);
        assert_true(decodes_at_all(&usual));
        buf_free(&usual);
        buf_free(&b);
        prof_free(&p);
    }
}

/* Moves the sample types to the front. */
static void move_types(struct buf *b)
{
    struct buf types = {0}, others = {0};
    struct wire w = wire_of(b->v, b->n);
    struct wire_field f;
    for (const uint8_t *at = w.at; !wire_done(&w); at = w.at) {
        assert_true(wire_field(&w, &f, NULL));
        struct buf *to = f.number == PROFILE_SAMPLE_TYPE ? &types : &others;
        assert_true(buf_put(to, at, (size_t)(w.at - at)));
    }
    assert_true(buf_put(&types, others.v, others.n));
    buf_free(&others);
    buf_free(b);
    *b = types;
}

/* Other fields in any order, ids of any kind; intact and not. */
static void any_messages(void **state)
{
    size_t n = 0, n_shared = 0;
    for (uint64_t seed = 0; seed < rng_rounds(2000); seed++) {
        struct rng r = {~seed};
        struct buf b = random_message(seed);
        bool shares;
        (void)decodes_either(&b, 1 + seed % 64, &shares);
        move_types(&b);
        n += decodes_either(&b, 1 + seed % 64, &shares);
        n_shared += shares;
        mutate(&b, &r);
        (void)decodes_either(&b, 1 + seed % 64, &shares);
        buf_free(&b);
    }
    assert_true(n > rng_rounds(200));
    assert_true(n_shared > rng_rounds(200));
}

/* --- messages made by hand ------------------------------------------------ */

enum { STRINGS_FIRST = 1, SAMPLES_FIRST = 2, LABELS_FIRST = 4, ODD_LABEL = 8 };

static void put_strings(struct buf *b)
{
    static const char *const strings[] = {"", "cpu", "ns", "key", "text"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        msg_str(b, PROFILE_STRING_TABLE, strings[i]);
}

static void put_types(struct buf *b)
{
    struct buf inner = {0};
    msg_num(&inner, VALUE_TYPE_TYPE, 1);
    msg_num(&inner, VALUE_TYPE_UNIT, 2);
    msg_sub(b, PROFILE_SAMPLE_TYPE, &inner);
}

static void put_sample(struct buf *b, uint64_t location, unsigned flags)
{
    struct buf sample = {0}, label = {0};
    msg_num(&label, LABEL_KEY, 3);
    msg_num(&label, LABEL_STR, 4);
    if (flags & ODD_LABEL)
        msg_num(&label, LABEL_NUM, 1);
    if (flags & LABELS_FIRST)
        msg_sub(&sample, SAMPLE_LABEL, &label);
    msg_packed(&sample, SAMPLE_LOCATION_ID, &location, 1);
    msg_num(&sample, SAMPLE_VALUE, 7);
    if (!(flags & LABELS_FIRST))
        msg_sub(&sample, SAMPLE_LABEL, &label);
    msg_sub(b, PROFILE_SAMPLE, &sample);
}

/* A location with the id, and a sample with another one. */
static bool can_decode(uint64_t id, uint64_t used, unsigned flags)
{
    struct buf b = {0}, inner = {0};
    if (flags & STRINGS_FIRST)
        put_strings(&b);
    if (flags & SAMPLES_FIRST)
        put_sample(&b, used, flags);
    put_types(&b);
    put_sample(&b, used, flags);
    put_sample(&b, used, flags);
    msg_num(&inner, LOCATION_ID, id);
    msg_sub(&b, PROFILE_LOCATION, &inner);
    if (!(flags & STRINGS_FIRST))
        put_strings(&b);
    bool can = decodes_at_all(&b);
    buf_free(&b);
    return can;
}

static void ids(void **state)
{
    assert_true(can_decode(1, 1, 0));
    assert_true(can_decode(7, 7, 0));
    assert_true(can_decode(3000000, 3000000, 0));
    assert_true(can_decode(UINT32_MAX, UINT32_MAX, 0));
    assert_false(can_decode((uint64_t)1 << 32, (uint64_t)1 << 32, 0));
    assert_false(can_decode(UINT64_MAX, UINT64_MAX, 0));
    assert_false(can_decode(1, 2, 0));
    assert_false(can_decode(7, 6, 0));
    assert_false(can_decode(1, 0, 0));
    assert_false(can_decode(0, 0, 0));
}

static void orders(void **state)
{
    assert_true(can_decode(1, 1, STRINGS_FIRST));
    assert_false(can_decode(1, 1, SAMPLES_FIRST));
    assert_false(can_decode(1, 1, LABELS_FIRST));
    assert_false(can_decode(1, 1, ODD_LABEL));
}

/* --- stacks that share frames --------------------------------------------- */

/*
 * Location ids: of one to five bytes, and longer than need be.  Most end like
 * another one.
 */
static const char *const spelled[] = {
    "\x01",
    "\x81\x01",
    "\x82\x01",
    "\x81\x81\x01",
    "\x82\x81\x01",
    "\x81\x82\x81\x01",
    "\x81\x81\x82\x81\x01",
    "\xff\xff\xff\xff\x0f",
    "\x7f",
    "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", /* 1 */
};

enum {
    N_SPELLED = sizeof spelled / sizeof *spelled,
    LONGER = 1, /* how many of the last ones may have a NUL at their end */
    MOST_IDS = 600,
};

static void put_id(struct buf *b, unsigned i)
{
    size_t n = strlen(spelled[i]) + (i >= N_SPELLED - LONGER);
    assert_true(buf_put(b, spelled[i], n));
}

/* A stack as numbers of spelled[], leaf first. */
struct spelling {
    unsigned v[MOST_IDS];
    size_t n;
    bool whole; /* all in one field */
};

/* Makes a stack that ends like the one before, or nearly. */
static void next_spelling(struct spelling *s, struct rng *r)
{
    struct spelling before = *s;
    size_t same = before.n;
    s->n = rng_below(r, rng_one_in(r, 10) ? MOST_IDS : 12);
    same = same < s->n ? same : s->n;
    if (same && rng_one_in(r, 3))
        same = rng_below(r, (uint32_t)same + 1);
    for (size_t i = 0; i < s->n - same; i++)
        s->v[i] = rng_below(r, N_SPELLED);
    memcpy(s->v + s->n - same, before.v + before.n - same, same * sizeof *s->v);
    if (same && rng_one_in(r, 6))
        s->v[s->n - 1 - rng_below(r, (uint32_t)same)] = rng_below(r, N_SPELLED);
}

/* Appends a sample; with `parts`, its stack may be in several fields. */
static void put_spelled(struct buf *b, struct spelling *s, bool parts,
                        struct rng *r)
{
    struct buf sample = {0}, ids = {0};
    size_t n_fields = 0;
    if (rng_one_in(r, 2))
        msg_num(&sample, SAMPLE_VALUE, 7);
    bool has_value = sample.n;
    for (size_t i = 0; i < s->n; i++) {
        put_id(&ids, s->v[i]);
        if (i + 1 < s->n && !(parts && rng_one_in(r, 20)))
            continue;
        if (parts && i + 1 == s->n && !n_fields && rng_one_in(r, 2)) {
            /* The ids unpacked, each a field. */
            for (size_t k = 0; k < s->n; k++, n_fields++) {
                msg_tag(&sample, SAMPLE_LOCATION_ID, WIRE_VARINT);
                put_id(&sample, s->v[k]);
            }
            break;
        }
        msg_bytes(&sample, SAMPLE_LOCATION_ID, ids.v, ids.n);
        ids.n = 0;
        n_fields++;
    }
    if (!s->n && rng_one_in(r, 2)) /* empty */
        msg_bytes(&sample, SAMPLE_LOCATION_ID, "", 0);
    s->whole = n_fields == 1 && s->n;
    if (!has_value)
        msg_num(&sample, SAMPLE_VALUE, 7);
    msg_sub(b, PROFILE_SAMPLE, &sample);
    buf_free(&ids);
}

static void put_spelled_locations(struct buf *b)
{
    struct buf inner = {0};
    for (unsigned i = 0; i < N_SPELLED - LONGER; i++) {
        msg_tag(&inner, LOCATION_ID, WIRE_VARINT);
        put_id(&inner, i);
        msg_sub(b, PROFILE_LOCATION, &inner);
    }
    put_strings(b);
}

static size_t same_ids(const struct spelling *a, const struct spelling *b)
{
    size_t n = 0;
    while (n < a->n && n < b->n && a->v[a->n - 1 - n] == b->v[b->n - 1 - n])
        n++;
    return n;
}

/* In one block, stacks share all that they can. */
static void assert_all_shared(const struct buf *b, const uint32_t *shared,
                              size_t n)
{
    struct profile p;
    struct prof_err err = {0};
    struct feed f = {{.next = next, .shares = true}, b->v, b->n, 0, b->n, NULL};
    struct pb_decoder decoder = {0};
    assert_true(prof_init(&p, &err));
    assert_true(pb_decode_blocks(&decoder, &f.blocks, &p, &err));
    assert_int_equal(p.n_samples, n);
    assert_memory_equal(p.shared, shared, n * sizeof *shared);
    free(f.block);
    prof_free(&p);
}

static void shared_stacks(void **state)
{
    enum { SAMPLES = 30 };
    for (uint64_t seed = 0; seed < rng_rounds(400); seed++) {
        struct rng r = {seed};
        struct buf b = {0};
        struct spelling s = {.n = 0}, before;
        bool parts = rng_one_in(&r, 3);
        uint32_t shared[SAMPLES] = {0};
        put_types(&b);
        for (size_t i = 0; i < SAMPLES; i++) {
            before = s;
            next_spelling(&s, &r);
            put_spelled(&b, &s, parts, &r);
            if (before.whole && s.whole)
                shared[i] = (uint32_t)same_ids(&before, &s);
        }
        put_spelled_locations(&b);
        size_t step = 1 + rng_below(&r, 1 + (uint32_t)(seed % 3) * 500);
        bool shares;
        assert_true(decodes_either(&b, step, &shares));
        assert_true(shares || parts);
        if (!parts)
            assert_all_shared(&b, shared, SAMPLES);
        buf_free(&b);
    }
}

/* Stacks of which one is the end of the other, and of many bytes. */
static void long_stacks(void **state)
{
    for (unsigned id = 0; id < N_SPELLED; id++)
        for (size_t n = 230; n < 270; n++) {
            struct rng r = {n};
            struct buf b = {0};
            struct spelling s = {.n = 0};
            const uint32_t shared[] = {0, (uint32_t)n - 3, (uint32_t)n - 3,
                                       (uint32_t)n};
            put_types(&b);
            for (size_t i = 0; i < n; i++)
                s.v[i] = id;
            for (int i = 0; i < 4; i++) {
                s.n = n - (i == 1 ? 3 : 0);
                put_spelled(&b, &s, false, &r);
            }
            put_spelled_locations(&b);
            assert_true(decodes(&b, (struct way){b.n, b.n, true}));
            assert_all_shared(&b, shared, 4);
            buf_free(&b);
        }
}

/* Several stacks of one field, given as bytes. */
static bool can_share(const char *const *ids, size_t n)
{
    struct buf b = {0};
    put_types(&b);
    for (size_t i = 0; i < n; i++) {
        struct buf sample = {0};
        msg_bytes(&sample, SAMPLE_LOCATION_ID, ids[i], strlen(ids[i]));
        msg_num(&sample, SAMPLE_VALUE, 7);
        msg_sub(&b, PROFILE_SAMPLE, &sample);
    }
    put_spelled_locations(&b);
    bool can = decodes_at_all(&b);
    buf_free(&b);
    return can;
}

#define CAN_SHARE(...)                                                         \
    can_share((const char *const[]){__VA_ARGS__},                              \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Ids that are cut off, or do not exist, though what ends like them does. */
static void wrong_stacks(void **state)
{
    assert_true(CAN_SHARE("\x7f\x01", "\x81\x01", "\x7f\x81\x01"));
    assert_false(CAN_SHARE("\x7f\x01", "\x7f\x81"));
    assert_false(CAN_SHARE("\x7f\x81", "\x7f\x81"));
    assert_false(CAN_SHARE("\x81\x01", "\x81\x01\x81"));
    assert_false(CAN_SHARE("\x01", "\x83\x01"));
    assert_false(CAN_SHARE("\x7f\x81\x01", "\x83\x81\x01"));
    assert_false(CAN_SHARE("\x81\x01", "\x03\x81\x01"));
    assert_false(CAN_SHARE("\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01",
                           "\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01"));
}

/*
 * A profile that had room for many samples, but none for what they share.
 */
static void used_again(void **state)
{
    enum { SAMPLES = 70000 };
    struct profile p;
    struct prof_err err = {0};
    struct buf b = {0};
    struct pb_decoder decoder = {0};
    put_types(&b);
    for (size_t i = 0; i < SAMPLES; i++)
        put_sample(&b, 1, 0);
    put_spelled_locations(&b);
    assert_true(prof_init(&p, &err));
    for (int i = 0; i < 3; i++) {
        struct feed f = {{.next = next, .shares = i}, b.v, b.n, 0, 999, NULL};
        prof_clear(&p);
        assert_true(pb_decode_blocks(&decoder, &f.blocks, &p, &err));
        assert_true(check_profile(&p, &err));
        assert_int_equal(p.n_samples, SAMPLES);
        assert_true(!i || p.cap_shared >= SAMPLES);
        free(f.block);
    }
    pb_decoder_free(&decoder);
    prof_free(&p);
    buf_free(&b);
}

/* --- gzip files ----------------------------------------------------------- */

static const char file[] = "blocks.gz";

/* Appends a gzip member. */
static void put_member(struct buf *to, const uint8_t *v, size_t n, int level)
{
    z_stream z = {0};
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 9, MORE = 1 << 10 };
    assert_int_equal(
        deflateInit2(&z, level, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY),
        Z_OK);
    if (!buf_reserve(to, deflateBound(&z, n) + MORE) || !to->v)
        abort();
    z.next_in = (Bytef *)v;
    z.avail_in = (uInt)n;
    z.next_out = to->v + to->n;
    z.avail_out = (uInt)(to->cap - to->n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->n += z.total_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
}

/* Appends all blocks.  Whether there is no error. */
static bool read_blocks(struct prof_blocks *blocks, struct buf *to)
{
    const uint8_t *block;
    struct prof_err err = {0};
    ptrdiff_t n;
    while ((n = blocks->next(blocks, &block, &err)) > 0)
        assert_true(buf_put(to, block, (size_t)n));
    if (n < 0)
        assert_int_equal(err.kind, PROF_ERR_INPUT);
    /* And again. */
    assert_int_equal(blocks->next(blocks, &block, &err), n);
    return n == 0;
}

/*
 * Appends what is in the file, and its errors, to *said.  Whether it could be
 * read in blocks.
 */
static bool read_file(const struct input_opts *opts, struct buf *said)
{
    struct input *in;
    struct input_part part;
    struct prof_err err = {0};
    bool in_blocks = false;
    int got = 1;
    if (!input_open(&in, file, opts, NULL, &err)) {
        assert_true(buf_puts(said, err.text));
        return false;
    }
    while (got) {
        size_t n = said->n;
        got = input_next(in, &part, &err);
        in_blocks = got > 0 && part.blocks && read_blocks(part.blocks, said);
        if (got > 0 && part.blocks && !in_blocks) {
            said->n = n;
            if (!input_again(in, &err)) {
                assert_true(buf_puts(said, err.text));
                break;
            }
        } else if (got > 0 && !part.blocks) {
            assert_true(buf_put(said, part.data, part.n));
        } else if (got < 0) {
            assert_true(buf_puts(said, err.text));
        }
        if (in_blocks) {
            assert_int_equal(input_next(in, &part, &err), 0);
            break;
        }
    }
    input_close(in);
    return in_blocks;
}

/* Reads these bytes in blocks and not.  Whether they could be in blocks. */
static bool reads_alike(const struct buf *gz, uint64_t max_size)
{
    struct buf want = {0}, got = {0};
    struct input_opts opts = {.max_size = max_size};
    bool in_blocks = false;
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(gz->v, 1, gz->n, f), gz->n);
    assert_int_equal(fclose(f), 0);
    assert_false(read_file(&opts, &want));
    opts.blocks_from = 1;
    for (opts.threads = 0; opts.threads < 3; opts.threads++) {
        got.n = 0;
        in_blocks = read_file(&opts, &got);
        assert_int_equal(got.n, want.n);
        assert_same_bytes(got.v, want.v, got.n);
    }
    buf_free(&want);
    buf_free(&got);
    assert_int_equal(unlink(file), 0);
    return in_blocks;
}

static bool has_isal(void)
{
    char version[LIBRARY_VERSION_MAX];
    struct prof_err err;
    return gz_isal.version && gz_isal.version(version, &err);
}

/* Bytes of little order, more than there are blocks at a time. */
static struct buf content(size_t n)
{
    struct buf b = {0};
    struct rng r = {n};
    assert_true(buf_putc(&b, '\n'));
    while (b.n < n)
        assert_true(
            buf_putc(&b, (char)('a' + rng_below(&r, 1 + b.n / 9 % 16))));
    return b;
}

static void gzip_files(void **state)
{
    static const size_t sizes[] = {2, 100, 70000, 1 << 19, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int level = 0; level < 10; level += 3) {
            struct buf b = content(sizes[i]), gz = {0};
            put_member(&gz, b.v, b.n, level);
            assert_int_equal(reads_alike(&gz, 0), has_isal());
            assert_int_equal(reads_alike(&gz, b.n), has_isal() && gz.n <= b.n);
            assert_false(reads_alike(&gz, b.n - 1));
            buf_free(&b);
            buf_free(&gz);
        }
}

/* Content that ends at or near a block, of few compressed bytes. */
static void small_gzip_files(void **state)
{
    enum { BLOCK = 1 << 19, MANY = 6 };
    for (size_t n = BLOCK; n <= (size_t)MANY * BLOCK; n += BLOCK)
        for (int more = -1; more < 2; more++) {
            struct buf b = {0}, gz = {0};
            size_t size = n + (size_t)more;
            assert_true(buf_reserve(&b, size));
            memset(b.v, 'a', size);
            *b.v = '\n';
            b.n = size;
            put_member(&gz, b.v, b.n, 9);
            assert_int_equal(reads_alike(&gz, 0), has_isal());
            buf_free(&b);
            buf_free(&gz);
        }
}

/* A failure of the system is not a reason to read again. */
static ptrdiff_t cannot_read(struct prof_blocks *self, const uint8_t **block,
                             struct prof_err *err)
{
    (void)self;
    (void)block;
    (void)err_errno(err, EIO, "cannot read");
    return -1;
}

static void failures(void **state)
{
    struct profile p;
    struct prof_err err = {0};
    struct prof_blocks blocks = {.next = cannot_read};
    struct pb_decoder decoder = {0};
    assert_true(prof_init(&p, &err));
    assert_false(pb_decode_blocks(&decoder, &blocks, &p, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_false(blocks.refused);
    prof_free(&p);
    /* A merger that may decode twice does not begin to. */
    const struct prof_merge_opts limit = {.memory = (uint64_t)64 << 20};
    const struct prof_decode_opts opts = {.blocks = &blocks};
    struct prof_merger *m = prof_merge_new(&limit, &err);
    assert_non_null(m);
    assert_false(prof_merge_decode(m, NULL, 0, &opts, &err));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    prof_merge_free(m);
}

static void damaged_gzip_files(void **state)
{
    struct buf b = content(3000000), gz = {0}, two = {0};
    put_member(&gz, b.v, b.n, 1);
    size_t n = gz.n;
    /* Flags in the header that are reserved. */
    for (uint8_t flag = 0x20; flag; flag = (uint8_t)(flag << 1)) {
        gz.v[3] = flag;
        assert_false(reads_alike(&gz, 0));
    }
    gz.v[3] = 0;
    /* The checksum; the size, which is only a guess; the middle. */
    for (size_t at = 5; at < n; at += at < 9 ? 1 : n / 7) {
        gz.v[n - at] ^= 4;
        (void)reads_alike(&gz, 0);
        gz.v[n - at] ^= 4;
    }
    for (gz.n = n - 9; gz.n < n; gz.n++)
        assert_false(reads_alike(&gz, 0));
    gz.n = n / 2;
    assert_false(reads_alike(&gz, 0));
    gz.n = n;
    assert_true(buf_put(&two, gz.v, gz.n) && buf_put(&two, gz.v, gz.n));
    assert_false(reads_alike(&two, 0));
    two.n = gz.n + 3;
    assert_false(reads_alike(&two, 0));
    two.v[gz.n] = 0;
    assert_false(reads_alike(&two, 0));
    buf_free(&b);
    buf_free(&gz);
    buf_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_messages),
        cmocka_unit_test(any_messages),
        cmocka_unit_test(ids),
        cmocka_unit_test(orders),
        cmocka_unit_test(shared_stacks),
        cmocka_unit_test(long_stacks),
        cmocka_unit_test(wrong_stacks),
        cmocka_unit_test(used_again),
        cmocka_unit_test(failures),
        cmocka_unit_test(gzip_files),
        cmocka_unit_test(small_gzip_files),
        cmocka_unit_test(damaged_gzip_files),
    };
    return cmocka_run_group_tests(tests, scratch_dir_enter, scratch_dir_drop);
}
