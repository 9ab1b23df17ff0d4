/*
 * privacy.h - replaces the names of a profile by pseudonyms, and restores them
 *
 *      struct pseudonyms *all = pseudonyms_new(&opts, err);
 *      struct anonymizer *a = anonymizer_new(all, err);   one for each thread
 *      ok = anonymize(a, p, err);                         of many profiles
 *      anonymizer_free(a);
 *      pseudonyms_report(all, notes);
 *      ok = pseudonyms_write(all, sink, err);             the map
 *
 * A pseudonym depends on the key, the kind of the name and the name, and on
 * nothing else: it is the beginning of HMAC-SHA-256(key, KIND NUL NAME), where
 * KIND is the first column below, in base32 (RFC 4648), lower case, without
 * padding.
 *
 *   function      fn_ and 16 characters; a suffix of copies (.cold) stays
 *   file          file_ and 16 characters
 *   binary        bin_ and 16 characters
 *   build_id      40 hexadecimal digits
 *   label_key     key_ and 16 characters
 *   label_value   val_ and 16 characters
 *
 * So merging anonymized profiles gives the same as anonymizing their merge,
 * except where a merge has to choose between two names.
 */
#ifndef PROFUTILS_PRIVACY_PRIVACY_H
#define PROFUTILS_PRIVACY_PRIVACY_H

#include "base/buf.h"
#include "base/library.h"
#include "profile.h"

/* Bytes of a key. */
enum { PRIVACY_KEY_MIN = 16, PRIVACY_KEY_MAX = 4096 };

struct pseudonyms_opts {
    const void *key; /* n_key bytes; copied */
    size_t n_key;
    const char *keep_names;    /* regular expression of names to keep, */
    const char *keep_mappings; /* .. of binaries whose functions to keep */
    bool map;                  /* collect the map for pseudonyms_write() */
};

/* The options, and what all threads share.  The strings of *opts must outlive
 * it. */
struct pseudonyms;
struct pseudonyms *pseudonyms_new(const struct pseudonyms_opts *opts,
                                  struct prof_err *err);
void pseudonyms_free(struct pseudonyms *all); /* null is allowed */

/*
 * Anonymizes profiles in one thread; make one for each thread.  PROF_ERR_USAGE
 * if an expression is invalid, PROF_ERR_SYSTEM if the library (Nettle) is
 * missing.
 */
struct anonymizer;
struct anonymizer *anonymizer_new(struct pseudonyms *all, struct prof_err *err);
void anonymizer_free(struct anonymizer *a); /* null is allowed */

/*
 * Replaces the names of *p, and drops comments, doc_url, drop_frames and
 * keep_frames (apply these before).  Unused strings, the old names, stay in *p
 * until it is merged!  After a failure, *p may only be freed.
 */
bool anonymize(struct anonymizer *a, struct profile *p, struct prof_err *err);

/* Warns of data in the profiles that was not replaced and may be private. */
void pseudonyms_report(const struct pseudonyms *all,
                       const struct prof_notes *notes);

/*
 * Writes the map, sorted: a line `KIND TAB PSEUDONYM TAB NAME` for each, in
 * which control characters, backslashes and bytes that are not ASCII are \xNN.
 */
bool pseudonyms_write(struct pseudonyms *all, struct sink *sink,
                      struct prof_err *err);

/* Names by pseudonym, to restore names; several threads may share it. */
struct name_map;
/* Parses the text of a map; PROF_ERR_INPUT names the line. */
struct name_map *name_map_new(const void *text, size_t n, struct prof_err *err);
void name_map_free(struct name_map *map); /* null is allowed */
/* Replaces pseudonyms by names; adds the number of distinct ones to *n. */
bool name_map_restore(const struct name_map *map, struct profile *p, size_t *n,
                      struct prof_err *err);

/* Nettle, for cli_spec.libraries. */
extern const struct library_about privacy_library;

#endif
