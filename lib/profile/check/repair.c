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
    uint32_t *index;  /* in the profile, by index in the message; or DROPPED */
    size_t n, n_zero; /* number of entities, and of those with id 0 */
    bool unnumbered;  /* no entity has an id: they count as 1, 2, 3 ... */
};

/* Kept and lost samples. */
struct account {
    size_t kept, lost;
    size_t unread; /* lost ones that do not have a value for each type */
    /* Labels of kept samples: with a text and a unit; with an empty text. */
    size_t n_units, n_textless;
    struct wide *sum_kept, *sum_lost; /* by sample type: sums of the values */
};

struct repair {
    struct tolerant m;
    const struct prof_check_counts *counts;
    struct profile *p;
    const struct prof_notes *notes;
    struct prof_err *err;
    uint32_t *str; /* string id in *p, by index in the file's table */
    struct id_map mappings, functions, locations;
    size_t n_cleared; /* flags of mappings that were cleared */
    size_t n_unknown; /* fields that profile.proto does not define */
    struct account account;
};

/*
 * Returns the id of the string with this index.  If there is none, returns 0
 * and sets *lost (which may be null).
 */
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
        return err_input(d->err, "cannot be repaired: no sample types, so the "
                                 "values have no meaning");
    for (size_t i = 0; i < d->m.types.n; i++) {
        const struct tolerant_type *t = &d->m.types.v[i];
        bool lost = false;
        struct prof_value_type vt = {repaired_string(d, t->type, &lost),
                                     repaired_string(d, t->unit, NULL)};
        if (lost)
            return err_input(d->err,
                             "cannot be repaired: the name of sample type %zu "
                             "is lost, so its values have no meaning",
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
 * Sets *id to the regular expression of a field, or to 0 if it is invalid.  One
 * that has a NUL, or is too large to be compiled here, is kept unchecked.
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

static bool add_header(struct repair *d)
{
    struct profile *p = d->p;
    if (!add_types(d))
        return false;
    for (size_t i = 0; i < d->m.comments.n; i++) {
        bool lost = false;
        uint32_t id = repaired_string(d, d->m.comments.v[i].index, &lost);
        if (!lost && !prof_add_comment_id(p, id, d->err))
            return false;
    }
    if (!set_regexp(d, PROFILE_DROP_FRAMES, &p->drop_frames) ||
        !set_regexp(d, PROFILE_KEEP_FRAMES, &p->keep_frames))
        return false;
    p->time_nanos = header_number(d, PROFILE_TIME_NANOS);
    p->duration_nanos = header_number(d, PROFILE_DURATION_NANOS);
    p->period = header_number(d, PROFILE_PERIOD);
    p->period_type.type = repaired_string(d, d->m.period_type.type, NULL);
    p->period_type.unit = repaired_string(d, d->m.period_type.unit, NULL);
    p->doc_url = header_string(d, PROFILE_DOC_URL);
    /* Keep the default only if it is the name of a sample type. */
    uint32_t name = header_string(d, PROFILE_DEFAULT_SAMPLE_TYPE);
    for (size_t i = 0; i < p->n_types; i++)
        if (p->types[i].type == name)
            p->default_sample_type = name;
    return true;
}

/* --- ids */

/* Returns the index of the entity in the profile, or PROF_NONE. */
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

/* An entity's index is one of these until it is added to the profile. */
#define KEPT 0U
#define DROPPED PROF_NONE

typedef bool are_equal_fn(const struct repair *d, size_t a, size_t b);

/*
 * Drops entities that repeat a later one.  If two with the same id differ,
 * drops both.
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
    if (!map->of.index) /* ids are 1, 2, 3 ...: none repeats */
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

static bool add_locations(struct repair *d)
{
    struct profile *p = d->p;
    struct id_map *map = &d->locations;
    const struct idmap_entities all = {d->m.locations.v, d->m.locations.n,
                                       sizeof *d->m.locations.v};
    if (!drop_repeated(d, map, &all, are_equal_locations))
        return false;
    for (size_t i = 0; i < d->m.locations.n; i++) {
        const struct tolerant_location *l = &d->m.locations.v[i];
        struct prof_location to = {
            .id = l->id,
            .address = l->address,
            .mapping = l->mapping_id ? find_entity(&d->mappings, l->mapping_id)
                                     : PROF_NONE,
            .is_folded = l->is_folded,
        };
        if (!is_kept(map, i))
            continue;
        if (!prof_add_location(p, &to, NULL, 0, &map->index[i], d->err))
            return false;
        struct prof_location *added = &p->locations[map->index[i]];
        added->line_off = (uint32_t)p->n_lines;
        /* Lines without a function are dropped. */
        for (size_t k = 0; k < l->n_lines; k++) {
            const struct tolerant_line *from = &d->m.lines.v[l->line_off + k];
            const struct prof_line line = {
                .line = from->line,
                .column = from->column,
                .function = find_entity(&d->functions, from->function_id)};
            if (line.function != PROF_NONE && !prof_push_line(p, &line, d->err))
                return false;
        }
        added->n_lines = (uint32_t)p->n_lines - added->line_off;
    }
    return true;
}

/* --- samples */

struct copying {
    struct repair *d;
    VEC(uint32_t) frames;
    VEC(struct prof_label) labels;
};

/* Sets c->labels to those of the sample whose key and text are not lost. */
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
        if (lost)
            continue;
        /* Count labels that lose a part, or are read as something else. */
        d->account.n_units += l.str && from->unit && !from->num;
        d->account.n_textless += !l.str && from->str;
        if (!vec_push(&c->labels, l))
            return err_nomem(d->err);
    }
    return true;
}

/*
 * Adds the sample if it has all of its locations and values; counts it in any
 * case.
 */
static bool add_sample(struct copying *c)
{
    struct repair *d = c->d;
    struct account *a = &d->account;
    const struct tolerant_sample *s = &d->m.sample;
    bool is_read = s->values.n == d->p->n_types;
    bool keep = is_read && !s->broken;
    uint32_t set;
    c->frames.n = 0;
    for (size_t i = 0; i < s->ids.n && keep; i++) {
        uint32_t index = find_entity(&d->locations, s->ids.v[i]);
        keep = index != PROF_NONE;
        if (keep && !vec_push(&c->frames, index))
            return err_nomem(d->err);
    }
    *(keep ? &a->kept : &a->lost) += 1;
    a->unread += !is_read;
    for (size_t i = 0; is_read && i < s->values.n; i++)
        wide_add(keep ? &a->sum_kept[i] : &a->sum_lost[i], s->values.v[i]);
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

static void clear_flag(struct repair *d, bool *flag, bool founded)
{
    d->n_cleared += *flag && !founded;
    *flag = *flag && founded;
}

/* Clears the flags of a mapping that none of its locations supports. */
static bool set_flags(struct repair *d)
{
    struct profile *p = d->p;
    struct content *content = mem_zarray(p->n_mappings + 1, sizeof *content);
    /*
     * Marks the locations of samples whose values are not all 0: only they are
     * written.
     */
    uint8_t *used = mem_zarray(p->n_locations + 1, 1);
    bool ok = (content && used) || err_nomem(d->err);
    for (size_t s = 0; ok && s < p->n_samples; s++)
        if (!prof_sample_is_zero(p, s))
            for (size_t i = 0; i < prof_depth(p, s); i++)
                used[prof_stack(p, s)[i]] = 1;
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        if (!used[i] || l->mapping == PROF_NONE)
            continue;
        struct content *c = &content[l->mapping];
        c->any = true;
        for (uint32_t k = 0; k < l->n_lines; k++) {
            const struct prof_line *line = &p->lines[l->line_off + k];
            const struct prof_function *f = &p->functions[line->function];
            c->functions |= f->name || f->system_name;
            c->filenames |= f->filename != 0;
            c->line_numbers |= line->line != 0;
        }
    }
    for (size_t i = 0; ok && i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        if (!content[i].any)
            continue;
        clear_flag(d, &m->has_functions, content[i].functions);
        clear_flag(d, &m->has_filenames, content[i].filenames);
        clear_flag(d, &m->has_line_numbers, content[i].line_numbers);
    }
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
                             : buf_puts(to, TEXT("more than 64 bits"));
}

/* Appends "samples: 3 kept, 1 lost; cpu/nanoseconds: 30 kept, 12 lost". */
static bool put_account(struct buf *to, const struct repair *d)
{
    const struct account *a = &d->account;
    size_t n = d->p->n_types;
    bool ok = buf_printf(to, "samples: %zu kept, %zu lost", a->kept, a->lost);
    for (size_t i = 0; ok && i < n && i < TYPES_SHOWN; i++)
        ok = buf_printf(to,
                        "; %s: ", prof_show_type(d->p, d->p->types[i]).text) &&
             put_sum(to, &a->sum_kept[i]) && buf_puts(to, " kept, ") &&
             put_sum(to, &a->sum_lost[i]) && buf_puts(to, " lost");
    if (n > TYPES_SHOWN)
        ok =
            ok && buf_printf(to, TEXT("; and %zu more types"), n - TYPES_SHOWN);
    if (a->unread)
        ok =
            ok &&
            buf_printf(
                to, TEXT("; the values of %zu lost samples have unknown types"),
                a->unread);
    if (d->m.lost)
        ok = ok && buf_printf(
                       to, TEXT("; the last %zu bytes of the message are lost"),
                       d->m.lost);
    return ok && buf_putc(to, 0);
}

/* Reports losses that no rule with a remedy covers. */
static void report_losses(const struct repair *d)
{
    const struct account *a = &d->account;
    if (d->counts->of[RULE_CONCATENATED])
        note_loss(d->notes, "several uncompressed profiles concatenated?");
    note_count(d->notes, PROF_NOTE_LOSS, d->n_unknown,
               "%zu field{s} skipped: not defined in profile.proto",
               d->n_unknown);
    note_count(d->notes, PROF_NOTE_LOSS, a->n_units,
               "unit of %zu label{s} dropped: a label with a string has none",
               a->n_units);
    note_count(d->notes, PROF_NOTE_LOSS, a->n_textless,
               "%zu label{s} with an empty string read as {a "
               "number|numbers}",
               a->n_textless);
}

static bool report_repair(const struct repair *d)
{
    struct buf text = {0};
    for (int r = 0; r < CHECK_RULES; r++) {
        /* A repair can make more flags unfounded. */
        uint64_t n = r == RULE_FLAG_UNFOUNDED ? d->n_cleared : d->counts->of[r];
        if (n && check_rules[r].remedy)
            note_count(d->notes, PROF_NOTE_LOSS, n,
                       "repaired: %s, %" PRIu64 " time{s}: %s",
                       check_rules[r].name, n, check_rules[r].remedy);
    }
    report_losses(d);
    bool ok = put_account(&text, d);
    if (ok)
        note_loss(d->notes, "%s", (const char *)text.v);
    buf_free(&text);
    return ok || err_nomem(d->err);
}

/* --- all */

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

/*
 * Fails if messages are concatenated and no sample is left: sample types add
 * up, so samples have fewer values than types.
 */
static bool refuse_concatenated(const struct repair *d)
{
    const struct account *a = &d->account;
    if (!d->counts->of[RULE_CONCATENATED] || a->kept || !a->lost ||
        a->unread < a->lost)
        return true;
    return err_input(
        d->err,
        "cannot be repaired: several uncompressed profiles are concatenated; "
        "compress each with gzip before concatenating them");
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
    /* Repair if a violated rule has a remedy, or if repair has to refuse it. */
    bool has_remedies = counts.of[RULE_NO_SAMPLE_TYPE] != 0;
    for (int r = 0; r < CHECK_RULES; r++)
        has_remedies = has_remedies || (counts.of[r] && check_rules[r].remedy);
    if (!has_remedies)
        return pb_decode(data, n, p, notes, err);
    bool ok = prof_init(p, err) && tolerant_read(&d.m, data, n, &faults, err) &&
              intern_strings(&d) && add_header(&d) && add_mappings(&d) &&
              add_functions(&d) && add_locations(&d) && add_samples(&d) &&
              refuse_concatenated(&d) && set_flags(&d) && report_repair(&d);
    tolerant_free(&d.m);
    free(d.str);
    id_map_free(&d.mappings);
    id_map_free(&d.functions);
    id_map_free(&d.locations);
    free(d.account.sum_kept);
    free(d.account.sum_lost);
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
