/* --weblist: the addresses of samples, and what is asked for of them. */
#include <stdlib.h>
#include <string.h>

#include "report/code/weblist.h"

/* Values by location, and the locations as samples have them. */
struct sums {
    int64_t *flat, *cum;
    bool *used;
    uint32_t *order;
    uint32_t n;
};

bool weblist_add(int64_t *sum, int64_t v, struct err *err)
{
    return !__builtin_add_overflow(*sum, v, sum) ||
           err_set(err, ERR_INPUT,
                   "the values of one place do not add up in 64 bits");
}

static bool add_sample(const struct report *r, size_t s, struct sums *sums,
                       struct err *err)
{
    const struct profile *p = r->p;
    const int64_t *values = p->values + s * p->n_types;
    int64_t v = values[r->type];
    if (r->opts->mean)
        v = graph_mean(v, values[0]);
    const uint32_t *stack = prof_stack(p, s);
    size_t n = prof_depth(p, s);
    for (size_t i = n; i-- > 0;) {
        uint32_t l = stack[i];
        if (!sums->used[l])
            sums->order[sums->n++] = l;
        sums->used[l] = true;
        if (!weblist_add(&sums->cum[l], v, err))
            return false;
    }
    return !n || weblist_add(&sums->flat[stack[0]], v, err);
}

/* Makes the names of a function ones that are asked for. */
static void take_names(struct weblist *wl, const struct prof_line *line)
{
    const struct profile *p = wl->r->p;
    if (line->function == PROF_NONE)
        return;
    const struct prof_function *f = &p->functions[line->function];
    wl->wanted[f->name] |= WEBLIST_NAMED;
    wl->wanted[f->system_name] |= WEBLIST_NAMED;
    if (!f->system_name || f->system_name == f->name)
        wl->wanted[f->name] |= WEBLIST_READ;
}

static int match_function(struct weblist *wl, const struct prof_function *f,
                          struct err *err)
{
    const uint32_t id[] = {f->name, f->system_name, f->filename};
    int yes = 0;
    for (size_t i = 0; !yes && i < sizeof id / sizeof *id; i++)
        yes = pattern_match_id(&wl->pattern, id[i], err);
    return yes;
}

/* Whether something at the location is asked for; -1: error. */
static int match_location(struct weblist *wl, const struct prof_location *l,
                          uint64_t address, struct err *err)
{
    const struct profile *p = wl->r->p;
    const struct prof_line *line = p->lines + l->line_off;
    if (!l->n_lines)
        return 0;
    if (wl->pattern.is_address && address == wl->pattern.address) {
        line += l->n_lines - 1;
        take_names(wl, line);
        return line->function != PROF_NONE;
    }
    uint32_t file =
        l->mapping == PROF_NONE ? 0 : p->mappings[l->mapping].filename;
    int in_file =
        l->mapping == PROF_NONE ? 0 : pattern_match_id(&wl->pattern, file, err);
    int found = 0;
    for (uint32_t i = 0; in_file >= 0 && i < l->n_lines; i++) {
        if (line[i].function == PROF_NONE)
            continue;
        int yes =
            i == 0 && in_file
                ? 1
                : match_function(wl, &p->functions[line[i].function], err);
        if (yes < 0)
            return -1;
        if (yes)
            take_names(wl, &line[i]);
        found |= yes;
    }
    return in_file < 0 ? -1 : found;
}

/* Addresses for locations without one: behind all mappings. */
static uint64_t first_free(const struct profile *p)
{
    uint64_t next = 1;
    for (size_t i = 0; i < p->n_mappings; i++)
        if (p->mappings[i].limit > next)
            next = p->mappings[i].limit;
    return next;
}

static bool add_location(struct weblist *wl, uint32_t location, uint64_t *free,
                         const struct sums *sums, struct err *err)
{
    const struct profile *p = wl->r->p;
    const struct prof_location *l = &p->locations[location];
    struct weblist_addr a = {
        l->address, sums->flat[location], sums->cum[location], location,
        false,      (uint32_t)wl->addrs.n};
    if (!a.address)
        a.address = (*free)++;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        uint32_t f = p->lines[l->line_off + i].function;
        if (f != PROF_NONE)
            wl->pretty[p->functions[f].system_name] = p->functions[f].name;
    }
    int yes = match_location(wl, l, a.address, err);
    a.wanted = yes > 0;
    return yes >= 0 && (vec_push(&wl->addrs, a) || err_nomem(err));
}

static int by_address(const void *a, const void *b)
{
    const struct weblist_addr *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

/* One of those that are alike, the first that is asked for. */
static bool join_equal(struct weblist *wl, struct err *err)
{
    size_t n = 0;
    struct weblist_addr *v = wl->addrs.v;
    for (size_t i = 0; i < wl->addrs.n; i++) {
        struct weblist_addr *last = n ? &v[n - 1] : NULL;
        if (!last || last->address != v[i].address) {
            v[n++] = v[i];
            continue;
        }
        if (!weblist_add(&last->flat, v[i].flat, err) ||
            !weblist_add(&last->cum, v[i].cum, err))
            return false;
        if (!last->wanted && v[i].wanted)
            last->location = v[i].location;
        last->wanted |= v[i].wanted;
    }
    wl->addrs.n = n;
    return true;
}

static bool add_all(struct weblist *wl, struct sums *sums, struct err *err)
{
    const struct profile *p = wl->r->p;
    uint64_t free = first_free(p);
    for (size_t s = 0; s < p->n_samples; s++)
        if (!add_sample(wl->r, s, sums, err))
            return false;
    bool any = false;
    for (uint32_t i = 0; i < sums->n; i++) {
        if (!add_location(wl, sums->order[i], &free, sums, err))
            return false;
        any |= wl->addrs.v[wl->addrs.n - 1].wanted;
    }
    if (!any)
        return err_set(err, ERR_ANSWER_NO, "no matches found for regexp: %s",
                       wl->r->opts->pattern);
    qsort(wl->addrs.v, wl->addrs.n, sizeof *wl->addrs.v, by_address);
    /* Nothing is called "". */
    wl->wanted[0] = 0;
    return join_equal(wl, err);
}

bool weblist_collect(struct weblist *wl, struct err *err)
{
    const struct profile *p = wl->r->p;
    struct sums sums = {.flat = mem_zarray(p->n_locations, sizeof *sums.flat),
                        .cum = mem_zarray(p->n_locations, sizeof *sums.cum),
                        .used = mem_zarray(p->n_locations, sizeof *sums.used),
                        .order = mem_array(p->n_locations, sizeof *sums.order)};
    wl->wanted = mem_zarray(p->strings.n, sizeof *wl->wanted);
    wl->pretty = mem_zarray(p->strings.n, sizeof *wl->pretty);
    bool ok = (sums.flat && sums.cum && sums.used && sums.order && wl->wanted &&
               wl->pretty) ||
              err_nomem(err);
    ok = ok && add_all(wl, &sums, err);
    free(sums.flat);
    free(sums.cum);
    free(sums.used);
    free(sums.order);
    return ok;
}
