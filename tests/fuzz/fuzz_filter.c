/*
 * Random valid profiles through the filters.  Those of samples leave some of
 * the samples as they were, in their order, and with their opposites share all
 * samples out; those of labels and frames leave what they are not about; one
 * that is applied again finds nothing more to do.
 */
#include <string.h>

#include "../unit/merge_try.h"
#include "fuzz.h"
#include "made.h"
#include "profile/columns.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

/* A message in one block. */
struct block {
    struct prof_blocks blocks;
    struct buf bytes;
    bool read;
};

static ptrdiff_t next_block(struct prof_blocks *self, const uint8_t **block,
                            struct prof_err *err)
{
    struct block *b = (struct block *)self;
    (void)err;
    *block = b->bytes.v;
    if (b->read)
        return 0;
    b->read = true;
    return (ptrdiff_t)b->bytes.n;
}

static bool shares; /* filter profiles whose stacks share frames */

/* Encodes *p and decodes it into *out, if possible so that stacks share. */
static void copy(const struct profile *p, struct profile *out)
{
    struct block b = {.blocks = {.next = next_block, .shares = true}};
    struct buf_sink sink = buf_sink_of(&b.bytes);
    struct pb_decoder decoder = {.notes = &fuzz_notes};
    struct prof_err err = {0};
    FUZZ_CHECK(pb_encode(p, &sink.sink, &err) && prof_init(out, &err));
    if (!shares || !pb_decode_blocks(&decoder, &b.blocks, out, &err)) {
        prof_free(out);
        FUZZ_CHECK(pb_decode(b.bytes.v, b.bytes.n, out, &fuzz_notes, &err));
    }
    pb_decoder_free(&decoder);
    buf_free(&b.bytes);
}

/* *p by a filter in *out; false: the filter is refused. */
static bool filtered(const struct profile *p,
                     const struct prof_filter_opts *opts, struct profile *out)
{
    struct prof_err err = {0};
    copy(p, out);
    struct prof_filter *f = prof_filter_new(opts, &err);
    bool ok = f && prof_filter_prepare(f, out, &fuzz_notes, &err) &&
              prof_filter_apply(f, out, &fuzz_notes, &err);
    prof_filter_free(f);
    if (ok) {
        FUZZ_CHECK(prof_unshare(out, &err));
        fuzz_sound(out);
    } else {
        fuzz_refused(&err);
        prof_free(out);
    }
    return ok;
}

/* --- what samples say ----------------------------------------------------- */

static bool same_text(const struct profile *p, uint32_t a,
                      const struct profile *q, uint32_t b)
{
    return strcmp(prof_cstr(p, a), prof_cstr(q, b)) == 0;
}

static bool same_values(const struct profile *p, size_t i,
                        const struct profile *q, size_t k)
{
    size_t n = p->n_types;
    return memcmp(p->values + i * n, q->values + k * n,
                  n * sizeof *p->values) == 0;
}

static bool same_frames(const struct profile *p, size_t i,
                        const struct profile *q, size_t k)
{
    size_t n = prof_depth(p, i);
    return n == prof_depth(q, k) &&
           (!n || memcmp(prof_stack(p, i), prof_stack(q, k),
                         n * sizeof *p->frames) == 0);
}

/* Keys are in order of ids, which encoding changes: each label is looked for.
 */
static bool has_label(const struct profile *p, const struct prof_label *l,
                      const struct profile *q, size_t sample)
{
    uint32_t set = q->labelset[sample];
    for (uint64_t i = q->labelset_off[set]; i < q->labelset_off[set + 1]; i++) {
        const struct prof_label *x = &q->labels[i];
        if (same_text(p, l->key, q, x->key) &&
            same_text(p, l->str, q, x->str) && l->num == x->num &&
            same_text(p, l->unit, q, x->unit))
            return true;
    }
    return false;
}

static uint64_t n_labels(const struct profile *p, size_t sample)
{
    uint32_t set = p->labelset[sample];
    return p->labelset_off[set + 1] - p->labelset_off[set];
}

/* Whether all labels of sample i are among those of sample k of *q. */
static bool has_labels(const struct profile *p, size_t i,
                       const struct profile *q, size_t k)
{
    uint32_t set = p->labelset[i];
    for (uint64_t at = p->labelset_off[set]; at < p->labelset_off[set + 1];
         at++)
        if (!has_label(p, &p->labels[at], q, k))
            return false;
    return true;
}

static bool same_sample(const struct profile *p, size_t i,
                        const struct profile *q, size_t k)
{
    return same_values(p, i, q, k) && same_frames(p, i, q, k) &&
           n_labels(p, i) == n_labels(q, k) && has_labels(p, i, q, k);
}

/* --- properties ----------------------------------------------------------- */

/* Samples of *part are samples of *all, in that order. */
static void is_part(const struct profile *part, const struct profile *all)
{
    size_t k = 0;
    for (size_t i = 0; i < part->n_samples; i++, k++) {
        while (k < all->n_samples && !same_sample(part, i, all, k))
            k++;
        FUZZ_CHECK(k < all->n_samples);
    }
}

/* Each sample of *all is the next one of *a or of *b. */
static void are_shared_out(const struct profile *all, const struct profile *a,
                           const struct profile *b, bool frameless)
{
    size_t i = 0, k = 0;
    for (size_t s = 0; s < all->n_samples; s++) {
        if (i < a->n_samples && same_sample(a, i, all, s))
            i++;
        else if (k < b->n_samples && same_sample(b, k, all, s))
            k++;
        else
            FUZZ_CHECK(frameless && prof_depth(all, s) == 0);
    }
    FUZZ_CHECK(i == a->n_samples && k == b->n_samples);
}

static struct buf canonical(const struct profile *p)
{
    struct buf b = {0};
    struct buf_sink sink = buf_sink_of(&b);
    struct profile out;
    struct prof_err err = {0};
    if (canonical_copy(p, &out, &err))
        FUZZ_CHECK(pb_encode(&out, &sink.sink, &err));
    else
        fuzz_refused(&err);
    prof_free(&out);
    return b;
}

static void same_meaning(const struct profile *p, const struct profile *q)
{
    struct buf a = canonical(p), b = canonical(q);
    FUZZ_CHECK(a.n == b.n && (!a.n || memcmp(a.v, b.v, a.n) == 0));
    buf_free(&a);
    buf_free(&b);
}

/* The filter once more has nothing to do. */
static void is_done(const struct profile *out,
                    const struct prof_filter_opts *opts)
{
    struct profile again;
    FUZZ_CHECK(filtered(out, opts, &again));
    same_meaning(out, &again);
    prof_free(&again);
}

/* Nothing is lost but frames or labels. */
static void keeps_values(const struct profile *p, const struct profile *out)
{
    FUZZ_CHECK(out->n_samples == p->n_samples);
    for (size_t i = 0; i < p->n_samples; i++)
        FUZZ_CHECK(same_values(p, i, out, i));
}

static void keeps_frames(const struct profile *p, const struct profile *out)
{
    for (size_t i = 0; i < p->n_samples; i++)
        FUZZ_CHECK(same_frames(p, i, out, i));
}

static void only_loses_labels(const struct profile *p,
                              const struct profile *out)
{
    keeps_values(p, out);
    keeps_frames(p, out);
    for (size_t i = 0; i < p->n_samples; i++)
        FUZZ_CHECK(has_labels(out, i, p, i));
}

/* Each label of a sample is in one of the two. */
static void labels_are_shared_out(const struct profile *p,
                                  const struct profile *shown,
                                  const struct profile *hidden)
{
    for (size_t i = 0; i < p->n_samples; i++)
        FUZZ_CHECK(n_labels(p, i) == n_labels(shown, i) + n_labels(hidden, i));
}

/* The message that pbfilter would write; *p is used up. */
static struct buf laid_out(struct profile *p)
{
    struct profile out;
    struct prof_layout layout;
    struct buf b = {0};
    struct prof_err err = {0};
    if (merge_in_order(p, 1, &out, &layout, &err)) {
        struct pb_encoder e;
        FUZZ_CHECK(pb_encoder_init(&e, &out, &layout, &err));
        FUZZ_CHECK(e.n_pieces == 1 && pb_encode_piece(&e, 0, &b, &err));
        pb_encoder_free(&e);
    } else {
        fuzz_refused(&err);
    }
    prof_layout_free(&layout);
    prof_free(&out);
    prof_free(p);
    return b;
}

/* Samples that go may as well become 0. */
static void zero_by(const struct profile *p, struct prof_filter_opts opts)
{
    struct profile gone, zero;
    if (!filtered(p, &opts, &gone))
        return;
    opts.zero = true;
    FUZZ_CHECK(filtered(p, &opts, &zero));
    struct buf a = laid_out(&gone), b = laid_out(&zero);
    FUZZ_CHECK(a.n == b.n && (!a.n || memcmp(a.v, b.v, a.n) == 0));
    buf_free(&a);
    buf_free(&b);
}

static void samples_by(const struct profile *p, struct prof_filter_opts yes,
                       struct prof_filter_opts no, bool frameless)
{
    struct profile a, b;
    if (!filtered(p, &yes, &a))
        return;
    FUZZ_CHECK(filtered(p, &no, &b));
    is_part(&a, p);
    is_part(&b, p);
    are_shared_out(p, &a, &b, frameless);
    is_done(&a, &yes);
    is_done(&b, &no);
    prof_free(&a);
    prof_free(&b);
}

static void labels_by(const struct profile *p, const char *pattern)
{
    struct prof_filter_opts show = {.tagshow = pattern},
                            hide = {.taghide = pattern};
    struct prof_filter_opts drop = {.drop_labels = true};
    struct profile a, b;
    if (!filtered(p, &show, &a))
        return;
    FUZZ_CHECK(filtered(p, &hide, &b));
    only_loses_labels(p, &a);
    only_loses_labels(p, &b);
    labels_are_shared_out(p, &a, &b);
    is_done(&a, &show);
    is_done(&b, &hide);
    prof_free(&a);
    prof_free(&b);
    FUZZ_CHECK(filtered(p, &drop, &a));
    only_loses_labels(p, &a);
    for (size_t i = 0; i < a.n_samples; i++)
        FUZZ_CHECK(n_labels(&a, i) == 0);
    prof_free(&a);
}

/* No stack gets longer, and no sample gets other values or labels. */
static void frames_by(const struct profile *p,
                      const struct prof_filter_opts *opts, bool all_stay)
{
    struct profile out;
    if (!filtered(p, opts, &out))
        return;
    size_t k = 0;
    for (size_t i = 0; i < out.n_samples; i++, k++) {
        while (k < p->n_samples && (!same_values(&out, i, p, k) ||
                                    prof_depth(&out, i) > prof_depth(p, k) ||
                                    !has_labels(&out, i, p, k)))
            k++;
        FUZZ_CHECK(k < p->n_samples);
    }
    if (all_stay)
        keeps_values(p, &out);
    is_done(&out, opts);
    prof_free(&out);
}

/* Frames made of labels: all samples stay, one frame longer for each key. */
static void label_frames(const struct profile *p, const char *key, bool leaf)
{
    struct prof_filter_opts opts = {.tagroot = leaf ? NULL : key,
                                    .tagleaf = leaf ? key : NULL,
                                    .unit = "minimum"};
    struct profile out;
    size_t n = 0;
    if (!filtered(p, &opts, &out))
        return;
    for (const char *at = key; at; at = strchr(at, ',')) {
        at += *at == ',';
        n += *at && *at != ',';
    }
    keeps_values(p, &out);
    for (size_t i = 0; i < p->n_samples; i++)
        FUZZ_CHECK(prof_depth(&out, i) == prof_depth(p, i) + n);
    prof_free(&out);
}

/* All kinds at once, by one thread and by several, and from the other form of
 * stacks.*/
static void several(const struct profile *p, const char *const *pattern,
                    unsigned which)
{
    struct prof_filter_opts opts = {.prune = true, .unit = "auto"};
    const char **const slot[] = {&opts.focus,   &opts.ignore,    &opts.hide,
                                 &opts.show,    &opts.show_from, &opts.tagfocus,
                                 &opts.tagshow, &opts.taghide};
    for (size_t i = 0; i < sizeof slot / sizeof *slot; i++)
        if (which >> i & 1)
            *slot[i] = pattern[i % 2];
    struct profile out, again;
    if (!filtered(p, &opts, &out))
        return;
    FUZZ_CHECK(out.n_samples <= p->n_samples);
    opts.threads = 3;
    shares = !shares;
    FUZZ_CHECK(filtered(p, &opts, &again));
    fuzz_same(&out, &again);
    prof_free(&again);
    prof_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct made_bytes b = made_bytes_of(data, n);
    const struct made_opts opts = {.small = made_below(&b, 2)};
    uint32_t which = made_below(&b, 256);
    char own[2][MADE_NAME];
    const char *pattern[2] = {made_name(&b, own[0]), made_name(&b, own[1])};
    struct profile world, p;
    made_world(&world, &b);
    made_profile(&p, &world, &opts, &b);
    const char *x = pattern[0];
    shares = which % 2;
    samples_by(&p, (struct prof_filter_opts){.focus = x},
               (struct prof_filter_opts){.ignore = x}, true);
    zero_by(&p, (struct prof_filter_opts){.focus = x, .ignore = pattern[1]});
    zero_by(&p, (struct prof_filter_opts){.ignore = x});
    samples_by(&p, (struct prof_filter_opts){.tagfocus = x},
               (struct prof_filter_opts){.tagignore = x}, false);
    labels_by(&p, x);
    frames_by(&p, &(struct prof_filter_opts){.hide = x}, false);
    frames_by(&p, &(struct prof_filter_opts){.show = x}, false);
    frames_by(&p, &(struct prof_filter_opts){.show_from = x}, false);
    frames_by(&p, &(struct prof_filter_opts){.prune_from = x}, true);
    label_frames(&p, x, which & 2);
    /* Seldom, for starting threads takes longer than all else. */
    if (made_below(&b, 8) == 1)
        several(&p, pattern, which);
    prof_free(&p);
    prof_free(&world);
    return 0;
}
