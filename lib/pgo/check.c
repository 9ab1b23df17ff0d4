/* check.c - figures by which people judge a profile for the Go compiler */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "pgo/pgo.h"

#define NANOS 1000000000

/* Appends "NAME  ", wide enough for all of them. */
static bool put_key(struct buf *to, const char *key)
{
    return buf_printf(to, "%-13s ", key);
}

/* Appends a share in percent.  It is never rounded up, so that only all of the
 * whole is 100.00%. */
static bool put_share(struct buf *to, double part, double whole)
{
    const unsigned share = whole > 0 ? (unsigned)(part / whole * 10000) : 0;
    return buf_printf(to, "%u.%02u%%", share / 100, share % 100);
}

static bool put_share_row(struct buf *to, const char *key, int64_t part,
                          int64_t whole)
{
    return put_key(to, key) && put_share(to, (double)part, (double)whole) &&
           buf_puts(to, " of calls\n");
}

/* How many functions the first n edges have. */
static bool count_functions(const struct pgo_edges *edges, size_t n,
                            size_t *count)
{
    const size_t names = edges->names.n;
    bool *seen = mem_zarray(names ? names : 1, sizeof *seen);
    if (!seen)
        return false;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t both[] = {edges->v.v[i].caller, edges->v.v[i].callee};
        for (int k = 0; k < 2; k++)
            if (!seen[both[k]]) {
                seen[both[k]] = true;
                ++*count;
            }
    }
    free(seen);
    return true;
}

/* Appends a row about the first n edges, which may be all. */
static bool put_edges(struct buf *to, const char *key,
                      const struct pgo_edges *edges, size_t n)
{
    size_t functions;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += edges->v.v[i].weight;
    return count_functions(edges, n, &functions) && put_key(to, key) &&
           buf_printf(to, "%lld in %zu edge%s of %zu function%s\n",
                      (long long)sum, n, n == 1 ? "" : "s", functions,
                      functions == 1 ? "" : "s");
}

static bool put_times(struct buf *to, const struct pgo_check *check)
{
    const struct pgo_edges *edges = check->edges;
    const time_t seconds = (time_t)(edges->time_nanos / NANOS);
    struct tm tm;
    char date[64];
    if (edges->time_nanos > 0 && gmtime_r(&seconds, &tm) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm)) {
        const int64_t age = check->now_nanos / NANOS - (int64_t)seconds;
        const int64_t days = age > 0 ? age / 86400 : 0;
        if (!put_key(to, "recorded") ||
            !buf_printf(to, "%s, %lld day%s ago\n", date, (long long)days,
                        days == 1 ? "" : "s"))
            return false;
    }
    return edges->duration_nanos <= 0 ||
           (put_key(to, "duration") &&
            buf_printf(to, "%.2f s\n", (double)edges->duration_nanos / NANOS));
}

/* What the edges take as --go writes them. */
static bool put_size(struct buf *to, const struct pgo_edges *edges,
                     struct prof_err *err)
{
    void *bytes = NULL;
    size_t n;
    struct profile *p = pgo_edges_profile(edges, err);
    bool ok = p && prof_encode(p, 9, &bytes, &n, err);
    if (ok) {
        ok = put_key(to, "size") &&
             buf_printf(to, "%zu bytes as call edges\n", n);
        ok = ok || err_nomem(err);
    }
    free(bytes);
    prof_delete(p);
    return ok;
}

/* --- two profiles --- */

/* Two sets of edges: a row for each edge of either. */
struct both {
    struct map rows;
    struct buf key;
    VEC(struct both_row) v;
};

struct both_row {
    double share[2];
    bool hot[2];
};

/* The names of profiles have different ids, so a key has their bytes: those of
 * the caller, between their number and the offset, then those of the callee. */
static bool get_row(struct both *both, const struct pgo_edges *edges,
                    const struct pgo_edge *e, uint32_t *row)
{
    const struct prof_slice caller = edges->names.v[e->caller],
                            callee = edges->names.v[e->callee];
    bool is_new;
    both->key.n = 0;
    return buf_put(&both->key, &caller.n, sizeof caller.n) &&
           buf_put(&both->key, caller.s, caller.n) &&
           buf_put(&both->key, &e->offset, sizeof e->offset) &&
           buf_put(&both->key, callee.s, callee.n) &&
           map_add(&both->rows, both->key.v, both->key.n, row, &is_new) &&
           (!is_new || vec_push(&both->v, (struct both_row){0}));
}

static bool add_edges(struct both *both, const struct pgo_edges *edges,
                      int which)
{
    const size_t hot = pgo_edges_hot(edges, PGO_HOT_PERCENT);
    for (size_t i = 0; i < edges->v.n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        uint32_t row;
        if (!get_row(both, edges, e, &row))
            return false;
        both->v.v[row].share[which] = (double)e->weight / (double)edges->total;
        both->v.v[row].hot[which] = i < hot;
    }
    return true;
}

/*
 * The overlap is the sum over all edges of the lesser of their shares: 1 for
 * profiles with the same shares, 0 for those without an edge in common.
 */
static bool put_overlap(struct buf *to, const struct pgo_check *check)
{
    struct both both = {0};
    double overlap = 0;
    size_t hot[2][2] = {{0}};
    bool ok =
        add_edges(&both, check->before, 0) && add_edges(&both, check->edges, 1);
    for (size_t i = 0; ok && i < both.v.n; i++) {
        const struct both_row *row = &both.v.v[i];
        overlap += row->share[row->share[0] > row->share[1]];
        hot[row->hot[0]][row->hot[1]]++;
    }
    /* Shares of doubles may miss 1 by some of their last bits. */
    ok = ok && put_key(to, "overlap") && put_share(to, overlap + 1e-9, 1) &&
         buf_printf(to, "; hot edges: %zu as before, %zu new, %zu gone\n",
                    hot[1][1], hot[0][1], hot[1][0]);
    map_free(&both.rows);
    buf_free(&both.key);
    vec_free(&both.v);
    return ok;
}

static bool put_rows(struct buf *to, const struct pgo_check *check,
                     struct prof_err *err)
{
    const struct pgo_edges *edges = check->edges;
    const struct prof_slice type = edges->type, unit = edges->unit;
    const size_t hot = pgo_edges_hot(edges, PGO_HOT_PERCENT);
    bool ok = put_key(to, "sample type") && buf_put(to, type.s, type.n) &&
              buf_putc(to, '/') && buf_put(to, unit.s, unit.n) &&
              buf_putc(to, '\n') && put_edges(to, "calls", edges, edges->v.n) &&
              put_edges(to, "hot", edges, hot) &&
              put_share_row(to, "named", edges->named, edges->total) &&
              put_share_row(to, "lines", edges->lined, edges->total) &&
              put_share_row(to, "start lines", edges->started, edges->total) &&
              put_times(to, check);
    if (!ok)
        return err_nomem(err);
    return put_size(to, edges, err) &&
           (!check->before || put_overlap(to, check) || err_nomem(err));
}

bool pgo_check_text(const struct pgo_check *check, struct sink *to,
                    struct prof_err *err)
{
    struct buf rows = {0};
    const bool ok =
        put_rows(&rows, check, err) && sink_write(to, rows.v, rows.n, err);
    buf_free(&rows);
    return ok;
}
