/*
 * mender.h - the parts of doctor_mend(), private to lib/doctor
 */
#ifndef PROFUTILS_DOCTOR_MENDER_H
#define PROFUTILS_DOCTOR_MENDER_H

#include "check/examine.h"
#include "check/mend.h"
#include "check/widesum.h"
#include "pb/idmap.h"
#include "pb/loose.h"

/* Entities of one kind by the ids that others use. */
struct mender_map {
    struct idmap of;
    uint32_t *index;  /* in the profile, by number in the message; PROF_NONE */
    size_t n, n_zero; /* entities, and those with id 0 */
    bool unnumbered;  /* no id at all: they are 1, 2, 3 ... */
};

/* What became of the samples. */
struct mender_account {
    size_t kept, lost;
    size_t unread; /* of the lost: without as many values as types */
    /* Labels of the kept: with a text and a unit, with an empty text. */
    size_t n_units, n_textless;
    struct widesum *sum_kept, *sum_lost; /* by sample type */
};

struct mender {
    struct loose m;
    struct profile *p;
    struct err *err;
    uint32_t *str; /* string id in *p, by index in the file's table */
    struct mender_map mappings, functions, locations;
    size_t n_cleared; /* flags of mappings */
    struct mender_account account;
};

/*
 * The string of that index, 0 if there is none; *lost is set then, if it is
 * not null.
 */
uint32_t mender_string(const struct mender *d, int64_t index, bool *lost);

/* The entity's index in the profile, or PROF_NONE. */
uint32_t mender_find(const struct mender_map *map, uint64_t id);
void mender_map_free(struct mender_map *map);

/* Each fills its part of *d->p; in this order. */
bool mend_header(struct mender *d);   /* mend_header.c */
bool mend_entities(struct mender *d); /* mend_entities.c */
bool mend_samples(struct mender *d);  /* mend_samples.c */
bool mend_flags(struct mender *d);    /* mend_flags.c */

/* Says what was done: mend_tell.c. */
bool mend_tell(const struct mender *d, const struct doctor_counts *counts,
               const struct notes *notes, struct err *err);

#endif
