/*
 * columns.h - the arrays of a profile, for code that profile.h is too slow for
 *
 * A profile has the model of pprof's profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto) in flat
 * arrays (columns).  Entities (functions, mappings, locations, label sets)
 * refer to each other by index and to strings by id; nothing is allocated per
 * sample.  Filters and reports are loops over these arrays; work that depends
 * on a name is done once per string or function, never once per frame.
 *
 * Shapes
 *   column        elements                          what an element has
 *   types         n_types                           string ids of type, unit
 *   mappings      n_mappings; [0]: the main binary  see struct prof_mapping
 *   functions     n_functions                       see struct prof_function
 *   locations     n_locations   lines[line_off .. line_off + n_lines), the
 *                               innermost (most deeply inlined) first
 *   labelsets     n_labelsets   labels[labelset_off[i] .. labelset_off[i + 1])
 *                               by key id, string labels before numbers,
 *                               otherwise as given; set 0 is empty; equal sets
 *                               have equal ids
 *   samples       n_samples     frames[frame_off[s] .. frame_off[s + 1]):
 *                               location indices, leaf first, without the
 *                               last shared[s] frames of the stack, which are
 *                               those of the stack of sample s - 1
 *                               values[s * n_types ..]: one for each type
 *                               labelset[s]: its label set
 *
 * Here, a frame is an element of frames[]: the index of a location of a stack.
 * Reports call each line of a location a frame.
 *
 * The table in "stacks" below says which profiles share frames (shared is not
 * null).
 *
 * Units     addresses and sizes in bytes; time_nanos since 1970 and
 *           duration_nanos in nanoseconds; period in units of period_type.
 * Ids       An `id` field is the id of the entity in the file that it was read
 *           from (0: none), for printing only.  The index identifies it.
 * Ownership prof_init() makes an empty profile; prof_free() frees it with all
 *           its arrays.  Callers may read arrays, and change them in place.
 * Errors    Functions return false and set *err: PROF_ERR_SYSTEM when memory is
 *           out, and others where noted.
 *
 * Sections: columns, stacks, strings, kinds of strings, labels and totals,
 * units, order of samples, filters, regular expressions, file names, messages
 */
#ifndef PROFUTILS_PROFILE_COLUMNS_H
#define PROFUTILS_PROFILE_COLUMNS_H

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/strtab.h"
#include "profile.h"

/* --- columns -------------------------------------------------------------- */

/*
 * A new order of a profile's samples and new numbers of its locations, which
 * were not applied to the arrays yet.
 *
 * A merge makes a profile and a layout, so that it need not move samples and
 * frames, which are most of a profile.  prof_encoder_new() encodes the profile
 * as the layout describes it; prof_apply_layout() changes the arrays.
 *
 *   order   n_order indices: sample i of the result is sample order[i] of the
 *           arrays.  An index occurs at most once; the result does not have the
 *           samples whose index is missing
 *           null: all samples in the order of the arrays
 *   shared  by sample of the result: how many of its last frames are also those
 *           of the sample before it, at least.  May be less than
 *           p->shared[order[i]]; the missing frames are then read from earlier
 *           samples, which is slower
 *           null: not known.  Ignored if order or p->shared is null
 *   number  n_number indices: a frame f means location number[f]
 *           null: a frame f means location f
 *
 * A zeroed layout changes nothing.
 */
struct prof_layout {
    const uint32_t *order;
    size_t n_order;
    const uint32_t *shared;
    const uint32_t *number;
    size_t n_number;
};

struct profile {
    struct strtab strings;

    struct prof_value_type *types;
    size_t n_types, cap_types;

    struct prof_mapping *mappings;
    size_t n_mappings, cap_mappings;
    struct prof_function *functions;
    size_t n_functions, cap_functions;
    struct prof_line *lines;
    size_t n_lines, cap_lines;
    struct prof_location *locations;
    size_t n_locations, cap_locations;

    struct prof_label *labels;
    size_t n_labels, cap_labels;
    uint64_t *labelset_off; /* n_labelsets + 1 */
    size_t n_labelsets, cap_labelset_off;
    struct hashidx labelset_index; /* of all sets but 0, or of none; private */

    size_t n_samples;
    uint64_t *frame_off; /* n_samples + 1 */
    size_t cap_frame_off;
    uint32_t *frames;
    size_t n_frames, cap_frames; /* frames stored, without shared ones */
    uint32_t *shared;            /* by sample; null if no stacks share frames
                                    (prof_shared() is then 0) */
    size_t cap_shared;
    size_t deepest;  /* at least the depth of the deepest stack; 0 until stacks
                        share frames */
    int64_t *values; /* n_samples * n_types */
    size_t cap_values;
    uint32_t *labelset;
    size_t cap_labelset;
    struct prof_store *store; /* has these arrays; null: they are on the heap */
    size_t zero_from, zero_end; /* values[zero_from .. zero_end), which no
                                   sample has yet, are 0 */

    uint32_t *comments; /* string ids, in file order */
    size_t n_comments, cap_comments;

    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regexps */
    uint32_t default_sample_type;      /* string id of a type's name */
    uint32_t doc_url;                  /* string id */

    /* Zeroed, unless this is a result that is only to be written: encoders and
     * prof_count() then apply it, and other code must not use the samples. */
    struct prof_layout layout;
};

/* Makes *p an empty profile.  The caller calls prof_free(), after a failure
 * too. */
bool prof_init(struct profile *p, struct prof_err *err);
void prof_free(struct profile *p);

/* Returns the seed for hash tables of this profile's ids and indices. */
static inline uint64_t prof_seed(const struct profile *p)
{
    return p->strings.seed;
}

/*
 * Applies a layout: removes and reorders samples, and renumbers frames.  The
 * layout must not be used with *p again.  Samples are moved in place if the
 * order ascends and layout->shared is null; those in a store are copied to the
 * heap.  On failure *p is only good for prof_free().
 */
bool prof_apply_layout(struct profile *p, const struct prof_layout *layout,
                       struct prof_err *err);

/* Whether all values of sample s are 0, or there are none. */
static inline bool prof_sample_is_zero(const struct profile *p, size_t s)
{
    const int64_t *values = p->values + s * p->n_types;
    for (size_t i = 0; i < p->n_types; i++)
        if (values[i])
            return false;
    return true;
}

/* --- stacks --------------------------------------------------------------- */

/*
 * Neighbours share most of their frames, from the root on, in nearly every
 * large profile.  Storing these once takes a third of the memory, and a loop
 * over frames[] visits each only once.
 *
 *   sample  stack, leaf first   shared  own frames
 *        0  c b a                    0  c b a
 *        1  d b a                    2  d
 *        2  b a                      2
 *        3  e d b a                  2  e d
 *
 * Here sample 3 could share frames with sample 1 only if sample 2 had them.
 * shared[s] may be less than it could be.  It is 0 for each sample whose index
 * is a multiple of PROF_RESTART, so that a stack can be read without all those
 * before it, and threads can begin there.
 *
 * Most code needs whole stacks.  It reads them by a struct prof_stacks, or from
 * profiles whose stacks share nothing:
 *
 *   may share        what is decoded from blocks with prof_blocks.shares set
 *                    (pbmerge of one input; pbfilter and pbcat without filters
 *                    that remove sharing), and what prof_apply_layout(),
 *                    prof_filter_*(), prof_canonical(), prof_merge_finish()
 *                    and prof_merge_one() make of it
 *   never shares     results of other public functions; profiles in a store
 *                    (struct prof_store); those that lib/formats makes
 *   removes sharing  prof_unshare(), prof_add_sample(), filters that drop
 *                    frames at the leaf or add some; in a sum, a second input
 *                    and sum_spill()
 *   must not share   arguments of prof_stack(), prof_get_sample() and
 *                    prof_edit_stacks(), which assert it
 */
enum { PROF_RESTART = 1024 };

/* Returns how many frames a sample shares with the one before it. */
static inline size_t prof_shared(const struct profile *p, size_t sample)
{
    return p->shared ? p->shared[sample] : 0;
}

/* Returns how many frames the stack of a sample has. */
static inline size_t prof_depth(const struct profile *p, size_t sample)
{
    return (size_t)(p->frame_off[sample + 1] - p->frame_off[sample]) +
           prof_shared(p, sample);
}

/*
 * Returns how many frames, from the root, sample `to` has in common with sample
 * from - 1, at least: the least of shared[from .. to].  Stacks share frames.
 */
static inline uint32_t prof_least_shared(const struct profile *p, size_t from,
                                         size_t to)
{
    uint32_t least = p->shared[to];
    while (least && to-- > from)
        least = p->shared[to] < least ? p->shared[to] : least;
    return least;
}

/*
 * Returns how many frames, from the root, the stacks a[0 .. m) and b[0 .. n),
 * leaf first, have in common.
 */
static inline size_t prof_common(const uint32_t *a, size_t m, const uint32_t *b,
                                 size_t n)
{
    size_t k = 0, most = m < n ? m : n;
    while (k < most && a[m - 1 - k] == b[n - 1 - k])
        k++;
    return k;
}

/* Returns how many frames all stacks have. */
static inline uint64_t prof_all_frames(const struct profile *p)
{
    uint64_t n = p->n_frames;
    for (size_t s = 0; p->shared && s < p->n_samples; s++)
        n += p->shared[s];
    return n;
}

/* Returns the frames of a sample, leaf first; stacks must share nothing. */
static inline const uint32_t *prof_stack(const struct profile *p, size_t sample)
{
    assert(!p->shared);
    return p->frames + p->frame_off[sample];
}

/* Returns how many frames two samples have in common, from the root on; stacks
 * must share nothing. */
static inline size_t prof_common_stack(const struct profile *p, size_t a,
                                       size_t b)
{
    return prof_common(prof_stack(p, a), prof_depth(p, a), prof_stack(p, b),
                       prof_depth(p, b));
}

/*
 * Returns the first of the frames of a sample that are its own.  They begin
 * with the leaf; there are prof_depth() - prof_shared() of them.
 */
static inline const uint32_t *prof_own(const struct profile *p, size_t sample)
{
    return p->frames + p->frame_off[sample];
}

/* Stores all frames of each stack, if stacks share frames.  After a failure
 * *p is unchanged. */
bool prof_unshare(struct profile *p, struct prof_err *err);

/*
 * Reads whole stacks, fastest one after the other:
 *
 *   struct prof_stacks r;
 *   bool ok = prof_stacks_init(&r, p, err);
 *   for (size_t s = 0; ok && s < p->n_samples; s++) {
 *       prof_stacks_read(&r, s);
 *       visit(r.stack, r.depth);
 *   }
 *   prof_stacks_free(&r);
 *
 * The profile may get other values and labels, but not other stacks, while they
 * are read.
 */
struct prof_stacks {
    const uint32_t *stack; /* of the sample read last, leaf first; valid until
                              the next is read, or all the time if stacks of
                              the profile share nothing */
    size_t depth;
    size_t shared; /* how many of its last frames are those of the stack that
                      was read before, at least; always 0 if no stacks share
                      frames.  sample_list_read() sets it exactly */
    /* Private. */
    const struct profile *p;
    size_t next;
    uint32_t *room, *end; /* the stack ends at `end`; or null */
};

bool prof_stacks_init(struct prof_stacks *r, const struct profile *p,
                      struct prof_err *err);
void prof_stacks_free(struct prof_stacks *r); /* a zeroed one is allowed */

/* Private: prof_stacks_read() out of order; stacks share frames. */
void prof_stacks_seek(struct prof_stacks *r, size_t sample);

/* Reads the stack of any sample; the next one is fastest. */
static inline void prof_stacks_read(struct prof_stacks *r, size_t sample)
{
    const struct profile *p = r->p;
    size_t n = (size_t)(p->frame_off[sample + 1] - p->frame_off[sample]);
    if (!p->shared) {
        r->stack = p->frames + p->frame_off[sample];
        r->depth = n;
        return;
    }
    if (sample != r->next) {
        prof_stacks_seek(r, sample);
        return;
    }
    r->next++;
    r->shared = p->shared[sample];
    r->depth = n + r->shared;
    uint32_t *to = r->end - r->depth;
    if (n)
        memcpy(to, p->frames + p->frame_off[sample], n * sizeof *to);
    r->stack = to;
}

/* Private: prof_stacks_first() if not all n frames are the sample's own. */
const uint32_t *prof_stacks_search(struct prof_stacks *r, size_t sample,
                                   size_t n);

/*
 * Returns the first n frames of a sample, leaf first, which are valid until the
 * next stack is read.  The stack that *r read last may be lost.
 */
static inline const uint32_t *prof_stacks_first(struct prof_stacks *r,
                                                size_t sample, size_t n)
{
    const struct profile *p = r->p;
    if (n <= p->frame_off[sample + 1] - p->frame_off[sample])
        return prof_own(p, sample);
    return prof_stacks_search(r, sample, n);
}

/* --- strings -------------------------------------------------------------- */

/*
 * A string of profile.proto may contain NUL: "a\0b" and "a\0c" are two names.
 *
 *      compare within a profile     by id
 *      compare between profiles     their bytes
 *      show in a message            prof_show(): a NUL becomes \x00
 *      pass on as a C string        prof_plain(): a name with a NUL must not
 *                                   be truncated
 */

static inline struct prof_slice prof_text(const struct profile *p, uint32_t id)
{
    return strtab_slice(&p->strings, id);
}

/* Appends a string; false when memory is out. */
static inline bool prof_put_text(struct buf *to, const struct profile *p,
                                 uint32_t id)
{
    struct prof_slice text = prof_text(p, id);
    return buf_put(to, text.s, text.n);
}

/* Sets *copy to the id in *to, added if new, of string `id` of *from. */
bool prof_copy_text(struct profile *to, const struct profile *from, uint32_t id,
                    uint32_t *copy, struct prof_err *err);

/*
 * Sets *shown to the id of the string escaped for one line (utf8_put_line()),
 * added if new; to `id` itself if nothing has to be escaped.
 */
bool prof_shown_id(struct profile *p, uint32_t id, uint32_t *shown,
                   struct prof_err *err);

/*
 * Returns a string for a message: each NUL becomes \x00, and a long string is
 * cut and ends in "...".  Use the result within the same expression.
 */
struct prof_shown {
    char text[256];
};
struct prof_shown prof_show(const struct profile *p, uint32_t id);

/* Returns the name of a sample type for a message: "cpu/nanoseconds". */
struct prof_shown prof_show_type(const struct profile *p,
                                 struct prof_value_type vt);

/* --- kinds of strings ----------------------------------------------------- */

/* In the order in which `pbcat --strings` prints them. */
enum prof_string_kind {
    PROF_FUNCTION_NAME,
    PROF_SYSTEM_NAME,
    PROF_SOURCE_FILE,
    PROF_MAPPING_FILE,
    PROF_BUILD_ID,
    PROF_LABEL_KEY,
    PROF_LABEL_VALUE,
    PROF_LABEL_UNIT,
    PROF_COMMENT,
    PROF_DOC_URL,
    PROF_DROP_FRAMES,
    PROF_KEEP_FRAMES,
    PROF_SAMPLE_TYPE, /* default_sample_type too */
    PROF_SAMPLE_UNIT,
    PROF_PERIOD_TYPE,
    PROF_PERIOD_UNIT,
    PROF_STRING_KINDS,
};

/*
 * Calls fn for each member of an entity or of the header that is a string id,
 * also for 0 ("").  fn may change *id; `index` is that of the function,
 * mapping, label, comment or type.  Returns false as soon as fn does.  After
 * changes of label keys, call prof_sort_labels().
 */
typedef bool prof_string_fn(void *ctx, enum prof_string_kind kind, size_t index,
                            uint32_t *id);
bool prof_visit_strings(struct profile *p, prof_string_fn *fn, void *ctx);

/* Sorts the labels of each set again, as prof_labelset() does, after their
 * strings were changed. */
bool prof_sort_labels(struct profile *p, struct prof_err *err);

/* --- labels and totals ---------------------------------------------------- */

/*
 * Finds the unit of each numeric label.
 *
 * profile.proto lets every number have its own unit, or none.  As in pprof
 * there is one unit per key: the first in the order of samples, else "bytes"
 * for the keys alignment and request, else the key itself.
 *
 * Sets *unit to a malloc'ed array of string ids, indexed by the string id of
 * the key; 0 for keys without a number in any sample.  Warns of keys with
 * several units.  NULs in a unit are escaped, so that all units are C strings.
 * May add strings.
 */
bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct prof_notes *notes, struct prof_err *err);

/*
 * Returns the type that counts the samples from which the values of `type` were
 * made: `type` itself, or the one before it.  -1 if it is not known that the
 * values were made from samples.
 */
int prof_count_type(const struct profile *p, size_t type);

/* Sets *total to the sum of a type's values.  False if it exceeds 64 bits. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

/* --- units ---------------------------------------------------------------- */

/*
 * Memory (powers of 1024, printed as B kB MB GB TB PB), time (ns to hour,
 * printed as ns us ms s hrs) and GCU cycles can be converted, each among
 * themselves; other units cannot.  Names are matched as pprof matches them
 * (case-insensitive, plurals, aliases: internal/measurement of
 * https://github.com/google/pprof).
 */

/* Bytes that any text of measure_label() needs, for units of up to 40 bytes. */
#define MEASURE_TEXT 96

/*
 * Converts `value` from unit `from` to unit `to`, which may also be "auto" (a
 * unit that suits this value) or "minimum".  Sets *unit to the unit of the
 * result: a static string, `from` or `to`.
 */
double measure_scale(int64_t value, const char *from, const char *to,
                     const char **unit);

/*
 * Writes the value with its unit to text[0 .. n), as pprof prints it ("1.50MB",
 * "10ms", "0"), truncated to n bytes including the NUL.  Returns text.
 */
char *measure_label(char *text, size_t n, int64_t value, const char *from,
                    const char *to);

/* Converts many values between two units, which it looks up once. */
struct measure {
    const char *from, *to; /* not owned */
    /* Private. */
    const struct measure_family *family; /* null: do not convert */
    const struct measure_unit *unit;     /* null: what suits the value */
    double factor;
};

void measure_init(struct measure *m, const char *from, const char *to);

/*
 * Writes the text of measure_label() for the value to text[0 .. n), n > 0.
 * Returns its length without the NUL.
 */
size_t measure_put(const struct measure *m, int64_t value, char *text,
                   size_t n);

/* Writes value / total as in pprof's column of percentages: "12.34%", " 5.10%",
 * "  100%", "    0%".  Returns text. */
char *measure_percent(char *text, size_t n, int64_t value, int64_t total);

/* Whether values of one unit can be converted to the other. */
bool measure_compatible(const char *unit1, const char *unit2);

/* --- order of samples ----------------------------------------------------- */

/*
 * Samples are compared by their stacks from the root, frame by frame, by ranks
 * that the caller gives to frames.  Frames of equal rank are the same.  If one
 * stack begins with the other, the shorter one is less.  Samples with the same
 * stack are compared by the ranks of their label sets.
 */

/* What samples are sorted by.  The columns may be a part of a profile's. */
struct sample_order {
    const uint64_t *frame_off;
    const uint32_t *frames;   /* leaf first */
    const uint32_t *shared;   /* by sample: as in struct profile; or null */
    const uint32_t *rank;     /* by frame: its rank; null: the frame itself */
    const uint32_t *labelset; /* by sample: its set; null: labels are ignored */
    const uint32_t *set_rank; /* by label set: its rank; null: the set itself */
    uint32_t n_ranks;         /* all ranks are less than this */
    unsigned threads;
};

/* As prof_common(), by ranks; rank may be null. */
static inline size_t sample_order_common(const uint32_t *rank,
                                         const uint32_t *a, size_t m,
                                         const uint32_t *b, size_t n)
{
    size_t k = prof_common(a, m, b, n);
    while (rank && k < m && k < n && rank[a[m - 1 - k]] == rank[b[n - 1 - k]]) {
        k++;
        k += prof_common(a, m - k, b, n - k);
    }
    return k;
}

/*
 * Compares two stacks, a[0 .. m) and b[0 .. n), leaf first, from the root.
 * Returns less than, equal to or greater than 0.  rank may be null.
 */
static inline int sample_order_stacks(const uint32_t *rank, const uint32_t *a,
                                      size_t m, const uint32_t *b, size_t n)
{
    size_t k = sample_order_common(rank, a, m, b, n);
    if (k == m || k == n)
        return (m > n) - (m < n);
    uint32_t x = a[m - 1 - k], y = b[n - 1 - k];
    return (rank ? rank[x] < rank[y] : x < y) ? -1 : 1;
}

/* Samples in order. */
struct sample_list {
    uint32_t *v; /* indices */
    size_t n;
    uint32_t *shared; /* as in struct prof_layout, and never less than it could
                         be; null if no stacks share frames */
    bool any_equal;   /* two of them are equal */
};

/*
 * Sorts list->v, and sets list->shared and any_equal.  Equal samples keep their
 * order.  If stacks share frames, v[i] must be i, for all samples.  Makes
 * list->shared if it is null; the caller frees it, after a failure too.
 */
bool sample_order_sort(const struct sample_order *o, struct sample_list *list,
                       struct prof_err *err);

/*
 * Reads the stack of sample i of a sorted list.  The stack that *r read last,
 * if any, must equal that of sample i - 1.  Sets r->shared to all that both
 * have in common, also if no stacks share frames.
 */
void sample_list_read(const struct sample_list *list, size_t i,
                      struct prof_stacks *r);

/* --- filters -------------------------------------------------------------- */

/*
 * The two steps of prof_filter_run(): prof_filter_prepare() applies
 * drop_frames, tagroot and tagleaf, prof_filter_apply() the rest.  A report
 * computes the total for its percentages between the two.
 */
bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err);
bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err);

/* Returns the options of prof_filter_new(). */
const struct prof_filter_opts *prof_filter_options(const struct prof_filter *f);

/* Removes the frames that the profile's own drop_frames matches, if any. */
bool prof_prune_own(struct profile *p, struct prof_err *err);

/* --- regular expressions -------------------------------------------------- */

/*
 * The syntax is RE2's (https://github.com/google/re2/wiki/Syntax), as Go's
 * regexp package reads it; PCRE2 matches.  What RE2 does not have is an error:
 * backreferences, look-around, possessive and atomic groups, \C, \Z, \h.  What
 * the two read differently has RE2's meaning: \s, \v, octal, [:x:] outside a
 * class, {,n}.  A match may begin anywhere unless the pattern says otherwise;
 * $ is the very end of the text.
 *
 * The result is only whether a text matches, so greediness has no effect.
 * Text is UTF-8; each byte that is not counts as one U+FFFD, as in Go.
 *
 * The time of all matches is bounded by the length of all texts: a match by
 * backtracking has a number of steps that grows with its text, and one that
 * needs more is tried by PCRE2's breadth-first matcher, whose work is limited
 * for all texts of a pattern together.
 * What exceeds both limits is an error, never "no match".
 */

/* One compiled pattern, for one thread at a time. */
struct regex;

/*
 * Compiles a pattern.  *re is null on failure.  Errors of the pattern, here and
 * in regex_match(), are of the given kind.  They begin with `what` (such as
 * "--focus"; not copied), unless it is null, and have the offset in bytes:
 * `--focus: regexp "a(b": missing ) at offset 1`.
 */
bool regex_new(struct regex **re, const char *pattern, const char *what,
               enum prof_err_kind kind, struct prof_err *err);
void regex_free(struct regex *re); /* null is allowed */

/*
 * Whether RE2 accepts the pattern.  Also true for a pattern that regex_new()
 * refuses because it is too large for PCRE2.
 */
bool regex_check(const char *pattern, struct prof_err *err);

/* 1: the n bytes of text match; 0: they do not; -1: *err says why. */
int regex_match(struct regex *re, const char *text, size_t n,
                struct prof_err *err);

/* --- file names ----------------------------------------------------------- */

/*
 * File names in a profile are those of the machine that built the program.  To
 * find the files here, prefixes are removed by the rules of pprof's -trim_path
 * and -source_path (trimPath() in internal/report/source.go of
 * https://github.com/google/pprof).  `dirs` and `search` are lists of
 * directories separated by colons, or null.
 */

/*
 * Returns the next element of the list *list, sets *n to its length, and
 * advances *list.  At the end, returns null.  Elements may be empty: the list
 * "" has one element.
 */
const char *prof_next_dir(const char **list, size_t *n);

/*
 * Returns the length of the prefix to remove from name[0 .. len), the first of
 * these that applies:
 *   with `dirs`     the first of them that the name begins with
 *   without `dirs`  for the first directory of `search` whose last element is
 *                   also an element of the name: up to and including it.
 *                   /home/me/proj removes /build/proj/ of /build/proj/a.c
 *   otherwise       /proc/self/cwd/./ or /proc/self/cwd/
 */
size_t prof_trim_path(const char *name, size_t len, const char *dirs,
                      const char *search);

/* --- messages ------------------------------------------------------------- */

/*
 * Appends the message data[0 .. n) in protobuf's text format, as protoc
 * --decode does, whether or not it is a valid profile.  PROF_ERR_INPUT where
 * it is not a message.
 */
bool prof_put_textproto(struct buf *to, const uint8_t *data, size_t n,
                        struct prof_err *err);

#endif
