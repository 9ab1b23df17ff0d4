/*
 * raw_profile.c - symbolized profiles, as `pprof --raw` of gperftools writes
 * them
 *
 * A list of names for the addresses of a profile, and then the profile:
 *
 *      --- symbol
 *      binary=/usr/bin/app
 *      0x0000000000401156 main<0000000000401136>--outer--inner
 *      0x00000000004011a0 leaf(int)
 *      ---
 *      --- profile
 *      (the bytes of a CPU profile, or the text of another kind)
 *
 * The last "---" is followed by the kind: `profile`, which old writers use for
 * all kinds, or in jeprof also `heap`, `growth` and `contention`.  Lines that
 * begin with "%" may precede either header.
 *
 * There are two kinds of such files.  A profile fetched from a program is
 * included as the program sent it.  A local CPU profile was rewritten: its
 * period is lost, callers' addresses are one less than the return address
 * already, and it has no mappings (cpu_is_rewritten()).
 *
 * A line names the functions at an address, separated by "--".  google-pprof
 * appends the start address of a function to its name, "<0000000000401136>",
 * which is removed.  Names of C++ may contain "--": operator--, and expressions
 * in brackets; these do not separate names.
 *
 * Unless opts.no_symbols, locations get the functions of the list, without
 * files and lines.  The main binary gets the name in `binary=` unless a list of
 * mappings names it.
 *
 * The only description is google-pprof itself, and jemalloc's jeprof.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "formats/gperftools/private.h"
#include "formats/maps.h"
#include "formats/textprof.h"

/* The names of an address. */
struct raw_name {
    uint64_t address;
    struct prof_slice text; /* in the file, not copied */
};

struct reading {
    const struct import_input *in;
    const struct import_options *options;
    struct textprof text;       /* lines of names; .p: profile to name */
    VEC(struct raw_name) names; /* sorted by address; each address once */
    struct prof_slice binary;   /* the value of binary=, or empty */
    VEC(struct textprof_name) functions; /* of one address */
};

enum { OPEN_MAX = 16 }; /* names with unbalanced brackets in a text */

/* Returns the length of an operator's name, as "operator<<=", at s.s[at] or 0.
 */
static size_t operator_length(struct prof_slice s, size_t at)
{
    static const char word[] = "operator";
    static const char signs[][4] = {"<=>", "->*", "<<=", ">>=", "<<",
                                    ">>",  "<=",  ">=",  "->",  "()",
                                    "[]",  "<",   ">",   "-=",  "-"};
    const size_t n_word = sizeof word - 1;
    size_t dashes = 0;
    /* Require a whole word. */
    if (s.n - at <= n_word || memcmp(s.s + at, word, n_word) != 0 ||
        (at && slice_is_word_char(s.s[at - 1])) ||
        slice_is_word_char(s.s[at + n_word]))
        return 0;
    struct prof_slice sign = slice_from(s, at + n_word);
    while (dashes < sign.n && sign.s[dashes] == '-')
        dashes++;
    /* Two dashes are operator--; three are operator- and a mark. */
    if (dashes == 2 || dashes > 3)
        return n_word + 2;
    for (size_t i = 0; dashes < 2 && i < sizeof signs / sizeof *signs; i++)
        if (slice_begins_with(sign, signs[i]))
            return n_word + strlen(signs[i]);
    return n_word + (dashes > 0);
}

/* Sets *at to the first mark "--", outside of brackets unless in_brackets, or
 * else to the end.  Returns false if there is no mark and brackets stay open.
 */
static bool find_mark(struct prof_slice s, bool in_brackets, size_t *at)
{
    size_t depth = 0, n;
    for (size_t i = 0; i < s.n; i++) {
        if ((n = operator_length(s, i))) {
            i += n - 1;
        } else if (ascii_is_one_of(s.s[i], "([{<")) {
            depth++;
        } else if (ascii_is_one_of(s.s[i], ")]}") ||
                   (s.s[i] == '>' && i && s.s[i - 1] != '-')) {
            depth -= depth > 0;
        } else if (s.s[i] == '-' && i + 1 < s.n && s.s[i + 1] == '-' && i &&
                   (!depth || in_brackets)) {
            *at = i;
            return true;
        }
    }
    *at = s.n;
    return depth == 0;
}

/*
 * Takes the first name off *text, and the mark after it.  *n_open, 0 at first,
 * counts names with unbalanced brackets; after 16 of them, all brackets are
 * ignored, which limits the work for hostile texts.
 */
static struct prof_slice cut_name(struct prof_slice *text, unsigned *n_open)
{
    size_t at;
    /* find_mark() searches the whole text if brackets stay open. */
    bool open =
        *n_open == OPEN_MAX || (!find_mark(*text, false, &at) && ++*n_open);
    /* Ignore unbalanced brackets. */
    if (open)
        (void)find_mark(*text, true, &at);
    struct prof_slice name = slice_trim(slice_to(*text, at));
    *text = slice_from(*text, at + 2 < text->n ? at + 2 : text->n);

    /* Remove "<0000000000401136>" at the end: 8 or 16 digits, as nm prints. */
    for (size_t digits = 8; digits <= 16; digits += 8) {
        size_t n = name.n > digits + 2 ? name.n - digits - 2 : 0;
        if (n && name.s[n] == '<' && name.s[name.n - 1] == '>' &&
            slice_is_hex((struct prof_slice){name.s + n + 1, digits}))
            return slice_to(name, n);
    }
    return name;
}

/*
 * Reads the lines of the list up to the one that ends it.  If an address is
 * named more than once, the last name is used.
 */
static bool read_names(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    const struct prof_notes *notes = r->in->notes;
    size_t n_odd = 0, an_odd = 0;
    while (textprof_line(t) && !slice_begins_with(t->line, "---")) {
        struct raw_name name;
        struct prof_slice s = t->line, value = s;
        if (slice_begins_with(s, "0x") && slice_take_0xhex(&s, &name.address) &&
            s.n && ascii_is_blank(s.s[0])) {
            name.text = slice_trim(s);
            if (!vec_push(&r->names, name))
                return err_nomem(err);
        } else if (slice_take_prefix(&value, "binary=")) {
            r->binary = slice_trim(value);
        } else if (ascii_is_lower(t->line.s[0]) &&
                   slice_contains(t->line, "=")) {
            note_info(notes, "line %zu: undefined variable: %.*s", t->number,
                      textprof_quoted(t->line), t->line.s);
        } else if (n_odd++ == 0) {
            an_odd = t->number;
        }
    }
    if (!t->line.n)
        return err_input(err, "line %zu: unexpected end of file in the symbols",
                         t->number);
    note_count(notes, PROF_NOTE_LOSS, n_odd,
               "%zu symbol line{s} skipped, starting at line %zu: no "
               "address",
               n_odd, an_odd);

    /* Sort them, and keep the last name of each address. */
    struct raw_name *v = r->names.v;
    size_t n = 0;
    if (!vec_sort_rows(&r->names))
        return err_nomem(err);
    for (size_t i = 0; i < r->names.n; i++)
        if (i + 1 == r->names.n || v[i].address != v[i + 1].address)
            v[n++] = v[i];
    r->names.n = n;
    return true;
}

static const struct raw_name *find_name(const struct reading *r,
                                        uint64_t address)
{
    const size_t i =
        sorted_find(r->names.v, r->names.n, sizeof *r->names.v, address);
    return i < r->names.n ? &r->names.v[i] : NULL;
}

/* Sets the functions of the location to those of the text, innermost first. */
static bool name_location(struct reading *r, uint32_t location,
                          struct prof_slice text, struct prof_err *err)
{
    unsigned n_open = 0;
    r->functions.n = 0;
    while (text.n) {
        struct textprof_name name = {.function = cut_name(&text, &n_open)};
        if (name.function.n && !vec_push(&r->functions, name))
            return err_nomem(err);
    }
    struct textprof_name *v = r->functions.v;
    for (size_t i = 0, j = r->functions.n; i + 1 < j; i++) {
        struct textprof_name name = v[i];
        v[i] = v[--j];
        v[j] = name;
    }
    return !r->functions.n ||
           textprof_name(&r->text, location, v, r->functions.n, err);
}

/* Which addresses of a profile may be named as return addresses. */
enum match {
    MATCH_EXACT,   /* none */
    MATCH_CALLERS, /* callers': the name is for the address + 1 */
    MATCH_ALL,     /* all addresses, likewise */
};

/* Names the locations that have no lines with the functions of the list. */
static bool name_locations(struct reading *r, enum match match,
                           struct prof_err *err)
{
    const struct profile *p = r->text.p;
    struct prof_counts counts = prof_count(p);
    size_t n_without = 0, n_lines;
    /* By location: may be named as the return address, one more. */
    bool *is_return = mem_zarray(counts.locations, sizeof *is_return);
    bool ok = is_return || err_nomem(err);
    for (size_t s = 0; ok && match != MATCH_EXACT && s < counts.samples; s++) {
        struct prof_sample sample = prof_get_sample(p, s);
        for (size_t i = match == MATCH_CALLERS; i < sample.n_frames; i++)
            is_return[sample.frames[i]] = true;
    }
    for (size_t i = 0; ok && i < counts.locations; i++) {
        uint64_t address = prof_get_location(p, i).address;
        (void)prof_get_lines(p, i, &n_lines);
        if (n_lines)
            continue;
        const struct raw_name *name = find_name(r, address);
        if (!name && is_return[i])
            name = find_name(r, address + 1);
        /* "??", or the address again, means that the name is unknown. */
        if (name && !slice_is(name->text, "??") &&
            !(slice_begins_with(name->text, "0x") &&
              slice_is_hex(slice_from(name->text, 2))))
            ok = name_location(r, (uint32_t)i, name->text, err);
        else
            n_without++;
    }
    free(is_return);
    if (ok && n_without)
        note_info(r->in->notes,
                  "no symbol in the file for %zu of %zu addresses", n_without,
                  counts.locations);
    return ok;
}

/* The profile after the names. */
struct inner {
    const struct import_format *format;
    struct prof_slice bytes;
    size_t offset; /* in the file */
    const struct prof_notes *notes;
};

/* Returns whether a line is "--- symbol". */
static bool is_header(struct prof_slice line)
{
    return slice_begins_with(line, "---") &&
           slice_begins_with(slice_trim_left(slice_from(line, 3)), "symbol");
}

static bool raw_begins(const uint8_t *data, size_t n)
{
    return is_header(textprof_first_line(data, n));
}

/* Adds the offset of the inner profile to a note about it. */
static void relay_note(void *ctx, enum prof_note_level level, const char *text)
{
    const struct inner *in = ctx;
    note_at(in->notes, level, "in the profile at offset %zu: %s", in->offset,
            text);
}

/* Reads the profile after the names into r->text.p, and names it. */
static bool read_inner(struct reading *r, struct inner *in,
                       struct prof_err *err)
{
    const struct prof_notes notes = {.say = relay_note, .ctx = in};
    const struct import_input input = {.data = (const uint8_t *)in->bytes.s,
                                       .n = in->bytes.n,
                                       .notes = &notes,
                                       .lookup = r->in->lookup};
    struct import_options options = *r->options;
    enum match match = MATCH_ALL;
    if (in->format == &cpu_format) {
        options.rewritten = cpu_is_rewritten(input.data, input.n);
        match = options.rewritten ? MATCH_EXACT : MATCH_CALLERS;
    }
    struct profile *p = import_read(in->format, &input, &options, err);
    r->text.p = p;
    if (!p)
        return err_prefix(err, "in the profile at offset %zu: ", in->offset);

    /* Name the main binary unless the list of mappings or the user did. */
    struct prof_slice binary = r->binary;
    if (!options.binary && binary.n && maps_has_main(p))
        note_info(r->in->notes, "using the symbols of %.*s",
                  textprof_quoted(binary), binary.s);
    else if (!options.binary && binary.n && prof_count(p).mappings &&
             !maps_name_main(p, binary, r->in->notes, err))
        return false;
    return options.no_symbols || name_locations(r, match, err);
}

static bool read_text(struct reading *r, struct prof_err *err)
{
    const struct import_input *in = r->in;
    struct textprof *t = &r->text;
    struct inner inner = {.notes = in->notes};
    if (!textprof_header(t))
        return err_input(err, "line %zu: missing header", t->number);
    if (!is_header(t->line))
        return textprof_wrong(t, err,
                              "is not the start of a symbolized profile");
    if (!read_names(r, err))
        return false;
    if (!textprof_header(t))
        return err_input(err, "line %zu: no profile after the symbols",
                         t->number);

    /*
     * The profile follows the header or begins with it: `--- profile` is not
     * part of a CPU profile, but `--- contention:` is that of contentions.
     */
    const char *end = t->rest.s + t->rest.n;
    const char *from[] = {t->rest.s, t->line.s};
    for (size_t i = 0; i < 2 && t->rest.n && !inner.format; i++) {
        inner.bytes = (struct prof_slice){from[i], (size_t)(end - from[i])};
        inner.format = in->lookup->find(
            raw_format.tool, (const uint8_t *)from[i], inner.bytes.n);
        if (inner.format == &raw_format)
            inner.format = NULL;
    }
    inner.offset = (size_t)(inner.bytes.s - (const char *)in->data);
    if (!t->rest.n)
        return err_input(
            err,
            "line %zu: no profile after the symbols (jeprof --raw of a local "
            "file writes only the symbols; pass the local file itself)",
            t->number);
    if (!inner.format)
        return textprof_wrong(t, err,
                              "is not followed by a known profile format");
    return read_inner(r, &inner, err);
}

struct profile *raw_read(const struct import_input *in,
                         const struct import_options *options,
                         struct prof_err *err)
{
    struct reading r = {.in = in, .options = options};
    textprof_scan(&r.text, in->data, in->n, in->notes);
    bool ok = read_text(&r, err);
    vec_free(&r.names);
    vec_free(&r.functions);
    return textprof_end(&r.text, ok);
}

const struct import_format raw_format = {
    .name = "raw",
    IMPORT_READ_BY("prof2pb", "a symbolized profile (pprof --raw)"),
    .writers = {"gperftools"},
    .begins = raw_begins,
    .next = IMPORT_ANYWHERE,
};
