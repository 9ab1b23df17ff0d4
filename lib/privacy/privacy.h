/*
 * privacy.h - replaces the names of a profile by pseudonyms, and back
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
 * So the sum of pseudonymous profiles is the pseudonymous sum, where a merge
 * need not choose the lesser of two names.
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
    const char *keep_names;    /* regular expression of names that stay, */
    const char *keep_mappings; /* .. and of binaries whose functions stay */
    bool map;                  /* collect pairs for pseudonyms_write() */
};

/* What all threads share.  The strings of *opts must outlive it. */
struct pseudonyms;
struct pseudonyms *pseudonyms_new(const struct pseudonyms_opts *opts,
                                  struct prof_err *err);
void pseudonyms_free(struct pseudonyms *all); /* null is allowed */

/*
 * Each thread has its own.  PROF_ERR_USAGE for a mistake in an expression,
 * PROF_ERR_SYSTEM without the library.
 */
struct anonymizer;
struct anonymizer *anonymizer_new(struct pseudonyms *all, struct prof_err *err);
void anonymizer_free(struct anonymizer *a); /* null is allowed */

/*
 * Replaces names, and drops comments, doc_url, drop_frames and keep_frames,
 * which should have been applied.  Strings that nothing refers to stay until
 * the profile is merged.  On failure *p is only to be freed.
 */
bool anonymize(struct anonymizer *a, struct profile *p, struct prof_err *err);

/* Warns of what the profiles have that was not replaced. */
void pseudonyms_report(const struct pseudonyms *all,
                       const struct prof_notes *notes);

/*
 * Writes the map, sorted: a line `KIND TAB PSEUDONYM TAB NAME` for each, in
 * which control characters, backslashes and bytes that are not ASCII are \xNN.
 */
bool pseudonyms_write(struct pseudonyms *all, struct sink *sink,
                      struct prof_err *err);

/* The way back, which several threads may use at once. */
struct name_map;
/* From the text of a map; PROF_ERR_INPUT names the line. */
struct name_map *name_map_new(const void *text, size_t n, struct prof_err *err);
void name_map_free(struct name_map *map); /* null is allowed */
/* Replaces pseudonyms; adds to *n how many different ones. */
bool name_map_restore(const struct name_map *map, struct profile *p, size_t *n,
                      struct prof_err *err);

/* Nettle, for cli_spec.libraries. */
extern const struct library_about privacy_library;

#endif
