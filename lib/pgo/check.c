/* check.c - prints figures by which people judge a profile for a compiler */
#include <stdlib.h>
#include <time.h>

#include "base/slice.h"
#include "base/utf8.h"
#include "pgo/private.h"

#define NANOS 1000000000

/* Appends the name of a row, padded to the width of the longest. */
static bool put_key(struct buf *to, const char *key)
{
    return buf_printf(to, "%-13s ", key);
}

/* Appends a share in percent.  It is rounded down, so that only the whole is
 * 100.00%. */
static bool put_share(struct buf *to, double part, double whole)
{
    const unsigned share = whole > 0 ? (unsigned)(part / whole * 10000) : 0;
    return buf_printf(to, "%u.%02u%%", share / 100, share % 100);
}

/* Returns the noun for what weights count. */
static const char *units_of(const struct pgo_figures *f)
{
    return f->compiler == PGO_GO ? "calls" : "samples";
}

static bool put_share_row(struct buf *to, const char *key, int64_t part,
                          const struct pgo_figures *f)
{
    return put_key(to, key) && put_share(to, (double)part, (double)f->total) &&
           buf_printf(to, " of %s\n", units_of(f));
}

/* Sets *count to the number of functions that the first n units have. */
static bool count_functions(const struct pgo_figures *f, size_t n,
                            size_t *count)
{
    const size_t names =
        f->compiler == PGO_GO ? f->edges.names.n : f->lines.names.n;
    bool *seen = mem_zarray(names, sizeof *seen);
    if (!seen)
        return false;
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            bool *s = &seen[f->units.v[i].names[k]];
            *count += !*s;
            *s = true;
        }
    free(seen);
    return true;
}

/* Appends a row about the first n units, which may be all. */
static bool put_units(struct buf *to, const char *key,
                      const struct pgo_figures *f, size_t n)
{
    const char *what = f->compiler == PGO_GO ? "edge" : "line";
    size_t functions;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += f->units.v[i].weight;
    return count_functions(f, n, &functions) && put_key(to, key) &&
           buf_printf(to, "%lld in %zu %s%s of %zu function%s\n",
                      (long long)sum, n, what, n == 1 ? "" : "s", functions,
                      functions == 1 ? "" : "s");
}

/* Appends the builds of the program if there are several, and the share of
 * samples whose functions moved between them. */
static bool put_builds(struct buf *to, const struct pgo_builds *builds)
{
    enum { MOST = 4, DIGITS = 12 };
    const size_t n = builds->v.n;
    if (n > 1 &&
        (!put_key(to, "builds") || !buf_printf(to, "%zu of the program:", n)))
        return false;
    for (size_t i = 0; n > 1 && i < n && i < MOST; i++) {
        const struct pgo_build *b = &builds->v.v[i];
        const struct prof_slice id =
            slice_to(b->id, b->id.n < DIGITS ? b->id.n : DIGITS);
        if (!buf_puts(to, i ? ", " : " ") ||
            !put_share(to, (double)b->weight, (double)builds->total) ||
            !buf_putc(to, ' ') || !utf8_put_line(to, id.s, id.n))
            return false;
    }
    if (n > 1 && !buf_puts(to, n > MOST ? ", ...\n" : "\n"))
        return false;
    return !builds->moved ||
           (put_key(to, "moved") &&
            put_share(to, (double)builds->moved, (double)builds->total) &&
            buf_puts(to,
                     " of samples: their functions start at several lines\n"));
}

static bool put_times(struct buf *to, const struct pgo_check *check)
{
    const struct prof_header header = prof_get_header(check->now->p);
    const time_t seconds = (time_t)(header.time_nanos / NANOS);
    struct tm tm;
    char date[64];
    if (header.time_nanos > 0 && gmtime_r(&seconds, &tm) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm)) {
        const int64_t age = check->now_nanos / NANOS - (int64_t)seconds;
        const int64_t days = age > 0 ? age / 86400 : 0;
        if (!put_key(to, "recorded") ||
            !buf_printf(to, "%s, %lld day%s ago\n", date, (long long)days,
                        days == 1 ? "" : "s"))
            return false;
    }
    return header.duration_nanos <= 0 ||
           (put_key(to, "duration") &&
            buf_printf(to, "%.2f s\n", (double)header.duration_nanos / NANOS));
}

/* Writes the size of the output of pb2pgo -9. */
static bool put_size(struct buf *to, const struct pgo_check *check,
                     struct prof_err *err)
{
    static const char *const what[] = {"as call edges", "for clang", "for gcc"};
    const struct pgo_figures *f = check->now;
    size_t size = 0;
    bool ok = true;
    if (f->compiler == PGO_GO) {
        void *bytes = NULL;
        struct profile *p = pgo_edges_profile(&f->edges, err);
        ok = p && prof_encode(p, 9, &bytes, &size, err);
        free(bytes);
        prof_delete(p);
    } else if (f->is_fit) {
        const struct pgo_source from = {f->p, check->discriminators, NULL};
        struct buf bytes = {0};
        struct buf_sink sink = buf_sink_of(&bytes);
        ok = f->compiler == PGO_LLVM
                 ? pgo_llvm_text(&from, &sink.sink, err)
                 : pgo_gcc_file(&from, check->gcc, &sink.sink, err);
        size = bytes.n;
        buf_free(&bytes);
    }
    return ok && ((put_key(to, "size") &&
                   buf_printf(to, "%zu bytes %s\n", size, what[f->compiler])) ||
                  err_nomem(err));
}

/* --- two profiles --- */

/* The shares of a unit in the two profiles. */
struct both_row {
    double share[2];
    bool hot[2];
};

static void add_units(struct both_row *rows, const struct pgo_figures *f,
                      int which)
{
    const size_t hot = pgo_figures_hot(f);
    double total = 0;
    for (size_t i = 0; i < f->units.n; i++)
        total += (double)f->units.v[i].weight;
    for (size_t i = 0; i < f->units.n; i++) {
        const struct pgo_unit *unit = &f->units.v[i];
        rows[unit->row].share[which] = (double)unit->weight / total;
        rows[unit->row].hot[which] = i < hot;
    }
}

/*
 * Appends the overlap: the sum over all units of the lesser of their two
 * shares.  It is 1 for profiles with the same shares, and 0 for profiles
 * without a unit in common.
 */
static bool put_overlap(struct buf *to, const struct pgo_check *check)
{
    const size_t most = check->before->units.n + check->now->units.n;
    struct both_row *rows = mem_zarray(most, sizeof *rows);
    double overlap = 0;
    size_t hot[2][2] = {{0}};
    if (!rows)
        return false;
    add_units(rows, check->before, 0);
    add_units(rows, check->now, 1);
    for (size_t i = 0; i < most; i++) {
        const struct both_row *row = &rows[i];
        overlap += row->share[row->share[0] > row->share[1]];
        hot[row->hot[0]][row->hot[1]]++;
    }
    free(rows);
    /* Rounding errors may leave the sum slightly below 1. */
    return put_key(to, "overlap") && put_share(to, overlap + 1e-9, 1) &&
           buf_printf(to, "; hot %ss: %zu as before, %zu new, %zu gone\n",
                      check->now->compiler == PGO_GO ? "edge" : "line",
                      hot[1][1], hot[0][1], hot[1][0]);
}

/* --- a later build --- */

static bool put_fresh(struct buf *to, const struct pgo_check *check)
{
    enum { MOST = 10 };
    const struct pgo_fresh *fresh = check->fresh;
    const double all = (double)fresh->of_target;
    int64_t rest = 0;
    if (!put_share_row(to, "of the build", fresh->of_target, check->now) ||
        !put_key(to, "fresh") || !put_share(to, (double)fresh->fresh, all) ||
        !buf_puts(to, " of these\n"))
        return false;
    for (size_t i = 0; i < fresh->stale.n; i++) {
        const struct pgo_stale *s = &fresh->stale.v[i];
        if (i >= MOST) {
            rest += s->weight;
        } else if (!put_key(to, s->has_function ? "line gone" : "gone") ||
                   !put_share(to, (double)s->weight, all) ||
                   !buf_putc(to, ' ') ||
                   !utf8_put_line(to, s->name.s, s->name.n) ||
                   !buf_putc(to, '\n')) {
            return false;
        }
    }
    return fresh->stale.n <= MOST ||
           (put_key(to, "others") && put_share(to, (double)rest, all) &&
            buf_printf(to, " in %zu rows\n", fresh->stale.n - MOST));
}

static bool put_rows(struct buf *to, const struct pgo_check *check,
                     struct prof_err *err)
{
    struct pgo_figures *now = check->now;
    struct pgo_builds builds = {0};
    const struct prof_value_type vt = prof_get_type(now->p, now->type);
    const struct prof_slice type = prof_get_string(now->p, vt.type),
                            unit = prof_get_string(now->p, vt.unit);
    bool ok = pgo_builds_read(&builds, now, err);
    if (ok) {
        ok = put_key(to, "sample type") && buf_put(to, type.s, type.n) &&
             buf_putc(to, '/') && buf_put(to, unit.s, unit.n) &&
             buf_putc(to, '\n') &&
             put_units(to, units_of(now), now, now->units.n) &&
             put_units(to, "hot", now, pgo_figures_hot(now)) &&
             put_share_row(to, "named", now->named, now) &&
             put_share_row(to, "lines", now->lined, now) &&
             put_share_row(to, "start lines", now->started, now) &&
             put_builds(to, &builds) && put_times(to, check);
        ok = (ok || err_nomem(err)) && put_size(to, check, err) &&
             (((!check->before || put_overlap(to, check)) &&
               (!check->fresh || put_fresh(to, check))) ||
              err_nomem(err));
    }
    vec_free(&builds.v);
    return ok;
}

bool pgo_check_text(const struct pgo_check *check, struct sink *to,
                    struct prof_err *err)
{
    struct buf rows = {0};
    struct map units = {0};
    const bool ok =
        (!check->before || pgo_figures_units(check->before, &units, err)) &&
        pgo_figures_units(check->now, &units, err) &&
        put_rows(&rows, check, err) && sink_write(to, rows.v, rows.n, err);
    map_free(&units);
    buf_free(&rows);
    return ok;
}
