/*
 * columns.h - what reports see of profiles beyond profile.h
 *
 * The model is that of pprof's profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto), held in
 * flat arrays.  Entities (functions, mappings, locations, label sets) refer to
 * each other by index and to strings by id; nothing is allocated per sample.
 * Filters and reports are loops over these arrays, and work that depends on a
 * name is done once per string or function, never once per frame.
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
 *                               location indices, leaf first
 *                               values[s * n_types ..]: one for each type
 *                               labelset[s]: its label set
 *
 * A frame is here an element of frames[]: the index of a location of a stack.
 * A line of a location, which reports call a frame, is a line.
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
 * Sections: columns, strings, kinds of strings, labels and totals, units, order
 * of samples, filters, regular expressions, file names, messages
 */
#ifndef PROFUTILS_PROFILE_COLUMNS_H
#define PROFUTILS_PROFILE_COLUMNS_H

#include "base/buf.h"
#include "base/slice.h"
#include "base/strtab.h"
#include "profile.h"

/* --- columns -------------------------------------------------------------- */

/*
 * Another order of a profile's samples, and other numbers of its locations.
 *
 * A merge makes a profile and a layout, so that it need not move samples and
 * frames, which are most of a profile.  prof_encoder_new() encodes the profile
 * as the layout describes it; prof_apply_layout() applies the layout to the
 * profile.
 *
 *   order   n_order indices: sample i is in the profile at order[i].  An index
 *           occurs at most once; samples whose index is missing do not count.
 *           null: all samples in the order of the profile
 *   number  n_number indices: a frame f stands for location number[f]
 *           null: for location f
 *
 * A zeroed layout changes nothing.
 */
struct prof_layout {
    const uint32_t *order;
    size_t n_order;
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
    uint32_t *labelset_slot; /* hash of the sets; private */
    size_t n_labelset_slots;

    size_t n_samples;
    uint64_t *frame_off; /* n_samples + 1 */
    size_t cap_frame_off;
    uint32_t *frames;
    size_t n_frames, cap_frames;
    int64_t *values; /* n_samples * n_types */
    size_t cap_values;
    uint32_t *labelset;
    size_t cap_labelset;
    struct prof_store *store;   /* of these columns; null: the heap */
    size_t zero_from, zero_end; /* of values[] beyond the samples: all 0 */

    uint32_t *comments; /* string ids, in file order */
    size_t n_comments, cap_comments;

    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regexps */
    uint32_t default_sample_type;      /* string id of a type's name */
    uint32_t doc_url;                  /* string id */

    /* Of a result that is only to be written, else zeroed.  An encoder
     * and prof_count() apply it; nothing else may be done with the samples. */
    struct prof_layout layout;
};

/* An empty profile.  On failure *p is safe to prof_free(). */
bool prof_init(struct profile *p, struct prof_err *err);
void prof_free(struct profile *p);

/* The seed for hash tables of this profile's ids and indices. */
static inline uint64_t prof_seed(const struct profile *p)
{
    return p->strings.seed;
}

/*
 * Applies a layout: removes and reorders samples, and renumbers frames.  The
 * layout must not be used with *p again.  Copies nothing if the order is
 * ascending and the samples are not in a store; samples in a store are copied
 * to the heap.  On failure *p is only good for prof_free().
 */
bool prof_apply_layout(struct profile *p, const struct prof_layout *layout,
                       struct prof_err *err);

static inline size_t prof_depth(const struct profile *p, size_t sample)
{
    return (size_t)(p->frame_off[sample + 1] - p->frame_off[sample]);
}

static inline const uint32_t *prof_stack(const struct profile *p, size_t sample)
{
    return p->frames + p->frame_off[sample];
}

/* Whether all values of sample s are 0, or there are none. */
static inline bool prof_sample_is_zero(const struct profile *p, size_t s)
{
    const int64_t *values = p->values + s * p->n_types;
    for (size_t i = 0; i < p->n_types; i++)
        if (values[i])
            return false;
    return true;
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

/* The id in *to of string `id` of *from; interned. */
bool prof_copy_text(struct profile *to, const struct profile *from, uint32_t id,
                    uint32_t *copy, struct prof_err *err);

/*
 * The id of the text that shows a string on one line (utf8_put_line()), which
 * is the string itself where nothing in it has to be escaped; interned.
 */
bool prof_shown_id(struct profile *p, uint32_t id, uint32_t *shown,
                   struct prof_err *err);

/*
 * A string for a message: each NUL is \x00, and "..." ends what is too long.
 * The text lasts as long as the expression that it is called in.
 */
struct prof_shown {
    char text[256];
};
struct prof_shown prof_show(const struct profile *p, uint32_t id);

/* "cpu/nanoseconds" */
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
 * Calls fn with every place that refers to a string, which may be "" and may
 * be changed; `index` is that of the function, mapping, label, comment or type.
 * Returns false when fn does.  After changes of label keys, call
 * prof_sort_labels().
 */
typedef bool prof_string_fn(void *ctx, enum prof_string_kind kind, size_t index,
                            uint32_t *id);
bool prof_visit_strings(struct profile *p, prof_string_fn *fn, void *ctx);

/* Makes label sets whose strings were changed what prof_labelset() makes. */
bool prof_sort_labels(struct profile *p, struct prof_err *err);

/* --- labels and totals ---------------------------------------------------- */

/*
 * The unit of each numeric label.
 *
 * profile.proto lets every number have its own unit, or none.  As in pprof
 * there is one unit per key: the first in the order of samples, else "bytes"
 * for the keys alignment and request, else the key itself.
 *
 * Sets *unit to a malloc'ed array of string ids, indexed by the string id of
 * the key; 0 for keys that no sample has a number of.  Warns of keys with
 * several units.  A unit with a NUL is replaced by the text that shows it, so
 * that all are C strings.  May add strings.
 */
bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct prof_notes *notes, struct prof_err *err);

/*
 * The type that counts the samples which values of `type` stand for: itself, or
 * the one before it.  -1: values are not known to be made of samples.
 */
int prof_count_type(const struct profile *p, size_t type);

/* Sets *total to the sum of a type's values.  False if it overflows. */
bool prof_total(const struct profile *p, size_t type, int64_t *total);

/* --- units ---------------------------------------------------------------- */

/*
 * Memory (powers of 1024, printed as B kB MB GB TB PB), time (ns to hour,
 * printed as ns us ms s hrs) and GCU cycles are scaled among each other; any
 * other unit is only itself.  Names are matched as pprof matches them
 * (case-insensitive, plurals, aliases: internal/measurement of
 * https://github.com/google/pprof).
 */

/* Room for any text that measure_label() makes of units up to 40 bytes. */
#define MEASURE_TEXT 96

/*
 * `value` of unit `from` expressed in unit `to`.  `to` may also be "auto"
 * (a unit that suits this value) or "minimum".  *unit is the name of the
 * unit of the result: a static string, or `from`/`to` itself.
 */
double measure_scale(int64_t value, const char *from, const char *to,
                     const char **unit);

/*
 * The value with its unit as pprof prints it ("1.50MB", "10ms", "0"),
 * cut to n bytes with a NUL; returns text.
 */
char *measure_label(char *text, size_t n, int64_t value, const char *from,
                    const char *to);

/* Two units that were looked up, for many values. */
struct measure {
    const char *from, *to; /* not owned */
    /* Private. */
    const struct measure_family *family; /* of both; null: they do not scale */
    const struct measure_unit *unit;     /* null: what suits the value */
    double factor;
};

void measure_init(struct measure *m, const char *from, const char *to);

/*
 * What measure_label() says of the value, in text[0 .. n), n > 0; returns its
 * length without the NUL.
 */
size_t measure_put(const struct measure *m, int64_t value, char *text,
                   size_t n);

/* "12.34%", " 5.10%", "  100%", "    0%": pprof's percentage column. */
char *measure_percent(char *text, size_t n, int64_t value, int64_t total);

/* True when values of the two units can be scaled into each other. */
bool measure_compatible(const char *unit1, const char *unit2);

/* --- order of samples ----------------------------------------------------- */

/*
 * Samples are compared from the root by the ranks of their frames, a stack
 * before those that go on from it, and samples of one stack by the ranks of
 * their label sets.
 */

/* What samples are sorted by.  The columns may be a part of a profile's. */
struct sample_order {
    const uint64_t *frame_off;
    const uint32_t *frames;   /* leaf first */
    const uint32_t *rank;     /* by frame; null: frames are ranks */
    const uint32_t *labelset; /* null: labels do not count */
    const uint32_t *set_rank; /* by label set; null: sets are ranks */
    uint32_t n_ranks;         /* all ranks are below */
    unsigned threads;
};

/*
 * The order of two stacks, leaf first, of m and n frames, compared from the
 * root: below, at or above 0.  rank may be null.
 */
static inline int sample_order_stacks(const uint32_t *rank, const uint32_t *a,
                                      size_t m, const uint32_t *b, size_t n)
{
    while (m && n && a[m - 1] == b[n - 1])
        m--, n--;
    if (!m || !n)
        return m ? 1 : n ? -1 : 0;
    uint32_t x = a[m - 1], y = b[n - 1];
    return (rank ? rank[x] < rank[y] : x < y) ? -1 : 1;
}

/* The same for samples a and b; of equal stacks, by label set. */
int sample_order_cmp(const struct sample_order *o, uint32_t a, uint32_t b);

/*
 * Sorts samples[0 .. n), indices; equal ones keep their order, and *equal says
 * whether there are any.
 */
bool sample_order_sort(const struct sample_order *o, uint32_t *samples,
                       size_t n, bool *equal, struct prof_err *err);

/* --- filters -------------------------------------------------------------- */

/*
 * The steps of prof_filter_run(): prof_filter_prepare() applies drop_frames,
 * tagroot and tagleaf, prof_filter_apply() the rest.  Percentages of all
 * samples are of the total between the two.
 */
bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err);
bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err);

/* The options that it was made with. */
const struct prof_filter_opts *prof_filter_options(const struct prof_filter *f);

/* Removes the frames that the profile's own drop_frames names, if any. */
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
 * Compiles a pattern.  *re is null on failure.  Errors of the pattern, here
 * and in regex_match(), are of this kind and begin with `what`, as "--focus",
 * unless it is null: `--focus: regexp "a(b": missing ) at offset 1`, offsets
 * in bytes from 0.  `what` is not copied.
 */
bool regex_new(struct regex **re, const char *pattern, const char *what,
               enum prof_err_kind kind, struct prof_err *err);
void regex_free(struct regex *re); /* null is allowed */

/*
 * Whether it is an expression of RE2's at all: also one that regex_new()
 * refuses because PCRE2 cannot compile so much.
 */
bool regex_check(const char *pattern, struct prof_err *err);

/* 1: the n bytes of text match; 0: they do not; -1: *err says why. */
int regex_match(struct regex *re, const char *text, size_t n,
                struct prof_err *err);

/* --- file names ----------------------------------------------------------- */

/*
 * Prefixes of file names, by the rules of pprof's -trim_path and -source_path
 * (trimPath() in internal/report/source.go of
 * https://github.com/google/pprof): files are found on this machine by names
 * of the machine that built the program.  `dirs` and `search` are lists of
 * directories separated by colons, or null.
 */

/*
 * Returns the next element of the list at *list, its length in *n, and
 * advances *list; null, and *list null, at the end.  Elements may be empty: ""
 * is one.
 */
const char *prof_next_dir(const char **list, size_t *n);

/*
 * The length of the prefix to remove from name[0 .. len):
 *   with `dirs`     the first of them that the name begins with
 *   without `dirs`  up to and including the last part of the first directory
 *                   of `search` whose last part is a directory in the name:
 *                   /home/me/proj finds proj/a.c in /build/proj/a.c
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
