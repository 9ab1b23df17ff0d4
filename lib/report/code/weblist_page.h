/*
 * weblist_page.h - lines of the page that --weblist makes
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_WEBLIST_PAGE_H
#define PROFUTILS_REPORT_WEBLIST_PAGE_H

#include "report/code/sources.h"
#include "report/code/weblist.h"

struct weblist_page {
    struct weblist *wl;
    struct report *r;
    struct sources sources;
    size_t n_calls;  /* inlined ones that were shown so far */
    struct buf line; /* scratch */
};

/*
 * A line of a file with the n places on it; nothing where there is neither.
 * False when memory is out, or values do not add up.
 */
bool weblist_put_line(struct weblist_page *pg, uint32_t file, int64_t line,
                      const struct weblist_place *v, size_t n, struct err *err);

/* Adds up what the instructions at n places have. */
bool weblist_sum(const struct weblist *wl, const struct weblist_place *v,
                 size_t n, int64_t *flat, int64_t *cum, struct err *err);

/* A space and the value in ten columns; with `dot` a dot for none. */
bool weblist_put_value(struct weblist_page *pg, int64_t v, bool dot);

#endif
