/*
 * profile.h - reads, builds, merges, filters and checks profiles
 *
 * A library for profiles in the format of pprof, profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 * pkg-config names the libraries it needs; see profile(3) and examples/c.
 *
 *      struct prof_err err;
 *      struct profile *p = prof_read_fd(0, NULL, &err);
 *      if (!p)
 *          errx(1, "%s", err.text);
 *      for (size_t i = 0; i < prof_count(p).samples; i++)
 *          total += prof_get_sample(p, i).values[0];
 *      prof_delete(p);
 *
 * Sections, from simple to advanced:
 *   version, errors, strings, the model, making, reading, writing, walking,
 *   editing, merging, values and detail, filters, estimated stacks, checks
 *
 * Rules for all functions:
 *   names      begin with prof_ or PROF_
 *   failures   the function returns false, or null, and sets *err
 *   output     nothing is printed, and no function ends the process
 *   threads    no globals; a profile, merger or filter is for one at a time
 *   ownership  what is made by prof_X_new() is freed by prof_X_free();
 *              what a function returns a pointer into is not owned, and valid
 *              until the profile changes
 *   arguments  of functions that change a profile must not point into it
 *
 * The interface may change with every release before version 1.0.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- version -------------------------------------------------------------- */

/* MAJOR * 10000 + MINOR * 100 + PATCH: of this header, and of the library. */
#define PROF_VERSION 100
int prof_version(void);

/* --- errors and notes ----------------------------------------------------- */

/* The values are the exit statuses of the tools of profutils(7). */
enum prof_err_kind {
    PROF_ERR_NONE = 0,
    PROF_ERR_ANSWER_NO = 1, /* tools: nothing matched, a check failed */
    PROF_ERR_USAGE = 2,     /* an argument of the caller is invalid */
    PROF_ERR_INPUT = 3,     /* an input is not what it should be */
    PROF_ERR_SYSTEM = 4,    /* input/output, memory, threads */
    PROF_ERR_PARTIAL = 5,   /* tools: written without some inputs */
};

#define PROF_ERR_TEXT_MAX 1024

/* Why a function failed.  The text gives the offset in the decompressed input
 * and the reason; the caller adds the name of the file. */
struct prof_err {
    enum prof_err_kind kind;
    int about;                    /* private */
    char text[PROF_ERR_TEXT_MAX]; /* NUL-terminated, cut if longer */
};

enum prof_note_level {
    PROF_NOTE_INFO, /* what was inferred, or skipped by design */
    PROF_NOTE_WARN, /* odd, but the result lacks nothing */
    PROF_NOTE_LOSS, /* a part of the input is missing from the result */
};

/* Receives notes, which are not failures.  A null pointer discards them. */
struct prof_notes {
    void (*say)(void *ctx, enum prof_note_level level, const char *text);
    void *ctx;
    /* False, with *err set, if a loss was noted and is an error to the caller;
     * or null: losses are not errors. */
    bool (*check)(void *ctx, struct prof_err *err);
};

/* --- strings -------------------------------------------------------------- */

/* Bytes with a length, owned by somebody else.  They may contain NUL. */
struct prof_slice {
    const char *s;
    size_t n;
};

/* --- the model ------------------------------------------------------------ */

/*
 * A profile has samples.  A sample is a stack of locations, a value for each
 * sample type, and a set of labels.  Entities refer to each other by index,
 * from 0 in the order in which they were added, and to strings by id:
 *
 *   entity      refers to
 *   sample      locations (frames, leaf first), a label set
 *   location    a mapping; functions, by its lines, the innermost first: a
 *               location of inlined functions has several lines
 *   function    strings
 *   mapping     strings
 *   label set   strings; 0 is the empty set, and equal sets have one index
 *
 * String 0 is "".  Equal strings have equal ids.
 *
 * Units: addresses and sizes in bytes, time_nanos since 1970.  An `id` is that
 * of the file that the entity was read from (0: none), for printing only.
 */
struct profile;

/* "No mapping", "no function". */
#define PROF_NONE UINT32_MAX

struct prof_value_type {
    uint32_t type, unit; /* string ids */
};

struct prof_mapping {
    uint64_t id;
    uint64_t start, limit, offset; /* limit is exclusive */
    uint32_t filename, build_id;   /* string ids */
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct prof_function {
    uint64_t id;
    int64_t start_line;
    uint32_t name, system_name, filename; /* string ids */
};

struct prof_line {
    int64_t line, column; /* 0: unknown */
    uint32_t function;    /* index or PROF_NONE */
};

struct prof_location {
    uint64_t id;
    uint64_t address;
    uint32_t mapping;           /* index or PROF_NONE */
    uint32_t line_off, n_lines; /* set by the library: prof_get_lines() */
    bool is_folded;
};

/* A label is a string label when str is not 0, else a number. */
struct prof_label {
    int64_t num;
    uint32_t key, str, unit; /* string ids; unit goes with num */
};

struct prof_sample {
    const uint32_t *frames; /* indices of locations, leaf first */
    size_t n_frames;
    const int64_t *values; /* one for each type */
    uint32_t labelset;
};

struct prof_header {
    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regular expressions */
    uint32_t default_sample_type;      /* string id of the name of a type */
    uint32_t doc_url;                  /* string id */
};

struct prof_counts { /* frames: those stored, without shared ones */
    size_t samples, frames, locations, lines, functions, mappings;
    size_t types, labelsets, comments, strings;
};

/* --- making --------------------------------------------------------------- */

/* Returns an empty profile, for prof_delete(); null when memory is out. */
struct profile *prof_new(struct prof_err *err);
void prof_delete(struct profile *p); /* null is allowed */

/* Makes room for this many entities in total, so that adding them does not
 * reallocate; types to strings are ignored.  It is not a limit. */
bool prof_reserve(struct profile *p, const struct prof_counts *counts,
                  struct prof_err *err);

/* Set *id to that of a NUL-terminated string, or of n bytes, added if new. */
bool prof_str(struct profile *p, const char *s, uint32_t *id,
              struct prof_err *err);
bool prof_strn(struct profile *p, const char *s, size_t n, uint32_t *id,
               struct prof_err *err);

/* Each function appends one entity as given, without looking for an equal one,
 * and stores its index in *index unless that is null.  PROF_ERR_INPUT: a value
 * type after samples; an invalid frame or label set of a sample, mapping or
 * function of a location.  Other indices are not checked and must be valid. */
bool prof_add_type(struct profile *p, const char *type, const char *unit,
                   struct prof_err *err);
bool prof_add_type_id(struct profile *p, struct prof_value_type vt,
                      struct prof_err *err);
bool prof_add_mapping(struct profile *p, const struct prof_mapping *m,
                      uint32_t *index, struct prof_err *err);
bool prof_add_function(struct profile *p, const struct prof_function *f,
                       uint32_t *index, struct prof_err *err);
/* Copies lines[0 .. n); ignores line_off and n_lines of *l. */
bool prof_add_location(struct profile *p, const struct prof_location *l,
                       const struct prof_line *lines, size_t n, uint32_t *index,
                       struct prof_err *err);
/* frames leaf first; a value for each type, or null: all are 0.  After
 * prof_reserve(), long rows of zeros take no memory. */
bool prof_add_sample(struct profile *p, const uint32_t *frames, size_t n,
                     const int64_t *values, uint32_t labelset,
                     struct prof_err *err);
/* Replaces all samples by n stacks, frames[frame_off[i] .. frame_off[i + 1]),
 * without values and labels.  Takes over both arrays, of malloc(), if true. */
bool prof_move_stacks(struct profile *p, size_t n, uint64_t *frame_off,
                      uint32_t *frames, struct prof_err *err);
bool prof_add_comment(struct profile *p, const char *text,
                      struct prof_err *err);
bool prof_add_comment_id(struct profile *p, uint32_t id, struct prof_err *err);
/* Adds a comment, if it is new, to a profile whose comments are sorted. */
bool prof_put_comment(struct profile *p, const char *s, struct prof_err *err);

/* Sets *set to the set of these n labels, added if new.  Sorts labels[]. */
bool prof_labelset(struct profile *p, struct prof_label *labels, size_t n,
                   uint32_t *set, struct prof_err *err);

/* Maps find entities that were added before.  Zero-initialise them; each
 * belongs to one profile, a prof_namemap to one mapping of it.  Fields are
 * private. */
struct prof_functionmap {
    uint64_t *slot;
    size_t n, n_slots;
};
struct prof_locmap {
    struct prof_locmap_slot *slots;
    size_t n, n_slots;
    uint64_t seed;
};
struct prof_namemap {
    uint32_t *row;
    size_t n, cap;
};

/* Sets *index to the function like *f (but for the id), added to *p if new. */
bool prof_function_get(struct prof_functionmap *map, struct profile *p,
                       const struct prof_function *f, uint32_t *index,
                       struct prof_err *err);
/* Sets *location to that at `address` in `mapping` (or PROF_NONE), added to *p
 * without lines if new. */
bool prof_locmap_get(struct prof_locmap *map, struct profile *p,
                     uint32_t mapping, uint64_t address, uint32_t *location,
                     struct prof_err *err);
/* Sets *location to that with this name, added to *p in `mapping` (or
 * PROF_NONE) if new.  It has one line, whose function has this name (as linkage
 * name too), or, if the name is empty, no lines. */
bool prof_namemap_get(struct prof_namemap *map, struct profile *p,
                      uint32_t mapping, struct prof_slice name,
                      uint32_t *location, struct prof_err *err);
void prof_functionmap_free(struct prof_functionmap *map);
void prof_locmap_free(struct prof_locmap *map);
void prof_namemap_free(struct prof_namemap *map);

/* --- reading -------------------------------------------------------------- */

/* Null stands for all 0. */
struct prof_decode_opts {
    uint64_t max_size; /* of the decompressed message in bytes; 0: no limit */
    unsigned threads;  /* that may share a message of several MiB */
    bool discard;      /* release pages of data[], which is then undefined */
    const struct prof_notes *notes;
    bool plain;                 /* data[] is not compressed */
    struct prof_blocks *blocks; /* private: wire/pb.h; or null */
    const char *name; /* of the input, for prof_merge_opts.left_out; or null */
    /* Null, or changes a profile before prof_merge_decode() adds it. */
    bool (*edit)(void *ctx, struct profile *p, struct prof_err *err);
    void *ctx;
};

/* Decodes a message, data[0 .. n), which may be compressed by gzip: all members
 * together are one message.  Fields may have any order, be packed or not, or
 * unknown.  PROF_ERR_INPUT: it is cut short, exceeds max_size, refers to what
 * does not exist, or is several profiles.  The bytes may then be freed. */
struct profile *prof_decode(const void *data, size_t n,
                            const struct prof_decode_opts *opts,
                            struct prof_err *err);
/* The same from a file descriptor, which is read to its end. */
struct profile *prof_read_fd(int fd, const struct prof_decode_opts *opts,
                             struct prof_err *err);

/* Whether the n bytes may be the beginning of a longer message that is not
 * compressed; if false, *err is what prof_decode() would set. */
bool prof_may_begin(const void *data, size_t n, struct prof_err *err);

/* --- writing -------------------------------------------------------------- */

/* Encodes the profile as a message, compressed by gzip at level 1 to 9; 0: not
 * compressed.  The caller frees *data with free().  Entities keep their order,
 * so that equal profiles give equal bytes with the same version of zlib. */
bool prof_encode(const struct profile *p, int level, void **data, size_t *n,
                 struct prof_err *err);
/* The same to a file descriptor. */
bool prof_write_fd(const struct profile *p, int level, int fd,
                   struct prof_err *err);

/* Encodes the message in pieces of about 1 MiB, not compressed, which several
 * threads can make at once.  *p must not change before prof_encoder_free(). */
struct prof_encoder *prof_encoder_new(const struct profile *p,
                                      struct prof_err *err);
void prof_encoder_free(struct prof_encoder *e);           /* null is allowed */
size_t prof_encoder_pieces(const struct prof_encoder *e); /* at least 1 */
uint64_t prof_encoder_size(const struct prof_encoder *e); /* about, in bytes */

/* A buffer of `room` bytes from malloc(), n of them in use; it grows. */
struct prof_bytes {
    unsigned char *v;
    size_t n, room;
};
/* Appends a piece, from 0, to *to. */
bool prof_encoder_piece(const struct prof_encoder *e, size_t piece,
                        struct prof_bytes *to, struct prof_err *err);

/* --- walking -------------------------------------------------------------- */

struct prof_counts prof_count(const struct profile *p);

/* Arguments must be valid: an index is below the count of its entity, an id is
 * that of a string of *p. */
struct prof_header prof_get_header(const struct profile *p);
struct prof_value_type prof_get_type(const struct profile *p, size_t i);
struct prof_mapping prof_get_mapping(const struct profile *p, size_t i);
struct prof_function prof_get_function(const struct profile *p, size_t i);
struct prof_location prof_get_location(const struct profile *p, size_t i);
struct prof_sample prof_get_sample(const struct profile *p, size_t i);
uint32_t prof_get_comment(const struct profile *p, size_t i); /* string id */

/* Return the lines of a location, the innermost first, and the labels of a set;
 * null if there are none.  They set *n to the number. */
const struct prof_line *prof_get_lines(const struct profile *p, size_t location,
                                       size_t *n);
const struct prof_label *prof_get_labels(const struct profile *p,
                                         size_t labelset, size_t *n);

/* Returns a string: bytes with a length, followed by a NUL. */
struct prof_slice prof_get_string(const struct profile *p, uint32_t id);
/* The same for interfaces that take a C string: "" if it contains NUL. */
const char *prof_plain(const struct profile *p, uint32_t id);

/* Returns the length of a symbol without what GCC and LLVM append for copies
 * and parts of a function: "f" of "f.isra.0", "f.part.0.cold"; all of "a.b". */
size_t prof_base_length(struct prof_slice symbol);

/* Returns the index of the value type with this name, or -1. */
int prof_find_type(const struct profile *p, const char *type);
/* Returns that of default_sample_type, or else of the last type; or -1. */
int prof_default_type(const struct profile *p);

/* --- editing -------------------------------------------------------------- */

void prof_set_header(struct profile *p, const struct prof_header *header);
void prof_set_type(struct profile *p, size_t i, struct prof_value_type vt);
void prof_set_mapping(struct profile *p, size_t i,
                      const struct prof_mapping *m);
void prof_set_function(struct profile *p, size_t i,
                       const struct prof_function *f);
/* Keeps the lines of the location. */
void prof_set_location(struct profile *p, size_t i,
                       const struct prof_location *l);
/* Replaces the lines of a location by copies. */
bool prof_set_lines(struct profile *p, size_t location,
                    const struct prof_line *lines, size_t n,
                    struct prof_err *err);
void prof_set_labelset(struct profile *p, size_t sample, uint32_t labelset);
/* Sets a string label of all samples, in place of labels with the same key. */
bool prof_set_label(struct profile *p, const char *key, const char *value,
                    struct prof_err *err);
/* Returns the values of a sample, to change in place; null without types. */
int64_t *prof_edit_values(struct profile *p, size_t sample);

/* Calls fn with the stack of each sample.  It may change frames[0 .. n), leaf
 * first, and returns how many of them the stack keeps, at most n. */
typedef size_t prof_stack_fn(void *ctx, uint32_t *frames, size_t n);
void prof_edit_stacks(struct profile *p, prof_stack_fn *fn, void *ctx);

/* --- merging -------------------------------------------------------------- */

/*
 * A merger adds up profiles: samples with the same stack and labels become one.
 * The result is canonical: it depends only on the multiset of samples and
 * headers that were added, not on their order, on earlier merges of some, on
 * ids and the order of tables, on threads, or on temporary files.  Merging one
 * canonical profile gives it back.
 *
 * Identity: entities are the same if they agree in
 *   function  name, system name, file, start line
 *   mapping   build id (or else file name), offset, size rounded up to 4 KiB;
 *             without build id and file name also the start, unless the
 *             mapping covers all addresses
 *   location  mapping, address within it, lines with columns, is_folded
 *   sample    stack of locations, labels
 *
 * The same mapping at different addresses (address space randomization) becomes
 * one at the least start; addresses in it move along.
 *
 * Header: the earliest time, the sum of durations, the greatest period of the
 * least period type; sorted sets of comments and of the alternatives of
 * drop_frames and keep_frames; of other strings the least that is not empty.
 *
 * Samples with only values of 0 and unused entities are removed.  A sum beyond
 * 64 bits is PROF_ERR_INPUT and names the sample, whatever the order.
 */
struct prof_merger;

/* What to do about inputs whose sample types are not the same set. */
enum prof_merge_types {
    PROF_TYPES_SAME,      /* refuse, naming both sets */
    PROF_TYPES_UNION,     /* a missing type counts as 0 */
    PROF_TYPES_INTERSECT, /* keep only types that all inputs have */
};

/* Null stands for all 0. */
struct prof_merge_opts {
    enum prof_merge_types types;
    unsigned threads; /* that may add inputs at the same time */
    uint64_t memory;  /* limit of the process in bytes, from 16 MiB: beyond it
                         samples go to unlinked files in TMPDIR; 0: no limit */
    const char *only; /* skip inputs of types other than these, such as
                         "cpu/nanoseconds,samples" */
    /* Inputs whose types differ are not refused but summed separately.  The
     * result is the sum of most inputs; left_out() is called for the others. */
    bool apart;
    void (*left_out)(void *ctx, const char *name, const struct prof_err *why);
    void *ctx;
    const struct prof_notes *notes;
};

struct prof_merger *prof_merge_new(const struct prof_merge_opts *opts,
                                   struct prof_err *err);
void prof_merge_free(struct prof_merger *m); /* null is allowed */

/* Each adds all samples of one profile.
 *   prof_merge_add()       copies what it needs; *p is unchanged
 *   prof_merge_subtract()  likewise, but subtracts the values
 *   prof_merge_take()      likewise, but may move the samples of *p, which the
 *                          caller then only frees: half the time and memory
 *   prof_merge_decode()    decodes a message and adds it: the fastest
 *
 * PROF_ERR_INPUT leaves the sum unchanged: the message is damaged, or its types
 * do not match.  After any other failure every further use of the sum fails. */
bool prof_merge_add(struct prof_merger *m, const struct profile *p,
                    struct prof_err *err);
bool prof_merge_subtract(struct prof_merger *m, const struct profile *p,
                         struct prof_err *err);
bool prof_merge_take(struct prof_merger *m, struct profile *p,
                     struct prof_err *err);
bool prof_merge_decode(struct prof_merger *m, const void *data, size_t n,
                       const struct prof_decode_opts *opts,
                       struct prof_err *err);

struct prof_merge_state {
    size_t inputs, skipped, estimated; /* added, skipped, with such stacks */
    uint64_t memory, disk; /* bytes of the sum, and most of temporary files */
    bool settled; /* which inputs it refuses no longer depends on their order */
    bool broken;  /* a failure has made it unusable */
};
struct prof_merge_state prof_merge_state(const struct prof_merger *m);

/* Moves samples to temporary files if the sum exceeds `most` bytes. */
bool prof_merge_spill(struct prof_merger *m, uint64_t most,
                      struct prof_err *err);

/* Null stands for all 0.  With keep_order, equal samples of a single input stay
 * apart; prof_merge_one() sums them at the first, and sorts no mappings. */
struct prof_result_opts {
    unsigned threads; /* that share the work */
    bool keep_order;  /* do not sort samples, except those on disk */
    bool to_write;    /* saves time: the caller only counts (prof_count()),
                         encodes and frees the result */
};

/* Returns the sum.  The merger is then only good for prof_merge_free(). */
struct profile *prof_merge_result(struct prof_merger *m,
                                  const struct prof_result_opts *opts,
                                  struct prof_err *err);
/* Replaces *p by its canonical form; after a failure *p is only to be freed. */
bool prof_merge_one(struct profile *p, const struct prof_result_opts *opts,
                    struct prof_err *err);

/* --- values and detail ---------------------------------------------------- */

/* Sets *index to the value type that `asked` is the name (with or without
 * inuse_) or index of; null or "": the default type.  PROF_ERR_USAGE if there
 * is none, PROF_ERR_INPUT when the profile has no types. */
bool prof_pick_type(const struct profile *p, const char *asked, size_t *index,
                    struct prof_err *err);
/* Keeps the value type with this index, which is then the only one. */
void prof_keep_type(struct profile *p, size_t index);
/* Keeps each value type i with keep[i], in their order; the default type stays
 * the default if it is one of them. */
void prof_keep_types(struct profile *p, const bool *keep);
/* Sets totals[] to the sum of each type's values; PROF_ERR_INPUT: overflow. */
bool prof_totals(const struct profile *p, int64_t *totals,
                 struct prof_err *err);

/* Divides the value with this index by the first one of the same sample, which
 * counts events, and keeps only the quotient, rounded towards zero; where the
 * count is 0, the value stays.  The type is renamed mean_TYPE. */
bool prof_mean(struct profile *p, size_t index, struct prof_err *err);
/* Multiplies values by the double 1 / divisor (> 0), and truncates them. */
bool prof_divide(struct profile *p, double divisor, struct prof_err *err);
/* As pprof's -normalize: scales each type to its total in *base. */
bool prof_normalize(struct profile *p, const struct profile *base,
                    struct prof_err *err);

/* A factor num / den, den > 0.  Products are rounded, halves away from 0. */
struct prof_ratio {
    int64_t num, den;
};
/* Parses a decimal number such as "3" or "-0.25", of at most 18 digits. */
bool prof_ratio_parse(const char *text, struct prof_ratio *ratio);
/* Multiplies every value by the ratio; on failure *p is only to be freed. */
bool prof_scale(struct profile *p, struct prof_ratio ratio,
                struct prof_err *err);

/* What is kept besides mappings, as by pprof's options of these names.  Columns
 * are kept with addresses unless no_inlines, and with lines if show_columns. */
enum prof_granularity {
    PROF_ADDRESSES,     /* everything */
    PROF_LINES,         /* all but addresses */
    PROF_FUNCTIONS,     /* names of functions */
    PROF_FILEFUNCTIONS, /* these and files */
    PROF_FILES,
    PROF_BINARIES, /* a function for each mapping, named after its file */
};

struct prof_detail {
    enum prof_granularity granularity;
    bool no_inlines; /* keep only the outermost line of a location */
    bool show_columns, strip_paths; /* keep columns; only base names of files */
    /* Functions keep their start lines at any granularity, as in pprof, whose
     * -files rows differ by them.  Otherwise they go with the lines. */
    bool keep_start_lines;
};

/* Clears in place what is not kept.  Equal locations stay until a merge. */
bool prof_aggregate(struct profile *p, const struct prof_detail *detail,
                    struct prof_err *err);
/* Removes prefixes of file names as pprof's -trim_path and -source_path, lists
 * of directories separated by colons, or null. */
bool prof_trim_paths(struct profile *p, const char *dirs, const char *search,
                     struct prof_err *err);

/* --- filters -------------------------------------------------------------- */

/* Strings are regular expressions in the syntax of RE2
 * (https://github.com/google/re2/wiki/Syntax) unless said; null: not given.
 * PCRE2 is loaded when one is given.  The filters apply in a fixed order:
 * drop_frames; tagroot, tagleaf; focus, ignore, hide, show; show_from;
 * tagfocus, tagignore; tagshow, taghide; prune_from; what is dropped. */
struct prof_filter_opts {
    const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
    bool prune;              /* apply the profile's drop_frames */
    const char *drop_frames; /* instead of the profile's; implies prune */
    const char *keep_frames; /* instead of the profile's */
    const char *tagfocus, *tagignore; /* [KEY=]RANGE or [KEY=]RE,... */
    const char *tagshow, *taghide;    /* of label keys */
    const char *tagroot, *tagleaf;    /* label keys, KEY,... */
    const char *unit;                 /* of tagroot's numbers: "minimum" */
    bool drop_labels, drop_comments;
    unsigned threads; /* that may be used; the result is the same */
    /* Dropped samples may stay, with values of 0, where that is less work: for
     * callers that merge the profile next. */
    bool zero;
};

/* Filters *p in place; after a failure it is only to be freed.  PROF_ERR_USAGE
 * names the option and the fault; no match is a PROF_NOTE_WARN. */
bool prof_filter(struct profile *p, const struct prof_filter_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err);

/* The same in two steps: mistakes in expressions are found before any input is
 * read.  Strings of *opts must outlive the filter. */
struct prof_filter *prof_filter_new(const struct prof_filter_opts *opts,
                                    struct prof_err *err);
void prof_filter_free(struct prof_filter *f); /* null is allowed */
bool prof_filter_run(struct prof_filter *f, struct profile *p,
                     const struct prof_notes *notes, struct prof_err *err);

/* Whether a mapping (PROF_NONE: no) is the library of an allocator, by its file
 * name, such as "/usr/lib/libtcmalloc_minimal.so.4". */
bool prof_is_allocator(const struct profile *p, uint32_t mapping);
/* Sets *yes to whether *p has one, and valid drop_frames that match malloc. */
bool prof_drops_allocators(const struct profile *p, bool *yes,
                           struct prof_err *err);
/* If so, drops the frames at the leaf of each stack that are in such a library,
 * unless drop_frames match the outermost of them, or no frame would remain. */
bool prof_prune_allocators(struct profile *p, struct prof_err *err);

/* 1: a regular expression matches the text; *group is what its first group
 * matches; without one, all of it.  0: no match, or not UTF-8; -1: failure. */
int prof_regex_group(const char *pattern, struct prof_slice text,
                     struct prof_slice *group, struct prof_err *err);
/* Sets text to the version of PCRE2, which it loads. */
bool prof_regex_version(char text[64], struct prof_err *err);

/* --- estimated stacks ----------------------------------------------------- */

enum { PROF_MAX_STACKS = 100000 }; /* the default of max_stacks */

struct prof_estimate_opts {
    uint64_t max_stacks; /* from 1; the number of leaf samples if greater */
    /* Known to be measured data, which is left as it is without calls or names.
     * If false, missing calls are a warning, missing names PROF_ERR_INPUT. */
    bool known;
    bool to_write; /* as in prof_result_opts */
    const struct prof_notes *notes;
};

/* Replaces leaf samples and call counts, as gmon2pb --flat writes them, by
 * samples with call stacks: gprof's model, which divides the time of a function
 * among its callers in proportion to their calls.  gmon2pb(1) describes it.
 * PROF_ERR_INPUT when *p has stacks already, or a sum exceeds 64 bits; *p is
 * then only to be freed. */
bool prof_estimate(struct profile *p, const struct prof_estimate_opts *opts,
                   struct prof_err *err);

/* --- checks --------------------------------------------------------------- */

enum prof_severity {
    PROF_WARNING, /* readers accept it, but data is lost or misleading */
    PROF_ERROR,   /* readers refuse the profile, or misread it */
};

/* Numbers may change.  The first are about the file around the message. */
enum {
    PROF_RULE_EMPTY,
    PROF_RULE_NOT_A_PROFILE,
    PROF_RULE_DAMAGED,
    PROF_RULE_TRAILING_DATA,
    PROF_RULES = 41 /* how many there are */
};

struct prof_rule {
    const char *name; /* "dangling-location"; names do not change */
    enum prof_severity severity;
    bool pprof_refuses;  /* `go tool pprof` does not read it */
    const char *meaning; /* a sentence about a valid profile */
    const char *remedy;  /* how prof_repair() repairs a violation; or null */
};
const struct prof_rule *prof_get_rule(size_t rule);

/* A violation of a rule, and its place.  Texts are valid during the call. */
struct prof_finding {
    size_t rule;
    const char *text;   /* the violation, with names escaped */
    const char *place;  /* "offset 9: location 2 (id 5), line 0, function_id" */
    const char *entity; /* "location"; "file" or "profile": the whole */
    size_t index;       /* among entities of its kind, or SIZE_MAX */
    uint64_t id;        /* 0: none */
    const char *part;   /* "line", "label" ... of the entity, or null */
    size_t part_index;
    const char *field; /* name in profile.proto, or null */
    size_t offset;     /* in the decompressed message, or SIZE_MAX */
};

struct prof_check_opts {
    uint64_t most; /* findings reported for each rule; 0: all */
    /* False, with *err set, ends the check.  Null: they are only counted. */
    bool (*report)(void *ctx, const struct prof_finding *finding,
                   struct prof_err *err);
    void *ctx;
};

struct prof_check_counts {
    uint64_t errors, warnings; /* all, reported or not */
    uint64_t of[PROF_RULES];
};

/* Checks a decompressed message, damaged or not; adds to *counts. */
bool prof_check(const void *data, size_t n, const struct prof_check_opts *opts,
                struct prof_check_counts *counts, struct prof_err *err);

/* Whether the first fields are those of a profile, damaged or not; and whether
 * all bytes are fields of a message, of whatever kind. */
bool prof_begins(const uint8_t *data, size_t n);
bool prof_is_message(const uint8_t *data, size_t n);

/* The start of a comment that says what a conversion lost: a warning. */
#define PROF_INCOMPLETE "incomplete: "

/* Makes a valid profile of all that can be read and is consistent in a message;
 * PROF_NOTE_LOSS counts each repair and says what was lost. */
struct profile *prof_repair(const void *data, size_t n,
                            const struct prof_notes *notes,
                            struct prof_err *err);

#ifdef __cplusplus
}
#endif

#endif
