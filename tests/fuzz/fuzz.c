#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/check_profile.h"
#include "profile/wire/pb.h"

void fuzz_fail(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)fprintf(stderr, "%s:%d: does not hold: ", file, line);
    (void)vfprintf(stderr, fmt, args);
    (void)fputc('\n', stderr);
    va_end(args);
    abort();
}

static void look_at(void *ctx, enum prof_note_level level, const char *text)
{
    (void)ctx;
    FUZZ_CHECK(level == PROF_NOTE_INFO || level == PROF_NOTE_WARN ||
               level == PROF_NOTE_LOSS);
    FUZZ_CHECK(strlen(text) > 0);
}

const struct prof_notes fuzz_notes = {.say = look_at, .ctx = NULL};

void fuzz_refused(const struct prof_err *err)
{
    if (err->kind != PROF_ERR_INPUT && err->kind != PROF_ERR_USAGE)
        fuzz_fail(__FILE__, __LINE__, "refused by kind %d: %s", (int)err->kind,
                  err->text);
    FUZZ_CHECK(memchr(err->text, 0, sizeof err->text));
    FUZZ_CHECK(strlen(err->text) > 3);
}

/* --- that two profiles are the same */

struct pair {
    const struct profile *p, *q;
};

static bool same_str(struct pair t, uint32_t a, uint32_t b)
{
    size_t n = strtab_len(&t.p->strings, a);
    return strtab_len(&t.q->strings, b) == n &&
           memcmp(prof_cstr(t.p, a), prof_cstr(t.q, b), n) == 0;
}

static bool same_type(struct pair t, struct prof_value_type a,
                      struct prof_value_type b)
{
    return same_str(t, a.type, b.type) && same_str(t, a.unit, b.unit);
}

static void same_header(struct pair t)
{
    const struct profile *p = t.p, *q = t.q;
    FUZZ_CHECK(p->n_types == q->n_types);
    for (size_t i = 0; i < p->n_types; i++)
        FUZZ_CHECK(same_type(t, p->types[i], q->types[i]));
    FUZZ_CHECK(p->n_comments == q->n_comments);
    for (size_t i = 0; i < p->n_comments; i++)
        FUZZ_CHECK(same_str(t, p->comments[i], q->comments[i]));
    FUZZ_CHECK(p->time_nanos == q->time_nanos);
    FUZZ_CHECK(p->duration_nanos == q->duration_nanos);
    FUZZ_CHECK(p->period == q->period);
    FUZZ_CHECK(same_type(t, p->period_type, q->period_type));
    FUZZ_CHECK(same_str(t, p->drop_frames, q->drop_frames));
    FUZZ_CHECK(same_str(t, p->keep_frames, q->keep_frames));
    FUZZ_CHECK(same_str(t, p->default_sample_type, q->default_sample_type));
    FUZZ_CHECK(same_str(t, p->doc_url, q->doc_url));
}

static void same_mappings(struct pair t)
{
    FUZZ_CHECK(t.p->n_mappings == t.q->n_mappings);
    for (size_t i = 0; i < t.p->n_mappings; i++) {
        const struct prof_mapping *a = &t.p->mappings[i];
        const struct prof_mapping *b = &t.q->mappings[i];
        FUZZ_CHECK(a->start == b->start && a->limit == b->limit);
        FUZZ_CHECK(a->offset == b->offset);
        FUZZ_CHECK(same_str(t, a->filename, b->filename));
        FUZZ_CHECK(same_str(t, a->build_id, b->build_id));
        FUZZ_CHECK(a->has_functions == b->has_functions);
        FUZZ_CHECK(a->has_filenames == b->has_filenames);
        FUZZ_CHECK(a->has_line_numbers == b->has_line_numbers);
        FUZZ_CHECK(a->has_inline_frames == b->has_inline_frames);
    }
}

static void same_functions(struct pair t)
{
    FUZZ_CHECK(t.p->n_functions == t.q->n_functions);
    for (size_t i = 0; i < t.p->n_functions; i++) {
        const struct prof_function *a = &t.p->functions[i];
        const struct prof_function *b = &t.q->functions[i];
        FUZZ_CHECK(a->start_line == b->start_line);
        FUZZ_CHECK(same_str(t, a->name, b->name));
        FUZZ_CHECK(same_str(t, a->system_name, b->system_name));
        FUZZ_CHECK(same_str(t, a->filename, b->filename));
    }
}

static void same_locations(struct pair t)
{
    FUZZ_CHECK(t.p->n_locations == t.q->n_locations);
    for (size_t i = 0; i < t.p->n_locations; i++) {
        const struct prof_location *a = &t.p->locations[i];
        const struct prof_location *b = &t.q->locations[i];
        FUZZ_CHECK(a->address == b->address && a->mapping == b->mapping);
        FUZZ_CHECK(a->is_folded == b->is_folded && a->n_lines == b->n_lines);
        for (uint32_t k = 0; k < a->n_lines; k++) {
            const struct prof_line *x = &t.p->lines[a->line_off + k];
            const struct prof_line *y = &t.q->lines[b->line_off + k];
            FUZZ_CHECK(x->line == y->line && x->column == y->column);
            FUZZ_CHECK(x->function == y->function);
        }
    }
}

static bool same_label(struct pair t, const struct prof_label *a,
                       const struct prof_label *b)
{
    return same_str(t, a->key, b->key) && same_str(t, a->str, b->str) &&
           (a->str || (a->num == b->num && same_str(t, a->unit, b->unit)));
}

/* In whatever order: keys are ordered by ids, which are not the same. */
static void same_labels(struct pair t, uint32_t a, uint32_t b)
{
    const uint64_t *p = &t.p->labelset_off[a], *q = &t.q->labelset_off[b];
    FUZZ_CHECK(p[1] - p[0] == q[1] - q[0]);
    for (uint64_t i = p[0]; i < p[1]; i++) {
        uint64_t k = q[0];
        while (k < q[1] && !same_label(t, &t.p->labels[i], &t.q->labels[k]))
            k++;
        FUZZ_CHECK(k < q[1]);
    }
}

static void same_samples(struct pair t)
{
    const struct profile *p = t.p, *q = t.q;
    FUZZ_CHECK(p->n_samples == q->n_samples);
    for (size_t s = 0; s < p->n_samples; s++) {
        size_t depth = prof_depth(p, s);
        FUZZ_CHECK(depth == prof_depth(q, s));
        for (size_t i = 0; i < depth; i++)
            FUZZ_CHECK(prof_stack(p, s)[i] == prof_stack(q, s)[i]);
        for (size_t i = 0; i < p->n_types; i++)
            FUZZ_CHECK(p->values[s * p->n_types + i] ==
                       q->values[s * p->n_types + i]);
        same_labels(t, p->labelset[s], q->labelset[s]);
    }
}

void fuzz_same(const struct profile *p, const struct profile *q)
{
    struct pair t = {p, q};
    same_header(t);
    same_mappings(t);
    same_functions(t);
    same_locations(t);
    same_samples(t);
}

void fuzz_sound(const struct profile *p)
{
    struct profile back;
    struct buf bytes = {0};
    struct buf_sink to = buf_sink_of(&bytes);
    struct prof_err err = {0};
    if (!check_profile(p, &err) || !pb_encode(p, &to.sink, &err) ||
        !pb_decode(bytes.v, bytes.n, &back, &fuzz_notes, &err))
        fuzz_fail(__FILE__, __LINE__, "not sound: %s", err.text);
    fuzz_same(p, &back);
    prof_free(&back);
    buf_free(&bytes);
}
