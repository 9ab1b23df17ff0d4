/* import.c - reads files with several profiles, and adds profiles of inputs */

#include "formats/import.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "formats/maps.h"
#include "formats/textprof.h"

/*
 * Reads text profiles that were concatenated in one file: each ends where a
 * line begins the next.
 */
struct reading {
    import_read_fn *read;
    const struct import_input *in;
    const struct import_options *options;
    size_t line; /* number of the first line of the part */
};

/* Where to send the notes of a profile, and the line it begins at. */
struct placed {
    const struct prof_notes *to;
    size_t line;
};

static void relay_note(void *ctx, enum prof_note_level level, const char *text)
{
    const struct placed *placed = ctx;
    note_at(placed->to, level, "in the profile at line %zu: %s", placed->line,
            text);
}

/* Returns false for samples, mappings and comments, by their first byte. */
static bool may_be_header(struct prof_slice line)
{
    return line.n && !ascii_is_digit(line.s[0]) && !ascii_is_blank(line.s[0]) &&
           line.s[0] != '#' && line.s[0] != '@' && line.s[0] != '%';
}

/* Returns the text before the second header; sets *n_lines to the number of its
 * lines. */
static struct prof_slice find_part(const struct import_format *format,
                                   struct prof_slice text, size_t *n_lines)
{
    bool begun = false, may_end = format->next == IMPORT_ANYWHERE;
    struct prof_slice rest = text;
    for (*n_lines = 0; rest.n; ++*n_lines) {
        struct prof_slice from = rest;
        const struct textprof t = {.line = slice_take_line(&rest)};
        may_end = may_end || textprof_at_maps(&t);
        /*
         * Test only lines that may be headers, also without a log's prefix:
         * begins() skips lines without content, so testing every line would
         * take quadratic time.
         */
        if (!may_be_header(t.line) ||
            !may_be_header(slice_trim(maps_unlog(t.line))) ||
            (begun && !may_end) ||
            !format->begins((const uint8_t *)from.s, from.n))
            continue;
        if (begun)
            return slice_to(text, text.n - from.n);
        begun = true;
    }
    return text;
}

static struct profile *read_part(struct reading *r, struct prof_slice part,
                                 struct prof_err *err)
{
    struct import_input in = *r->in;
    in.data = (const uint8_t *)part.s;
    in.n = part.n;
    if (r->line == 1)
        return r->read(&in, r->options, err);
    struct placed placed = {r->in->notes, r->line};
    const struct prof_notes notes = {.say = relay_note, .ctx = &placed};
    in.notes = &notes;
    struct profile *p = r->read(&in, r->options, err);
    if (!p)
        (void)err_prefix(err, "in the profile at line %zu: ", r->line);
    return p;
}

struct profile *import_read(const struct import_format *format,
                            const struct import_input *in,
                            const struct import_options *options,
                            struct prof_err *err)
{
    struct reading r = {
        .read = in->lookup->reader(format),
        .in = in,
        .options = options,
        .line = 1,
    };
    size_t n_lines;
    struct prof_slice first = {(const char *)in->data, in->n};
    struct profile *out = NULL;
    if (format->next != IMPORT_NOWHERE)
        first = find_part(format, first, &n_lines);
    if (first.n == in->n || options->first_only) {
        if (first.n < in->n)
            note_info(
                in->notes,
                "the profiles after the first are skipped (--first-only)");
        return read_part(&r, first, err);
    }

    struct prof_slice rest = {(const char *)in->data, in->n};
    struct prof_merger *sum = prof_merge_new(NULL, err);
    size_t n_parts = 0;
    bool ok = sum != NULL;
    while (ok && rest.n) {
        struct prof_slice part = find_part(format, rest, &n_lines);
        struct profile *p = read_part(&r, part, err);
        ok = p && prof_merge_add(sum, p, err);
        prof_delete(p);
        rest = slice_from(rest, part.n);
        r.line += n_lines;
        n_parts++;
    }
    if (ok)
        out = prof_merge_result(sum, NULL, err);
    prof_merge_free(sum);
    if (out)
        note_warn(in->notes, "the file contains %zu profiles; they are added",
                  n_parts);
    return out;
}

bool import_sum_add(struct import_sum *sum, struct profile *p,
                    struct prof_err *err)
{
    if (p && !sum->merger)
        sum->merger = prof_merge_new(NULL, err);
    const bool ok = p && sum->merger && notes_lossless(sum->notes, err) &&
                    prof_merge_take(sum->merger, p, err);
    prof_delete(p);
    return ok;
}

struct profile *import_sum_finish(struct import_sum *sum,
                                  const struct prof_result_opts *how,
                                  struct prof_err *err)
{
    struct profile *p = prof_merge_result(sum->merger, how, err);
    if (p && !prof_count(p).samples)
        note_warn(sum->notes, "no samples");
    return p;
}

const char *import_program_advice(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "\177ELF", 4) == 0
               ? TEXT("; specify the program with -e")
               : "";
}
