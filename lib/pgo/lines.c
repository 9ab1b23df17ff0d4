/* lines.c - counts the samples at each line of each function; see private.h */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "pgo/private.h"

enum { MAX_INLINED = 1000 };

#define WARN_PERCENT 1.0

/* Why a sample cannot be used, the worst last. */
enum lack {
    LACKS_NOTHING,
    LACKS_LINE, /* as in code that compilers add */
    LACKS_START,
    LACKS_FUNCTION,
    LACKS_GOOD_NAME,
    N_LACKS
};

struct reader {
    const struct profile *p;
    const struct sym_discriminators *discriminators; /* or null */
    uint32_t (*decode)(const struct sym_discriminator *d);
    struct pgo_lines *lines;
    size_t type;
    int64_t all;              /* sum of the values of all samples */
    int64_t lacking[N_LACKS]; /* parts of that sum, by reason */
    int64_t *skipped;         /* by mapping: unusable parts; last: no mapping */
    uint32_t unstarted;       /* a name without a start line, or PROF_NONE */
    struct prof_slice oddly_named;
};

bool pgo_pick_samples(const struct profile *p, size_t *type,
                      struct prof_err *err)
{
    const size_t n = prof_count(p).types;
    for (*type = 0; *type < n; ++*type) {
        const struct prof_value_type vt = prof_get_type(p, *type);
        const struct prof_slice name = prof_get_string(p, vt.type);
        if (slice_is(prof_get_string(p, vt.unit), "count") &&
            (slice_is(name, "samples") ||
             slice_ends_with(name, PGO_SAMPLE_SUFFIX)))
            return true;
    }
    return prof_pick_type(p, NULL, type, err);
}

/* Returns the name of the function's symbol, without the suffixes that
 * compilers append for parts and copies of a function: they look up the name
 * that the function has in the source. */
struct prof_slice pgo_linkage_name(const struct profile *p,
                                   const struct prof_function *f)
{
    const struct prof_slice system = prof_get_string(p, f->system_name);
    const struct prof_slice name =
        system.n ? system : prof_get_string(p, f->name);
    return slice_to(name, prof_base_length(name));
}

/* Returns whether a name cannot be in the text of a sample profile, where the
 * first characters of a line determine its meaning. */
static bool is_odd(struct prof_slice name)
{
    static const char not_first[] = " \t!#[0123456789";
    return memchr(not_first, name.s[0], sizeof not_first - 1) ||
           !slice_is_text(name) || memchr(name.s, '\n', name.n);
}

/* Returns what the lines of a sample lack.  If they lack several things,
 * returns the worst. */
static enum lack lack_of(struct reader *r, const struct prof_line *line,
                         size_t n)
{
    enum lack lack = n ? LACKS_NOTHING : LACKS_FUNCTION;
    for (size_t k = 0; k < n && lack < LACKS_FUNCTION; k++) {
        struct prof_function f = {0};
        if (line[k].function != PROF_NONE)
            f = prof_get_function(r->p, line[k].function);
        const struct prof_slice name = pgo_linkage_name(r->p, &f);
        if (!name.n) {
            lack = LACKS_FUNCTION;
        } else if (is_odd(name)) {
            lack = LACKS_GOOD_NAME;
            r->oddly_named = name;
        } else if (!f.start_line) {
            lack = LACKS_START;
            r->unstarted = f.name;
        } else if (!line[k].line && lack == LACKS_NOTHING) {
            lack = LACKS_LINE;
        }
    }
    return lack;
}

/* Sets *row to the index of a function's name.  The name keeps its file only if
 * all functions of that name are in the same file. */
static bool get_name(struct pgo_lines *lines, const struct profile *p,
                     const struct prof_function *f, uint32_t *row,
                     struct prof_err *err)
{
    const struct pgo_name name = {
        pgo_linkage_name(p, f),
        path_after_slash(prof_get_string(p, f->filename))};
    if (!map_push(&lines->name_rows, &lines->names, name.name.s, name.name.n,
                  row, name))
        return err_nomem(err);
    if (!slice_same(lines->names.v[*row].file, name.file))
        lines->names.v[*row].file.n = 0;
    return true;
}

/* Replaces *instance by the instance of function `name` that is inlined in it
 * at this position.  Adds one if there is none. */
static bool descend(struct pgo_lines *lines, uint32_t name,
                    struct pgo_position at, uint32_t *instance,
                    struct prof_err *err)
{
    struct pgo_instance in = {
        .parent = *instance, .at = at, .name = name, .depth = 1};
    if (in.parent != PROF_NONE)
        in.depth = lines->instances.v[in.parent].depth + 1;
    const uint32_t key[] = {in.parent, at.offset, at.discriminator, name};
    return map_push(&lines->instance_rows, &lines->instances, key, sizeof key,
                    instance, in) ||
           err_nomem(err);
}

static bool count_place(struct pgo_lines *lines, uint32_t instance,
                        struct pgo_position at, int64_t value,
                        struct prof_err *err)
{
    const uint32_t key[] = {instance, at.offset, at.discriminator};
    uint32_t row;
    const struct pgo_place place = {instance, at, 0};
    if (!map_push(&lines->place_rows, &lines->places, key, sizeof key, &row,
                  place))
        return err_nomem(err);
    lines->places.v[row].count += (uint64_t)value;
    return true;
}

static uint32_t discriminator_of(const struct reader *r, uint32_t location,
                                 size_t line)
{
    const uint64_t place = SYM_PLACE(location, line);
    if (!r->discriminators)
        return 0;
    const struct sym_discriminator *v = r->discriminators->v.v;
    const size_t n = r->discriminators->v.n,
                 k = sorted_find(v, n, sizeof *v, place);
    return k < n ? r->decode(&v[k]) : 0;
}

static bool add_sample(struct reader *r, size_t i, struct prof_err *err)
{
    const struct prof_sample s = prof_get_sample(r->p, i);
    const int64_t value = s.values[r->type];
    if (!pgo_add_value(&r->all, i, value, err))
        return false;
    if (!value || !s.n_frames)
        return true;
    size_t n;
    const struct prof_line *line = prof_get_lines(r->p, s.frames[0], &n);
    if (n > MAX_INLINED)
        return err_input(
            err,
            "sample %zu: %zu nested inlined calls; at most %d are supported", i,
            n, MAX_INLINED);
    const enum lack lack = lack_of(r, line, n);
    r->lacking[lack] += value;
    if (lack != LACKS_NOTHING) {
        /* Skip the sample: some of its lines would be counted for the wrong
         * function. */
        const uint32_t mapping = prof_get_location(r->p, s.frames[0]).mapping;
        if (lack != LACKS_GOOD_NAME)
            r->skipped[mapping == PROF_NONE ? prof_count(r->p).mappings
                                            : mapping] += value;
        return true;
    }
    uint32_t instance = PROF_NONE, name;
    struct pgo_position at = {0, 0};
    for (size_t k = n; k-- > 0;) {
        const struct prof_function f =
            prof_get_function(r->p, line[k].function);
        if (!get_name(r->lines, r->p, &f, &name, err) ||
            !descend(r->lines, name, at, &instance, err))
            return false;
        at.offset = ((uint64_t)line[k].line - (uint64_t)f.start_line) & 0xffff;
        at.discriminator = discriminator_of(r, s.frames[0], k);
    }
    return count_place(r->lines, instance, at, value, err);
}

static enum prof_note_level level_of(double percent)
{
    return percent > WARN_PERCENT ? PROF_NOTE_WARN : PROF_NOTE_INFO;
}

/* Reports how many samples were skipped, and why. */
static void report_skipped(const struct reader *r,
                           const struct prof_notes *notes, const char *odd_name)
{
    const double percent = 100 / (double)r->all;
    const double function = percent * (double)r->lacking[LACKS_FUNCTION],
                 start = percent * (double)r->lacking[LACKS_START],
                 line = percent * (double)r->lacking[LACKS_LINE],
                 odd = percent * (double)r->lacking[LACKS_GOOD_NAME];
    /* The mapped file with most of the samples that cannot be used. */
    const size_t n = prof_count(r->p).mappings;
    size_t most = n;
    for (size_t i = 0; i < n; i++)
        if (r->skipped[i] > r->skipped[most])
            most = i;
    const char *file =
        most < n ? prof_plain(r->p, prof_get_mapping(r->p, most).filename) : "";
    const char *advice = ": pass -e BINARY or --path=DIRS to read them from "
                         "debug information (-g)";
    if (line > function + start)
        advice = ", as code does that compilers add";
    else if (*file && sym_has_no_file(file))
        advice = ", as code does that is in no binary";
    if (function + start + line > 0)
        note_at(notes, level_of(function + start + line),
                "%.2f%% of the samples skipped, most in %s: %.2f%% lack a "
                "function, %.2f%% a start line of one, %.2f%% a line%s",
                function + start + line, *file ? file : "no file", function,
                start, line, advice);
    if (odd > 0)
        note_at(notes, level_of(odd),
                "%.2f%% of the samples skipped: names such as '%s' cannot "
                "be in a sample profile",
                odd, odd_name);
}

/* Sets the error for a profile without a usable sample. */
static bool fail(const struct reader *r, const char *name, struct prof_err *err)
{
    if (r->lacking[LACKS_GOOD_NAME])
        return err_input(err,
                         "no sample can be used: names such as '%s' cannot be "
                         "in a sample profile",
                         name);
    if (r->lacking[LACKS_START])
        return err_input(err,
                         "no function has a start line, from which compilers "
                         "count lines ('%s' has none): pass -e BINARY or "
                         "--path=DIRS to read them from debug information (-g)",
                         name);
    return err_input(err,
                     "no sample has a function with a line: pass -e BINARY or "
                     "--path=DIRS to read them from debug information (-g)");
}

static bool tell_skipped(const struct reader *r, const struct prof_notes *notes,
                         struct prof_err *err)
{
    struct buf name = {0};
    struct prof_slice s = r->oddly_named;
    bool ok = r->lacking[LACKS_NOTHING];
    if (!r->lacking[LACKS_GOOD_NAME] && r->unstarted != PROF_NONE)
        s = prof_get_string(r->p, r->unstarted);
    if (!utf8_put_line(&name, s.s, s.n) || !buf_putc(&name, '\0'))
        ok = err_nomem(err);
    else if (ok)
        report_skipped(r, notes, (const char *)name.v);
    else
        (void)fail(r, (const char *)name.v, err);
    buf_free(&name);
    return ok;
}

/* --- sorting --- */

static int compare_positions(struct pgo_position a, struct pgo_position b)
{
    const int c = ORDER(a.offset, b.offset);
    return c ? c : ORDER(a.discriminator, b.discriminator);
}

static int compare_places(const void *a, const void *b)
{
    const struct pgo_place *x = a, *y = b;
    const int c = ORDER(x->instance, y->instance);
    return c ? c : compare_positions(x->at, y->at);
}

struct sorted {
    struct pgo_instance in;
    struct prof_slice name;
    uint32_t row;
};

static int compare_instances(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    /* PROF_NONE + 1 is 0, so instances that are not inlined come first. */
    const uint32_t px = x->in.parent + 1, py = y->in.parent + 1;
    int c = ORDER(px, py);
    c = c || px ? c : ORDER(y->in.total, x->in.total);
    c = c ? c : compare_positions(x->in.at, y->in.at);
    return c ? c : slice_compare(x->name, y->name);
}

/*
 * Sets lines->order, in which each instance comes right before those inlined in
 * it.  Instances are sorted by their parents, and a parent has a lower index
 * than its children.  So the place of a parent is known when its children get
 * theirs, which begin right after it.
 */
static bool sort_instances(struct pgo_lines *lines, struct prof_err *err)
{
    const size_t n = lines->instances.n;
    struct pgo_instance *instances = lines->instances.v;
    struct sorted *v = mem_array(n, sizeof *v);
    uint32_t *free_place = mem_array(n, sizeof *free_place);
    uint32_t free_root = 0;
    lines->order = mem_array(n, sizeof *lines->order);
    const bool ok = v && free_place && lines->order;
    for (uint32_t i = 0; ok && i < n; i++)
        v[i] = (struct sorted){instances[i],
                               lines->names.v[instances[i].name].name, i};
    if (ok)
        qsort(v, n, sizeof *v, compare_instances);
    for (size_t i = 0; ok && i < n; i++) {
        const uint32_t parent = v[i].in.parent;
        uint32_t *place =
            parent == PROF_NONE ? &free_root : &free_place[parent];
        lines->order[*place] = v[i].row;
        free_place[v[i].row] = *place + 1;
        *place += v[i].in.n_within;
    }
    free(v);
    free(free_place);
    return ok || err_nomem(err);
}

/* Sums up totals, sorts places and instances, and sets which places each
 * instance has. */
static bool finish(struct pgo_lines *lines, struct prof_err *err)
{
    struct pgo_instance *instances = lines->instances.v;
    vec_sort(&lines->places, compare_places);
    for (uint32_t i = 0; i < lines->places.n; i++) {
        const struct pgo_place *place = &lines->places.v[i];
        struct pgo_instance *in = &instances[place->instance];
        in->total += place->count;
        if (!in->n_places++) {
            in->first_place = i;
            in->head = place->count;
        }
    }
    for (size_t i = lines->instances.n; i-- > 0;) {
        const uint32_t parent = instances[i].parent;
        instances[i].n_within++;
        if (parent == PROF_NONE) {
            lines->n_roots++;
        } else {
            instances[parent].total += instances[i].total;
            instances[parent].n_within += instances[i].n_within;
            instances[parent].n_children++;
        }
    }
    return sort_instances(lines, err);
}

static bool read_samples(struct reader *r, struct prof_err *err)
{
    const struct prof_counts n = prof_count(r->p);
    r->skipped = mem_zarray(n.mappings + 1, sizeof *r->skipped);
    if (!r->skipped)
        return err_nomem(err);
    if (!pgo_pick_samples(r->p, &r->type, err))
        return false;
    for (size_t i = 0; i < n.samples; i++)
        if (!add_sample(r, i, err))
            return false;
    return true;
}

bool pgo_lines_read(const struct pgo_source *from,
                    uint32_t (*decode)(const struct sym_discriminator *d),
                    struct pgo_lines *lines, struct prof_err *err)
{
    struct reader r = {.p = from->p,
                       .discriminators = from->discriminators,
                       .decode = decode,
                       .lines = lines,
                       .unstarted = PROF_NONE};
    const bool ok = read_samples(&r, err) &&
                    tell_skipped(&r, from->notes, err) && finish(lines, err);
    free(r.skipped);
    return ok;
}

void pgo_lines_free(struct pgo_lines *lines)
{
    vec_free(&lines->names);
    vec_free(&lines->instances);
    vec_free(&lines->places);
    free(lines->order);
    map_free(&lines->name_rows);
    map_free(&lines->instance_rows);
    map_free(&lines->place_rows);
}
