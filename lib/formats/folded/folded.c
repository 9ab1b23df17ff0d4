/*
 * folded.c - reads folded stacks
 *
 * Programs sort the stacks that they write, so each stack shares its first
 * frames with the one before.  These frames are not looked up again.
 */
#include "formats/folded/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "formats/textprof.h"

/* What pbcat shows for a stack without frames. */
#define NO_STACK "<no stack>"

/* The mappings that annotations assign frames to. */
enum place { PROGRAM, KERNEL, JIT, INTERPRETER, N_PLACES };

/* A frame of a stack. */
struct step {
    size_t end;        /* where its name ends in the text of the stack */
    uint32_t location; /* its location if no frames are inlined */
    bool inlined;      /* inlined into the frame before it */
};

struct reader {
    const struct folded_opts *opts;
    const struct prof_notes *notes;
    struct profile *p;
    size_t number; /* of the current line, from 1 */

    struct prof_namemap names[N_PLACES];
    uint32_t mapping[N_PLACES]; /* PROF_NONE without annotations */

    /* A run is a frame and the frames inlined into it: it has one location. */
    struct map runs; /* locations of the frames: rows of run_locations */
    VEC(uint32_t) run_locations;
    VEC(uint32_t) run;           /* scratch */
    VEC(struct prof_line) lines; /* scratch */

    struct prof_slice stack; /* that of the line before */
    VEC(struct step) path;   /* its frames, from the root on */
    VEC(uint32_t) locations; /* those of the path, leaf first */
    uint32_t labelset;       /* of its root (opts.root_label) */
    int64_t *values;         /* n_types: one for each type */
    size_t n_types;

    /* Lines to mention in notes; 0: none. */
    size_t first_nameless, first_blank_end;
    bool all_end_in_more; /* lines end in more numbers than types */
};

/* Blanks are spaces and tabs here. */
static bool is_gap(char c)
{
    return c == ' ' || c == '\t';
}

static struct prof_slice trim_right(struct prof_slice s)
{
    while (s.n && is_gap(s.s[s.n - 1]))
        s.n--;
    return s;
}

/* Takes the number at the end of *s, and the blank before it, off *s. */
static bool take_value(struct prof_slice *s, int64_t *value)
{
    size_t k = s->n;
    while (k && ascii_is_digit(s->s[k - 1]))
        k--;
    if (k && s->s[k - 1] == '-')
        k--;
    if (!k || !is_gap(s->s[k - 1]))
        return false;
    struct prof_slice number = slice_from(*s, k);
    if (!slice_take_int(&number, value))
        return false;
    *s = slice_to(*s, k - 1);
    return true;
}

/*
 * Sets *err to the reason why the end of `rest`, a part of the line, is not a
 * value.  Returns false.
 */
static bool wrong_value(const struct reader *r, struct prof_slice line,
                        struct prof_slice rest, struct prof_err *err)
{
    size_t k = rest.n, n = r->n_types, number = r->number;
    while (k && !is_gap(rest.s[k - 1]))
        k--;
    struct prof_slice word = slice_from(rest, k), s = word;
    (void)slice_take_char(&s, '-');
    if (k && slice_is_decimal(s))
        return err_input(err, "line %zu: number out of range: %.*s", number,
                         textprof_quoted(word), word.s);
    /* Recognize "12.5" and "12.". */
    struct prof_slice decimals = s, whole = slice_take_until(&decimals, '.');
    if (k && whole.n < s.n && slice_is_decimal(whole) &&
        (!decimals.n || slice_is_decimal(decimals)))
        return err_input(err, "line %zu: '%.*s': values must be integers",
                         number, textprof_quoted(word), word.s);
    int quoted = textprof_quoted(line);
    const char *dots = (size_t)quoted < line.n ? "..." : "";
    if (n > 1)
        return err_input(err,
                         "line %zu: '%.*s%s' does not end in %zu numbers "
                         "separated by spaces",
                         number, quoted, line.s, dots, n);
    return err_input(err,
                     "line %zu: '%.*s%s' does not end in a space and a number "
                     "(if no line does, use --no-counts)",
                     number, quoted, line.s, dots);
}

/*
 * Takes the values off the end of the line, with all blanks after them and one
 * blank before them.  Fails with PROF_ERR_INPUT if they are missing.
 */
static bool read_values(struct reader *r, struct prof_slice *line,
                        struct prof_err *err)
{
    struct prof_slice rest = *line;
    int64_t more;
    if (r->opts->no_counts)
        r->values[0] = 1;
    for (size_t i = r->opts->no_counts ? 0 : r->n_types; i--;) {
        rest = trim_right(rest);
        if (!take_value(&rest, &r->values[i]))
            return wrong_value(r, *line, rest, err);
    }
    *line = rest;
    rest = trim_right(rest);
    r->all_end_in_more = r->all_end_in_more && take_value(&rest, &more);
    return true;
}

/* Returns how many frames of r->path, from the root on, `stack` begins with. */
static size_t shared_frames(const struct reader *r, struct prof_slice stack)
{
    /* Count the leading bytes that both have, eight at a time. */
    const char *a = stack.s, *b = r->stack.s;
    size_t n = stack.n < r->stack.n ? stack.n : r->stack.n, same = 0;
    for (uint64_t x, y; n - same >= sizeof x; same += sizeof x) {
        memcpy(&x, a + same, sizeof x);
        memcpy(&y, b + same, sizeof y);
        if (x != y)
            break;
    }
    while (same < n && a[same] == b[same])
        same++;

    size_t k = r->path.n;
    for (; k; k--) {
        size_t end = r->path.v[k - 1].end;
        if (end <= same && (end == stack.n || stack.s[end] == ';'))
            break;
    }
    return k;
}

/*
 * Takes an annotation such as "_[k]" off *name; returns the place that it
 * means, or sets *inlined.
 */
static enum place take_annotation(struct prof_slice *name, bool *inlined)
{
    enum { ENDING = 4 };
    const char *end = name->s + name->n;
    enum place place = PROGRAM;
    if (name->n < ENDING || end[-1] != ']' ||
        memcmp(end - ENDING, "_[", 2) != 0)
        return PROGRAM;
    switch (end[-2]) {
    case 'k':
        place = KERNEL;
        break;
    case 'j':
    case '1':
        place = JIT;
        break;
    case '0':
        place = INTERPRETER;
        break;
    case 'i':
        *inlined = true;
        break;
    default:
        return PROGRAM;
    }
    name->n -= ENDING;
    return place;
}

/* Appends the frame `name`, which ends at offset `end`, to the path. */
static bool add_step(struct reader *r, struct prof_slice name, size_t end,
                     struct prof_err *err)
{
    struct step step = {.end = end};
    enum place place = PROGRAM;
    if (!name.n && !r->first_nameless)
        r->first_nameless = r->number;
    if (!r->path.n && r->opts->root_label) {
        /* The root is the label of its stack, unless it has no name. */
        struct prof_label label = {0};
        r->labelset = 0;
        if (name.n && (!prof_strn(r->p, name.s, name.n, &label.str, err) ||
                       !prof_str(r->p, r->opts->root_label, &label.key, err) ||
                       !prof_labelset(r->p, &label, 1, &r->labelset, err)))
            return false;
    }
    if (r->opts->annotations)
        place = take_annotation(&name, &step.inlined);
    return prof_namemap_get(&r->names[place], r->p, r->mapping[place], name,
                            &step.location, err) &&
           (vec_push(&r->path, step) || err_nomem(err));
}

/* Sets r->path to the frames of the stack, which may have none. */
static bool read_stack(struct reader *r, struct prof_slice stack,
                       struct prof_err *err)
{
    bool none = !stack.n || slice_is(stack, NO_STACK);
    r->path.n = none ? 0 : shared_frames(r, stack);
    if (none)
        r->labelset = 0;
    size_t at = r->path.n ? r->path.v[r->path.n - 1].end + 1 : 0;
    while (!none && at <= stack.n) {
        struct prof_slice rest = slice_from(stack, at),
                          name = slice_take_until(&rest, ';');
        if (!add_step(r, name, at + name.n, err))
            return false;
        at += name.n + 1;
    }
    r->stack = stack;
    if (!r->opts->no_counts && stack.n && is_gap(stack.s[stack.n - 1]) &&
        !r->first_blank_end)
        r->first_blank_end = r->number;
    return true;
}

/*
 * Sets *location to that of the frame outer[0] and the n - 1 frames inlined
 * into it; its lines are those frames, innermost first.
 */
static bool find_run(struct reader *r, const struct step *outer, size_t n,
                     uint32_t *location, struct prof_err *err)
{
    struct profile *p = r->p;
    uint32_t row;
    bool is_new;
    size_t n_lines;
    r->run.n = r->lines.n = 0;
    for (size_t i = 0; i < n; i++)
        if (!vec_push(&r->run, outer[i].location))
            return err_nomem(err);
    if (!map_add(&r->runs, r->run.v, n * sizeof *r->run.v, &row, &is_new))
        return err_nomem(err);
    if (!is_new) {
        *location = r->run_locations.v[row];
        return true;
    }
    for (size_t i = n; i--;) {
        const struct prof_line *own =
            prof_get_lines(p, outer[i].location, &n_lines);
        const struct prof_line unknown = {.function = PROF_NONE};
        if (!vec_push(&r->lines, own ? *own : unknown))
            return err_nomem(err);
    }
    struct prof_location at = {
        .mapping = prof_get_location(p, outer->location).mapping};
    return prof_add_location(p, &at, r->lines.v, n, location, err) &&
           (vec_push(&r->run_locations, *location) || err_nomem(err));
}

/* Reads a line without its newline; if `cut`, the line may be truncated. */
static bool read_line(struct reader *r, struct prof_slice line, bool cut,
                      struct prof_err *err)
{
    if (line.n && line.s[line.n - 1] == '\r')
        line.n--;
    if (!slice_trim_left(line).n)
        return true;
    bool comment = line.s[0] == '#' && (line.n == 1 || is_gap(line.s[1])) &&
                   !slice_contains(line, ";");
    bool has_values = comment || read_values(r, &line, err);
    if (cut)
        note_loss(
            r->notes,
            has_values
                ? "line %zu: unexpected end of file; the line may be truncated"
                : "line %zu: unexpected end of file; line skipped",
            r->number);
    if (!has_values)
        return cut;
    if (comment) {
        uint32_t id;
        struct prof_slice text = slice_trim(slice_from(line, 1));
        return !text.n || (prof_strn(r->p, text.s, text.n, &id, err) &&
                           prof_add_comment_id(r->p, id, err));
    }
    if (!read_stack(r, line, err))
        return false;

    /* Collect the locations, leaf first, without a root that is a label. */
    const struct step *steps = r->path.v;
    const size_t root = r->opts->root_label && r->path.n;
    r->locations.n = 0;
    if (!vec_reserve(&r->locations, r->path.n))
        return err_nomem(err);
    for (size_t i = r->path.n; i-- > root;) {
        const size_t inner = i;
        while (steps[i].inlined && i > root)
            i--;
        uint32_t location = steps[i].location;
        if (i < inner && !find_run(r, steps + i, inner - i + 1, &location, err))
            return false;
        r->locations.v[r->locations.n++] = location;
    }
    return prof_add_sample(r->p, r->locations.v, r->locations.n, r->values,
                           r->labelset, err);
}

/* Adds the sample types and, with annotations, a mapping for each place.  A
 * merge drops mappings without frames. */
static bool add_types(struct reader *r, struct prof_err *err)
{
    static const char *const places[N_PLACES] = {"", "[kernel]", "[jit]",
                                                 "[interpreter]"};
    const struct folded_opts *o = r->opts;
    struct prof_value_type vt;
    if (!o->n_types && !prof_add_type(r->p, "samples", "count", err))
        return false;
    for (size_t i = 0; i < o->n_types; i++) {
        const struct folded_type *t = &o->types[i];
        if (!prof_strn(r->p, t->name.s, t->name.n, &vt.type, err) ||
            !prof_strn(r->p, t->unit.s, t->unit.n, &vt.unit, err) ||
            !prof_add_type_id(r->p, vt, err))
            return false;
    }
    for (size_t i = 0; i < N_PLACES; i++) {
        struct prof_mapping m = {.has_functions = true};
        r->mapping[i] = PROF_NONE;
        if (o->annotations &&
            (!prof_str(r->p, places[i], &m.filename, err) ||
             !prof_add_mapping(r->p, &m, &r->mapping[i], err)))
            return false;
    }
    return true;
}

static bool read_text(struct reader *r, const struct import_input *in,
                      struct prof_err *err)
{
    struct prof_slice rest = {(const char *)in->data, in->n};
    if (!in->n)
        return err_input(err, "empty file");
    if (in->foreign)
        return err_input(err, "not folded stacks: found %s",
                         in->foreign->words);
    r->n_types = r->opts->n_types ? r->opts->n_types : 1;
    r->values = mem_array(r->n_types, sizeof *r->values);
    if (!r->values)
        return err_nomem(err);
    if (!add_types(r, err))
        return false;
    while (rest.n) {
        r->number++;
        struct prof_slice line = slice_take_line(&rest);
        bool cut = line.s + line.n == rest.s;
        if (!read_line(r, line, cut, err))
            return false;
    }
    size_t n_samples = prof_count(r->p).samples;
    if (!n_samples)
        return err_input(err, "no stacks found");
    if (r->first_nameless)
        note_info(r->notes, "line %zu: frame without a name",
                  r->first_nameless);
    if (r->first_blank_end)
        note_info(r->notes,
                  "line %zu: extra spaces before the number are part of the "
                  "last frame's name",
                  r->first_blank_end);
    if (r->all_end_in_more && n_samples > 1)
        note_warn(r->notes,
                  "every line has one more number than --sample-types has "
                  "names; it was read as part of the last frame (add a name "
                  "to --sample-types)");
    return true;
}

struct profile *folded_read(const struct import_input *in,
                            const struct folded_opts *opts,
                            struct prof_err *err)
{
    struct reader r = {.opts = opts,
                       .notes = in->notes,
                       .p = prof_new(err),
                       .all_end_in_more = true};
    bool ok = r.p && read_text(&r, in, err);
    for (size_t i = 0; i < N_PLACES; i++)
        prof_namemap_free(&r.names[i]);
    map_free(&r.runs);
    vec_free(&r.run_locations);
    vec_free(&r.run);
    vec_free(&r.lines);
    vec_free(&r.path);
    vec_free(&r.locations);
    free(r.values);
    if (ok)
        return r.p;
    prof_delete(r.p);
    return NULL;
}

/* Limits of the text that folded_begins() looks at. */
enum { LOOK_BYTES = 1 << 20, LOOK_LINES = 32 };

/*
 * Returns whether the first lines, without blank lines and comments, are text,
 * all end in a number, and some have a semicolon.
 */
static bool folded_begins(const uint8_t *data, size_t n)
{
    struct prof_slice rest = {(const char *)data,
                              n < LOOK_BYTES ? n : LOOK_BYTES};
    bool semicolons = false;
    for (int lines = 0; rest.n && lines < LOOK_LINES;) {
        bool ends = n <= LOOK_BYTES || memchr(rest.s, '\n', rest.n);
        struct prof_slice line = slice_trim_right(slice_take_line(&rest));
        if (!ends)
            break;
        if (!line.n ||
            (line.s[0] == '#' && (line.n == 1 || ascii_is_blank(line.s[1]))))
            continue;
        if (!slice_is_text(line))
            return false;

        /* Require a blank and a number, or a fraction, at the end. */
        size_t k = line.n, dots = 0;
        while (k && (ascii_is_digit(line.s[k - 1]) || line.s[k - 1] == '.'))
            dots += line.s[--k] == '.';
        if (k == line.n || line.s[k] == '.' || dots > 1)
            return false;
        if (k && line.s[k - 1] == '-')
            k--;
        if (!k || !is_gap(line.s[k - 1]))
            return false;
        semicolons = semicolons || slice_contains(line, ";");
        lines++;
    }
    return semicolons;
}

const struct import_format folded_format = {
    .name = "folded",
    IMPORT_READ_BY("folded2pb", "folded stacks"),
    .begins = folded_begins,
};

bool folded_may_begin(const struct import_input *in,
                      const struct folded_opts *opts)
{
    struct prof_slice text = {(const char *)in->data, in->n};
    if (in->format || in->foreign || !opts->no_counts)
        return in->format != NULL;
    return slice_begins_as_text(text) &&
           slice_contains(slice_take_line(&text), ";");
}

/* --- options -------------------------------------------------------------- */

bool folded_set_types(struct folded_opts *opts, const char *text,
                      struct prof_err *err)
{
    VEC(struct folded_type) types = {0};
    bool ok = true;
    for (bool more = true; ok && more;) {
        size_t n = strcspn(text, ",");
        const char *slash = memchr(text, '/', n);
        size_t k = slash ? (size_t)(slash - text) : n;
        struct folded_type type = {{text, k}, {"count", 5}};
        if (slash)
            type.unit = (struct prof_slice){slash + 1, n - k - 1};
        if (!type.name.n || !type.unit.n)
            ok = err_value(err, "expected TYPE or TYPE/UNIT, not '%.*s'",
                           (int)n, text);
        for (size_t i = 0; ok && i < types.n; i++)
            if (slice_same(types.v[i].name, type.name))
                ok = err_set(err, PROF_ERR_USAGE,
                             "duplicate sample type '%.*s'", (int)k, text);
        ok = ok && (vec_push(&types, type) || err_nomem(err));
        more = text[n] == ',';
        text += n + more;
    }
    folded_opts_free(opts);
    opts->types = types.v;
    opts->n_types = types.n;
    return ok;
}

void folded_opts_free(struct folded_opts *opts)
{
    free((struct folded_type *)opts->types);
    opts->types = NULL;
    opts->n_types = 0;
}
