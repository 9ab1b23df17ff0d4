/* textprof.c - reads lines, stacks and mappings of text profiles */
#include "formats/textprof.h"

#include "base/utf8.h"
#include "formats/maps.h"
#include "formats/profiler_frames.h"

/* Bytes of a line that a message quotes. */
enum { QUOTE_MAX = 80 };

/* See textprof_repeat(). */
enum { REPEAT_MIN_ROOM = 1 << 20, REPEAT_TIMES = 16 };

void textprof_scan(struct textprof *t, const void *data, size_t n,
                   const struct prof_notes *notes)
{
    *t = (struct textprof){.rest = {data, n}, .notes = notes, .room = SIZE_MAX};
    if (n < (SIZE_MAX - REPEAT_MIN_ROOM) / REPEAT_TIMES)
        t->room = REPEAT_MIN_ROOM + REPEAT_TIMES * n;
}

bool textprof_begin(struct textprof *t, const void *data, size_t n,
                    const struct prof_notes *notes, struct prof_err *err)
{
    textprof_scan(t, data, n, notes);
    t->p = prof_new(err);
    return t->p != NULL;
}

struct profile *textprof_end(struct textprof *t, bool ok)
{
    prof_locmap_free(&t->locs);
    prof_functionmap_free(&t->functions);
    vec_free(&t->lines);
    vec_free(&t->frames);
    if (ok)
        return t->p;
    prof_delete(t->p);
    return NULL;
}

bool textprof_line(struct textprof *t)
{
    while (t->rest.n) {
        t->number++;
        t->line = slice_trim(maps_unlog(slice_take_line(&t->rest)));
        if (t->line.n && (t->comments || t->line.s[0] != '#'))
            return true;
    }
    t->line.n = 0;
    return false;
}

int textprof_quoted(struct prof_slice s)
{
    return s.n < QUOTE_MAX ? (int)s.n : QUOTE_MAX;
}

bool textprof_header(struct textprof *t)
{
    while (textprof_line(t)) {
        struct prof_slice s = t->line, rest = s;
        if (s.s[0] != '%')
            return true;
        if (slice_is(slice_take_word(&rest), "%warn"))
            s = slice_trim_left(rest);
        if (s.n)
            note_warn(t->notes, "line %zu: message in the profile: %.*s",
                      t->number, textprof_quoted(s), s.s);
    }
    return false;
}

bool textprof_need_header(struct textprof *t, const char *kind,
                          struct prof_err *err)
{
    return textprof_header(t) ||
           err_input(err, "not a %s profile: no header in line 1", kind);
}

struct prof_slice textprof_first_line(const void *data, size_t n)
{
    struct textprof t;
    textprof_scan(&t, data, n, NULL);
    (void)textprof_header(&t);
    return t.line;
}

bool textprof_at_maps(const struct textprof *t)
{
    return slice_contains(t->line, "MAPPED_LIBRARIES:") ||
           slice_contains(t->line, "--- Memory map: ---");
}

bool textprof_is_cut(const struct textprof *t)
{
    return t->line.n && !t->rest.n && t->rest.s[-1] != '\n';
}

bool textprof_note_cut(struct textprof *t, bool kept)
{
    if (!textprof_is_cut(t))
        return false;
    t->cut_reported = true;
    note_loss(t->notes,
              kept ? "line %zu: unexpected end of file; the last address may "
                     "be truncated"
                   : "line %zu: unexpected end of file; line skipped",
              t->number);
    return true;
}

void textprof_note_cut_comment(struct textprof *t)
{
    if (!textprof_is_cut(t))
        return;
    t->cut_reported = true;
    note_loss(t->notes,
              "line %zu: unexpected end of file in a comment; names or labels "
              "may be truncated or missing",
              t->number);
}

void textprof_note_cut_end(struct textprof *t)
{
    const char *end = t->rest.s + t->rest.n;
    if (!t->cut_reported && end[-1] != '\n')
        note_loss(t->notes,
                  "the file does not end with a newline; it may be truncated");
    t->cut_reported = true;
}

void textprof_note_line(const struct textprof *t, const char *what)
{
    note_loss(t->notes, "line %zu: '%.*s%s' %s", t->number,
              textprof_quoted(t->line), t->line.s,
              t->line.n <= QUOTE_MAX ? "" : "...", what);
}

bool textprof_wrong(const struct textprof *t, struct prof_err *err,
                    const char *what)
{
    return err_input(err, "line %zu: '%.*s%s' %s", t->number,
                     textprof_quoted(t->line), t->line.s,
                     t->line.n <= QUOTE_MAX ? "" : "...", what);
}

bool textprof_add_pc(struct textprof *t, uint64_t pc, struct prof_err *err)
{
    if (!vec_reserve(&t->frames, 1))
        return err_nomem(err);
    return prof_locmap_get(&t->locs, t->p, PROF_NONE, pc,
                           &t->frames.v[t->frames.n++], err);
}

bool textprof_add_return(struct textprof *t, uint64_t pc, struct prof_err *err)
{
    if (pc)
        return textprof_add_pc(t, pc - 1, err);
    t->n_null++;
    return true;
}

bool textprof_stack(struct textprof *t, struct prof_slice text,
                    enum textprof_stack what, struct prof_err *err)
{
    t->frames.n = 0;
    while ((text = slice_trim_left(text)).n) {
        uint64_t pc;
        struct prof_slice word = slice_take_word(&text), digits = word;
        if (!slice_begins_with(word, "0x") || !slice_take_0xhex(&digits, &pc) ||
            digits.n)
            return err_input(err,
                             "line %zu: invalid address '%.*s': expected 0x "
                             "and a hexadecimal number of 64 bits",
                             t->number, textprof_quoted(word), word.s);
        if (!(what == TEXTPROF_NUMBERS ? textprof_add_pc(t, pc, err)
                                       : textprof_add_return(t, pc, err)))
            return false;
    }
    return true;
}

bool textprof_repeat(struct textprof *t, size_t n_frames, struct prof_err *err)
{
    if (n_frames > t->room)
        return err_input(
            err,
            "line %zu: repeated stacks exceed %d frames per byte of the file",
            t->number, REPEAT_TIMES);
    t->room -= n_frames;
    return true;
}

bool textprof_finish(struct textprof *t, const char *binary, bool expect_maps,
                     struct prof_err *err)
{
    struct prof_slice maps = {0};
    size_t first = t->number, n = 0;
    t->comments = false;
    note_count(t->notes, PROF_NOTE_LOSS, t->n_null,
               "%zu caller{s} at address 0 skipped", t->n_null);

    /* Skip lines up to the one before the mappings. */
    bool more = t->line.n > 0 || textprof_line(t);
    for (; more && !textprof_at_maps(t); more = textprof_line(t))
        if (n++ == 0)
            first = t->number;
    note_count(t->notes, PROF_NOTE_LOSS, n,
               "line %zu: %zu line{s} skipped from here: neither samples "
               "nor mappings",
               first, n);

    if (more && slice_trim_left(t->rest).n) {
        maps = t->rest;
    } else {
        note_at(t->notes, expect_maps ? PROF_NOTE_LOSS : PROF_NOTE_INFO,
                "no list of mappings");
        textprof_note_cut_end(t);
    }
    return maps_read(maps, t->p, binary, t->notes, err) &&
           profiler_frames_name(t->p, err);
}

bool textprof_attribute(const struct textprof *t, struct textprof_attribute *a)
{
    struct prof_slice value = t->line, name = slice_take_until(&value, '=');
    if (name.n == t->line.n || ascii_is_digit(*t->line.s))
        return false;
    a->name = slice_trim(name);
    a->value = slice_trim(value);
    return true;
}

bool textprof_number(const struct textprof *t, struct prof_slice digits,
                     int64_t *to, struct prof_err *err)
{
    return slice_to_int(digits, to) ||
           textprof_wrong(t, err, "has an invalid number");
}

bool textprof_common(const struct textprof *t,
                     const struct textprof_attribute *a, bool *is,
                     struct prof_err *err)
{
    struct prof_header header = prof_get_header(t->p);
    int64_t ms;
    *is = true;
    if (slice_is(a->name, "sampling period")) {
        if (!textprof_number(t, a->value, &header.period, err))
            return false;
    } else if (slice_is(a->name, "ms since reset")) {
        if (!textprof_number(t, a->value, &ms, err))
            return false;
        if (__builtin_mul_overflow(ms, 1000000, &header.duration_nanos))
            return textprof_wrong(t, err, "exceeds 64 bits in nanoseconds");
    } else {
        *is = false;
    }
    prof_set_header(t->p, &header);
    return true;
}

bool textprof_period(struct textprof *t, int64_t period, const char *type,
                     const char *unit, struct prof_err *err)
{
    struct prof_header header = prof_get_header(t->p);
    header.period = period;
    if (!prof_str(t->p, type, &header.period_type.type, err) ||
        !prof_str(t->p, unit, &header.period_type.unit, err))
        return false;
    prof_set_header(t->p, &header);
    return true;
}

bool textprof_name(struct textprof *t, uint32_t location,
                   const struct textprof_name *names, size_t n,
                   struct prof_err *err)
{
    struct profile *p = t->p;
    t->lines.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct prof_slice name = names[i].function, file = names[i].file;
        struct prof_line line = {.line = names[i].line};
        struct prof_function f = {0};
        if (!prof_strn(p, name.s, name.n, &f.name, err) ||
            !prof_strn(p, file.s, file.n, &f.filename, err))
            return false;
        f.system_name = f.name;
        if (!prof_function_get(&t->functions, p, &f, &line.function, err))
            return false;
        if (!vec_push(&t->lines, line))
            return err_nomem(err);
    }
    uint32_t mapping = prof_get_location(p, location).mapping;
    if (mapping != PROF_NONE) {
        struct prof_mapping m = prof_get_mapping(p, mapping);
        m.has_functions = true;
        m.has_filenames |= names->file.s != NULL;
        m.has_line_numbers |= names->file.s != NULL;
        m.has_inline_frames |= n > 1;
        prof_set_mapping(p, mapping, &m);
    }
    return prof_set_lines(p, location, t->lines.v, n, err);
}
