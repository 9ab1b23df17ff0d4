/* repair.c - makes a valid profile from a message that violates rules */
#include "profile/check/repair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "profile/check/check.h"
#include "profile/columns.h"
#include "profile/wire/idmap.h"
#include "profile/wire/pb.h"
#include "profile/wire/tolerant.h"

/* Entities of one kind, by id. */
struct id_map {
    struct idmap of;
    uint32_t *index;  /* in the profile, by index in the message; PROF_NONE */
    size_t n, n_zero; /* entities, and those with id 0 */
    bool unnumbered;  /* no entity has an id: they are 1, 2, 3 ... */
};

/* What became of the samples. */
struct account {
    size_t kept, lost;
    size_t unread; /* of the lost: without as many values as types */
    /* Labels of the kept: with a text and a unit, with an empty text. */
    size_t n_units, n_textless;
    struct wide *sum_kept, *sum_lost; /* by sample type */
};

struct repair {
    struct tolerant m;
    const struct prof_check_counts *counts;
    struct profile *p;
    const struct prof_notes *notes;
    struct prof_err *err;
    uint32_t *str; /* string id in *p, by index in the file's table */
    struct id_map mappings, functions, locations;
    size_t n_cleared; /* flags of mappings */
    size_t n_unknown; /* fields that profile.proto does not have */
    struct account account;
};

/* The string with that index; otherwise 0, and *lost (may be null) is set. */
static uint32_t repaired_string(const struct repair *d, int64_t index,
                                bool *lost)
{
    if (index >= 0 && (uint64_t)index < d->m.strings.n)
        return index ? d->str[index] : 0;
    if (lost && index)
        *lost = true;
    return 0;
}

static void count_unknown(void *ctx, const struct tolerant_fault *f)
{
    struct repair *d = ctx;
    d->n_unknown += f->kind == TOLERANT_UNKNOWN;
}

static bool intern_strings(struct repair *d)
{
    size_t n = d->m.strings.n;
    d->str = mem_zarray(n + 1, sizeof *d->str);
    if (!d->str)
        return err_nomem(d->err);
    for (size_t i = 1; i < n; i++) {
        const struct tolerant_string *s = &d->m.strings.v[i];
        if (!prof_strn(d->p, (const char *)d->m.data + s->at, s->n, &d->str[i],
                       d->err))
            return false;
    }
    return true;
}

/* --- the profile's own fields */

static bool add_types(struct repair *d)
{
    if (!d->m.types.n && d->m.n_samples)
        return err_set(d->err, PROF_ERR_INPUT,
                       "cannot be repaired: no sample types, so the values "
                       "have no meaning");
    for (size_t i = 0; i < d->m.types.n; i++) {
        const struct tolerant_type *t = &d->m.types.v[i];
        bool lost = false;
        struct prof_value_type vt = {repaired_string(d, t->type, &lost),
                                     repaired_string(d, t->unit, NULL)};
        if (lost)
            return err_set(d->err, PROF_ERR_INPUT,
                           "cannot be repaired: the name of sample type %zu is "
                           "lost, so its values have no meaning",
                           i);
        if (!prof_add_type_id(d->p, vt, d->err))
            return false;
    }
    return true;
}

static int64_t header_number(const struct repair *d, enum profile_field field)
{
    return (int64_t)d->m.header[field].value;
}

static uint32_t header_string(const struct repair *d, enum profile_field field)
{
    return repaired_string(d, header_number(d, field), NULL);
}

/*
 * Drops an expression that is not valid.  One with a NUL in it, or larger
 * than can be compiled here, is not tried.
 */
static bool set_regexp(struct repair *d, enum profile_field field, uint32_t *id)
{
    struct prof_err why;
    const char *text = prof_plain(d->p, *id = header_string(d, field));
    if (!*text)
        return true;
    if (regex_check(text, &why))
        return true;
    *id = 0;
    if (why.kind == PROF_ERR_SYSTEM)
        *d->err = why;
    return why.kind != PROF_ERR_SYSTEM;
}

static bool add_comments(struct repair *d)
{
    for (size_t i = 0; i < d->m.comments.n; i++) {
        bool lost = false;
        uint32_t id = repaired_string(d, d->m.comments.v[i].index, &lost);
        if (!lost && !prof_add_comment_id(d->p, id, d->err))
            return false;
    }
    return true;
}

static uint32_t default_type(const struct repair *d)
{
    uint32_t name = header_string(d, PROFILE_DEFAULT_SAMPLE_TYPE);
    for (size_t i = 0; i < d->p->n_types; i++)
        if (d->p->types[i].type == name)
            return name;
    return 0;
}

static bool add_header(struct repair *d)
{
    struct profile *p = d->p;
    if (!add_types(d) || !add_comments(d) ||
        !set_regexp(d, PROFILE_DROP_FRAMES, &p->drop_frames) ||
        !set_regexp(d, PROFILE_KEEP_FRAMES, &p->keep_frames))
        return false;
    p->time_nanos = header_number(d, PROFILE_TIME_NANOS);
    p->duration_nanos = header_number(d, PROFILE_DURATION_NANOS);
    p->period = header_number(d, PROFILE_PERIOD);
    p->period_type.type = repaired_string(d, d->m.period_type.type, NULL);
    p->period_type.unit = repaired_string(d, d->m.period_type.unit, NULL);
    p->default_sample_type = default_type(d);
    p->doc_url = header_string(d, PROFILE_DOC_URL);
    return true;
}

/* --- ids */

/* The index of the entity in the profile, or PROF_NONE. */
static uint32_t find_entity(const struct id_map *map, uint64_t id)
{
    if (map->unnumbered && (id || map->n > 1))
        return id - 1 < map->n ? map->index[id - 1] : PROF_NONE;
    if (!id && map->n_zero != 1)
        return PROF_NONE;
    uint32_t i = idmap_get(&map->of, id);
    return i == IDMAP_NONE ? PROF_NONE : map->index[i];
}

static void id_map_free(struct id_map *map)
{
    idmap_free(&map->of);
    free(map->index);
}

/* What became of an entity; others get their index. */
#define KEPT 0U
#define DROPPED PROF_NONE

typedef bool are_equal_fn(const struct repair *d, size_t a, size_t b);

/*
 * Drops the entities that repeat what a later one says, and those of one id
 * that differ.
 */
static bool drop_repeated(struct repair *d, struct id_map *map,
                          const struct idmap_entities *e,
                          are_equal_fn *are_equal)
{
    uint32_t twice;
    map->n = e->n;
    map->index = mem_zarray(e->n + 1, sizeof *map->index);
    if (!map->index || !idmap_make(&map->of, e, &twice))
        return err_nomem(d->err);
    if (!map->of.index) /* they count up from 1 */
        return true;
    for (size_t i = 0; i < e->n; i++) {
        uint64_t id = idmap_id(e, i);
        map->n_zero += !id;
        uint32_t last = idmap_get(&map->of, id);
        if (!id || last == i)
            continue;
        map->index[i] = DROPPED;
        if (!are_equal(d, i, last))
            map->index[last] = DROPPED;
    }
    return true;
}

static bool is_kept(const struct id_map *map, size_t i)
{
    return map->index[i] == KEPT;
}

/* --- mappings */

static struct prof_mapping repaired_mapping(const struct repair *d, size_t i)
{
    const struct tolerant_mapping *m = &d->m.mappings.v[i];
    return (struct prof_mapping){
        .id = m->id,
        .start = m->start,
        .limit = m->limit,
        .offset = m->file_offset,
        .filename = repaired_string(d, m->filename, NULL),
        .build_id = repaired_string(d, m->build_id, NULL),
        .has_functions = m->has[TOLERANT_HAS_FUNCTIONS],
        .has_filenames = m->has[TOLERANT_HAS_FILENAMES],
        .has_line_numbers = m->has[TOLERANT_HAS_LINE_NUMBERS],
        .has_inline_frames = m->has[TOLERANT_HAS_INLINE_FRAMES],
    };
}

static bool are_equal_mappings(const struct repair *d, size_t a, size_t b)
{
    const struct prof_mapping m = repaired_mapping(d, a),
                              n = repaired_mapping(d, b);
    return m.start == n.start && m.limit == n.limit && m.offset == n.offset &&
           m.filename == n.filename && m.build_id == n.build_id &&
           !memcmp(d->m.mappings.v[a].has, d->m.mappings.v[b].has,
                   sizeof d->m.mappings.v[a].has);
}

static bool add_mappings(struct repair *d)
{
    struct id_map *map = &d->mappings;
    size_t n = d->m.mappings.n;
    const struct idmap_entities all = {d->m.mappings.v, n,
                                       sizeof *d->m.mappings.v};
    if (!drop_repeated(d, map, &all, are_equal_mappings))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct prof_mapping m = repaired_mapping(d, i);
        if (is_kept(map, i) &&
            !prof_add_mapping(d->p, &m, &map->index[i], d->err))
            return false;
    }
    return true;
}

/* --- functions */

static struct prof_function repaired_function(const struct repair *d, size_t i)
{
    const struct tolerant_function *f = &d->m.functions.v[i];
    return (struct prof_function){
        .id = f->id,
        .name = repaired_string(d, f->name, NULL),
        .system_name = repaired_string(d, f->system_name, NULL),
        .filename = repaired_string(d, f->filename, NULL),
        .start_line = f->start_line,
    };
}

static bool are_equal_functions(const struct repair *d, size_t a, size_t b)
{
    const struct prof_function f = repaired_function(d, a),
                               g = repaired_function(d, b);
    return f.name == g.name && f.system_name == g.system_name &&
           f.filename == g.filename && f.start_line == g.start_line;
}

static bool add_functions(struct repair *d)
{
    struct id_map *map = &d->functions;
    size_t n = d->m.functions.n;
    const struct idmap_entities all = {d->m.functions.v, n,
                                       sizeof *d->m.functions.v};
    if (!drop_repeated(d, map, &all, are_equal_functions))
        return false;
    map->unnumbered = n && map->n_zero == n;
    for (size_t i = 0; i < n; i++) {
        const struct prof_function f = repaired_function(d, i);
        if (is_kept(map, i) &&
            !prof_add_function(d->p, &f, &map->index[i], d->err))
            return false;
    }
    return true;
}

/* --- locations */

static bool are_equal_locations(const struct repair *d, size_t a, size_t b)
{
    const struct tolerant_location *l = &d->m.locations.v[a];
    const struct tolerant_location *k = &d->m.locations.v[b];
    if (l->mapping_id != k->mapping_id || l->address != k->address ||
        l->is_folded != k->is_folded || l->n_lines != k->n_lines)
        return false;
    for (size_t i = 0; i < l->n_lines; i++) {
        const struct tolerant_line *x = &d->m.lines.v[l->line_off + i];
        const struct tolerant_line *y = &d->m.lines.v[k->line_off + i];
        if (x->function_id != y->function_id || x->line != y->line ||
            x->column != y->column)
            return false;
    }
    return true;
}

/* Adds the lines that have a function. */
static bool add_lines(struct repair *d, const struct tolerant_location *l)
{
    for (size_t i = 0; i < l->n_lines; i++) {
        const struct tolerant_line *line = &d->m.lines.v[l->line_off + i];
        const struct prof_line to = {
            .line = line->line,
            .column = line->column,
            .function = find_entity(&d->functions, line->function_id)};
        if (to.function != PROF_NONE && !prof_push_line(d->p, &to, d->err))
            return false;
    }
    return true;
}

static bool add_location(struct repair *d, size_t i)
{
    const struct tolerant_location *l = &d->m.locations.v[i];
    struct prof_location to = {
        .id = l->id,
        .address = l->address,
        .mapping = l->mapping_id ? find_entity(&d->mappings, l->mapping_id)
                                 : PROF_NONE,
        .is_folded = l->is_folded,
    };
    size_t first = d->p->n_lines;
    uint32_t *index = &d->locations.index[i];
    if (!prof_add_location(d->p, &to, NULL, 0, index, d->err) ||
        !add_lines(d, l))
        return false;
    struct prof_location *added = &d->p->locations[*index];
    added->line_off = (uint32_t)first;
    added->n_lines = (uint32_t)(d->p->n_lines - first);
    return true;
}

static bool add_locations(struct repair *d)
{
    struct id_map *map = &d->locations;
    size_t n = d->m.locations.n;
    const struct idmap_entities all = {d->m.locations.v, n,
                                       sizeof *d->m.locations.v};
    if (!drop_repeated(d, map, &all, are_equal_locations))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_kept(map, i) && !add_location(d, i))
            return false;
    return true;
}

static bool add_entities(struct repair *d)
{
    return add_mappings(d) && add_functions(d) && add_locations(d);
}

/* --- samples */

struct copying {
    struct repair *d;
    VEC(uint32_t) frames;
    VEC(struct prof_label) labels;
};

/* *found: the profile has all locations of the stack. */
static bool find_frames(struct copying *c, bool *found)
{
    const struct repair *d = c->d;
    const struct tolerant_sample *s = &d->m.sample;
    *found = true;
    c->frames.n = 0;
    for (size_t i = 0; i < s->ids.n && *found; i++) {
        uint32_t index = find_entity(&d->locations, s->ids.v[i]);
        *found = index != PROF_NONE;
        if (*found && !vec_push(&c->frames, index))
            return err_nomem(d->err);
    }
    return true;
}

/* Counts labels that lose a part, or are read as something else. */
static void count_odd(struct account *a, const struct tolerant_label *from,
                      uint32_t text)
{
    a->n_units += text && from->unit && !from->num;
    a->n_textless += !text && from->str;
}

/* Drops labels whose key or text is lost. */
static bool find_labels(struct copying *c)
{
    struct repair *d = c->d;
    c->labels.n = 0;
    for (size_t i = 0; i < d->m.sample.labels.n; i++) {
        const struct tolerant_label *from = &d->m.sample.labels.v[i];
        bool lost = false;
        struct prof_label l = {.key = repaired_string(d, from->key, &lost),
                               .str = repaired_string(d, from->str, &lost)};
        if (!l.str) {
            l.num = from->num;
            l.unit = repaired_string(d, from->unit, NULL);
        }
        if (!lost)
            count_odd(&d->account, from, l.str);
        if (!lost && !vec_push(&c->labels, l))
            return err_nomem(d->err);
    }
    return true;
}

static void count_sample(struct repair *d, bool kept)
{
    const struct tolerant_sample *s = &d->m.sample;
    struct account *a = &d->account;
    size_t n = d->p->n_types;
    struct wide *sums = kept ? a->sum_kept : a->sum_lost;
    *(kept ? &a->kept : &a->lost) += 1;
    if (s->values.n != n) {
        a->unread++;
        return;
    }
    for (size_t i = 0; i < n; i++)
        wide_add(&sums[i], s->values.v[i]);
}

static bool add_sample(struct copying *c)
{
    struct repair *d = c->d;
    const struct tolerant_sample *s = &d->m.sample;
    bool found;
    uint32_t set;
    if (!find_frames(c, &found))
        return false;
    bool keep = found && !s->broken && s->values.n == d->p->n_types;
    count_sample(d, keep);
    return !keep ||
           (find_labels(c) &&
            prof_labelset(d->p, c->labels.v, c->labels.n, &set, d->err) &&
            prof_add_sample(d->p, c->frames.v, c->frames.n, s->values.v, set,
                            d->err));
}

static bool add_samples(struct repair *d)
{
    const struct tolerant_faults faults = {count_unknown, d};
    struct copying c = {.d = d};
    struct account *a = &d->account;
    int got;
    a->sum_kept = mem_zarray(d->p->n_types + 1, sizeof *a->sum_kept);
    a->sum_lost = mem_zarray(d->p->n_types + 1, sizeof *a->sum_lost);
    if (!a->sum_kept || !a->sum_lost)
        return err_nomem(d->err);
    while ((got = tolerant_next_sample(&d->m, &faults, d->err)) > 0)
        if (!add_sample(&c)) {
            got = -1;
            break;
        }
    vec_free(&c.frames);
    vec_free(&c.labels);
    return !got;
}

/* --- flags of mappings */

/* What the locations of a mapping have. */
struct content {
    bool any, functions, filenames, line_numbers;
};

static void add_content(const struct profile *p, const struct prof_location *l,
                        struct content *c)
{
    c->any = true;
    for (uint32_t k = 0; k < l->n_lines; k++) {
        const struct prof_line *line = &p->lines[l->line_off + k];
        const struct prof_function *f = &p->functions[line->function];
        c->functions |= f->name || f->system_name;
        c->filenames |= f->filename != 0;
        c->line_numbers |= line->line != 0;
    }
}

/* 1 for each location of a sample that is written; others are not either. */
static uint8_t *used_locations(const struct profile *p)
{
    uint8_t *used = mem_zarray(p->n_locations + 1, 1);
    for (size_t s = 0; used && s < p->n_samples; s++)
        if (!prof_sample_is_zero(p, s))
            for (uint64_t f = p->frame_off[s]; f < p->frame_off[s + 1]; f++)
                used[p->frames[f]] = 1;
    return used;
}

static void clear_flag(struct repair *d, bool *flag, bool founded)
{
    d->n_cleared += *flag && !founded;
    *flag = *flag && founded;
}

static void clear_flags(struct repair *d, const struct content *content)
{
    struct profile *p = d->p;
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        const struct content *c = &content[i];
        if (!c->any)
            continue;
        clear_flag(d, &m->has_functions, c->functions);
        clear_flag(d, &m->has_filenames, c->filenames);
        clear_flag(d, &m->has_line_numbers, c->line_numbers);
    }
}

static bool set_flags(struct repair *d)
{
    const struct profile *p = d->p;
    struct content *content = mem_zarray(p->n_mappings + 1, sizeof *content);
    uint8_t *used = used_locations(p);
    bool ok = (content && used) || err_nomem(d->err);
    for (size_t i = 0; ok && i < p->n_locations; i++)
        if (used[i] && p->locations[i].mapping != PROF_NONE)
            add_content(p, &p->locations[i], &content[p->locations[i].mapping]);
    if (ok)
        clear_flags(d, content);
    free(content);
    free(used);
    return ok;
}

/* --- report */

enum { TYPES_SHOWN = 16 };

static bool put_sum(struct buf *to, const struct wide *s)
{
    int64_t v;
    return wide_fits(*s, &v) ? buf_put_i64(to, v)
                             : buf_puts(to, "more than 64 bits");
}

/* "cpu/nanoseconds: 30 kept, 12 lost" */
static bool put_type(struct buf *to, const struct repair *d, size_t i)
{
    const struct prof_value_type *t = &d->p->types[i];
    return buf_printf(to, "; %s: ", prof_show_type(d->p, *t).text) &&
           put_sum(to, &d->account.sum_kept[i]) && buf_puts(to, " kept, ") &&
           put_sum(to, &d->account.sum_lost[i]) && buf_puts(to, " lost");
}

static bool put_account(struct buf *to, const struct repair *d)
{
    const struct account *a = &d->account;
    size_t n = d->p->n_types;
    bool ok = buf_printf(to, "samples: %zu kept, %zu lost", a->kept, a->lost);
    for (size_t i = 0; ok && i < n && i < TYPES_SHOWN; i++)
        ok = put_type(to, d, i);
    if (n > TYPES_SHOWN)
        ok = ok && buf_printf(to, "; and %zu more types", n - TYPES_SHOWN);
    if (a->unread)
        ok = ok &&
             buf_printf(to,
                        "; the values of %zu lost samples have unknown types",
                        a->unread);
    if (d->m.lost)
        ok =
            ok && buf_printf(to, "; the last %zu bytes of the message are lost",
                             d->m.lost);
    return ok && buf_putc(to, 0);
}

/* What is lost although it breaks no rule that has a remedy. */
static void report_losses(const struct repair *d)
{
    const struct account *a = &d->account;
    if (d->counts->of[RULE_CONCATENATED])
        note_loss(d->notes, "several uncompressed profiles concatenated?");
    if (d->n_unknown)
        note_loss(d->notes, "%zu fields skipped: unknown to profile.proto",
                  d->n_unknown);
    if (a->n_units)
        note_loss(
            d->notes,
            "%zu labels have a string and a unit; only the string is kept",
            a->n_units);
    if (a->n_textless)
        note_loss(d->notes,
                  "%zu labels have an empty string and are read as numbers",
                  a->n_textless);
}

static bool report_repair(const struct repair *d)
{
    struct buf text = {0};
    for (int r = 0; r < CHECK_RULES; r++) {
        /* A repair can make more flags unfounded. */
        uint64_t n = r == RULE_FLAG_UNFOUNDED ? d->n_cleared : d->counts->of[r];
        if (n && check_rules[r].remedy)
            note_loss(d->notes, "repaired: %s, %" PRIu64 " time%s: %s",
                      check_rules[r].name, n, n == 1 ? "" : "s",
                      check_rules[r].remedy);
    }
    report_losses(d);
    bool ok = put_account(&text, d);
    if (ok)
        note_loss(d->notes, "%s", (const char *)text.v);
    buf_free(&text);
    return ok || err_nomem(d->err);
}

/* --- all */

static void repair_free(struct repair *d)
{
    tolerant_free(&d->m);
    free(d->str);
    id_map_free(&d->mappings);
    id_map_free(&d->functions);
    id_map_free(&d->locations);
    free(d->account.sum_kept);
    free(d->account.sum_lost);
}

static bool note_finding(void *ctx, const struct prof_finding *f,
                         struct prof_err *err)
{
    (void)err;
    const struct prof_notes *notes = ctx;
    if (check_rules[f->rule].remedy)
        note_info(notes, "%s: %s [%s]", f->place, f->text,
                  check_rules[f->rule].name);
    return true;
}

/* Whether the message has to be repaired, or repair has to refuse it. */
static bool has_remedies(const struct prof_check_counts *counts)
{
    if (counts->of[RULE_NO_SAMPLE_TYPE])
        return true;
    for (int r = 0; r < CHECK_RULES; r++)
        if (counts->of[r] && check_rules[r].remedy)
            return true;
    return false;
}

/*
 * Of concatenated messages nothing is left: no sample has as many values as
 * there are sample types, which repeat.
 */
static bool refuse_concatenated(const struct repair *d)
{
    const struct account *a = &d->account;
    if (!d->counts->of[RULE_CONCATENATED] || a->kept || !a->lost ||
        a->unread < a->lost)
        return true;
    return err_set(d->err, PROF_ERR_INPUT,
                   "cannot be repaired: several uncompressed profiles are "
                   "concatenated; compress each with gzip before "
                   "concatenating them");
}

bool repair_message(const uint8_t *data, size_t n, struct profile *p,
                    const struct prof_notes *notes, struct prof_err *err)
{
    const struct prof_check_opts opts = {.report = note_finding,
                                         .ctx = (void *)notes};
    struct prof_check_counts counts = {0};
    struct repair d = {.counts = &counts, .p = p, .notes = notes, .err = err};
    const struct tolerant_faults faults = {count_unknown, &d};
    memset(p, 0, sizeof *p);
    if (!prof_check(data, n, &opts, &counts, err))
        return false;
    if (!has_remedies(&counts))
        return pb_decode(data, n, p, notes, err);
    bool ok = prof_init(p, err) && tolerant_read(&d.m, data, n, &faults, err) &&
              intern_strings(&d) && add_header(&d) && add_entities(&d) &&
              add_samples(&d) && refuse_concatenated(&d) && set_flags(&d) &&
              report_repair(&d);
    repair_free(&d);
    return ok;
}

struct profile *prof_repair(const void *data, size_t n,
                            const struct prof_notes *notes,
                            struct prof_err *err)
{
    struct profile p = {0};
    bool ok = repair_message(data, n, &p, notes, err);
    return prof_box(&p, ok, err);
}
