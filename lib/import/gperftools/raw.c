/*
 * raw.c - symbolized profiles, as `pprof --raw` of gperftools writes them
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
 * After the last "---" is the kind: `profile`, which old writers put before
 * any kind, or for jeprof `heap`, `growth` and `contention`.  Lines that begin
 * with "%" may stand before either header.  See rawnames.h for the names.
 *
 * There are two kinds of such files.  What was fetched from a program follows
 * as that program sent it.  A local CPU profile was written again: its period
 * is lost, its callers' addresses are one less than the return address
 * already, and it has no mappings (gperf_is_rewritten()).
 *
 * Locations have the functions that the list gives them, unless
 * opts.no_symbols; none where it has no name, and no files or lines.  The main
 * binary is called as in `binary=` where no list of mappings says otherwise.
 *
 * The only description is google-pprof itself, and jemalloc's jeprof.
 */
#include <stdlib.h>
#include <string.h>

#include "import/gperftools/gperf.h"
#include "import/gperftools/maps.h"
#include "import/gperftools/rawnames.h"

/* The profile behind the names. */
struct inner {
    const struct import_format *format;
    struct slice bytes;
    size_t offset; /* in the file */
    const struct notes *notes;
};

/* "--- symbol" */
static bool is_header(struct slice line, const char *what)
{
    if (line.n < 3 || memcmp(line.s, "---", 3) != 0)
        return false;
    line = slice_trim_left(slice_from(line, 3));
    size_t n = strlen(what);
    return line.n >= n && memcmp(line.s, what, n) == 0;
}

static bool raw_begins(const uint8_t *data, size_t n)
{
    return is_header(textprof_first_line(data, n), "symbol");
}

/* What a profile says it says of bytes that are part of a file. */
static void say_where(void *ctx, enum note_level level, const char *text)
{
    const struct inner *in = ctx;
    note_relay(in->notes, level, "in the profile at offset %zu: %s", in->offset,
               text);
}

/*
 * The profile at *t's header or behind it: `--- profile` is no part of a CPU
 * profile, but `--- contention:` is that of contentions.
 */
static bool find_inner(const struct textprof *t, const struct import_input *raw,
                       struct inner *in, struct err *err)
{
    const char *end = t->rest.s + t->rest.n;
    const char *from[] = {t->rest.s, t->line.s};
    for (size_t i = 0; i < 2 && t->rest.n && !in->format; i++) {
        in->bytes = (struct slice){from[i], (size_t)(end - from[i])};
        in->format =
            raw->find(raw_format.tool, (const uint8_t *)from[i], in->bytes.n);
        if (in->format == &raw_format)
            in->format = NULL;
    }
    in->offset = (size_t)(in->bytes.s - (const char *)raw->data);
    if (!in->format && t->rest.n)
        (void)textprof_wrong(t, err, "has no profile that is known behind it");
    else if (!in->format)
        (void)err_set(err, ERR_INPUT,
                      "line %zu: the file ends where its profile should "
                      "begin (jeprof --raw writes that of a server only)",
                      t->number);
    return in->format != NULL;
}

static bool read_inner(struct inner *in, const struct import_options *options,
                       bool rewritten, struct profile *out, struct err *err)
{
    const struct notes notes = {.say = say_where, .ctx = in};
    const struct import_input input = {.data = (const uint8_t *)in->bytes.s,
                                       .n = in->bytes.n,
                                       .notes = &notes};
    struct import_options own = *options;
    own.rewritten = rewritten;
    return import_read(in->format, &input, &own, out, err) ||
           err_prefix(err, "in the profile at offset %zu: ", in->offset);
}

/* Names the main binary, unless the list of mappings or the user has. */
static bool name_main(struct slice binary, struct profile *p,
                      const struct notes *notes, struct err *err)
{
    if (!binary.n || !p->n_mappings)
        return true;
    if (maps_has_main(p)) {
        note_info(notes, "the names are those of %.*s", textprof_quoted(binary),
                  binary.s);
        return true;
    }
    char *name = strndup(binary.s, binary.n);
    bool ok = name ? maps_name_main(p, name, notes, err) : err_nomem(err);
    free(name);
    return ok;
}

static bool read_named(struct textprof *t, const struct import_input *raw,
                       const struct import_options *options,
                       struct rawnames *names, struct profile *out,
                       struct err *err)
{
    const struct notes *notes = raw->notes;
    struct inner in = {.notes = notes};
    if (!textprof_header(t))
        return err_set(err, ERR_INPUT, "line %zu: no header", t->number);
    if (!is_header(t->line, "symbol"))
        return textprof_wrong(t, err, "does not begin a symbolized profile");
    if (!rawnames_read(names, t, notes, err))
        return false;
    if (!textprof_header(t))
        return err_set(err, ERR_INPUT, "line %zu: no profile follows the names",
                       t->number);
    if (!find_inner(t, raw, &in, err))
        return false;
    bool is_cpu = in.format == &cpu_format;
    bool rewritten =
        is_cpu && gperf_is_rewritten((const uint8_t *)in.bytes.s, in.bytes.n);
    enum rawnames_match match = rewritten ? RAWNAMES_EXACT
                                : is_cpu  ? RAWNAMES_CALLERS
                                          : RAWNAMES_ALL;
    return read_inner(&in, options, rewritten, out, err) &&
           (options->binary || name_main(names->binary, out, notes, err)) &&
           (options->no_symbols ||
            rawnames_apply(names, match, out, notes, err));
}

static bool raw_read(const struct import_input *in,
                     const struct import_options *options, struct profile *out,
                     struct err *err)
{
    struct textprof t;
    struct rawnames names = {0};
    memset(out, 0, sizeof *out);
    textprof_begin(&t, in->data, in->n, out, in->notes);
    bool ok = read_named(&t, in, options, &names, out, err);
    rawnames_free(&names);
    textprof_end(&t);
    return ok;
}

const struct import_format raw_format = {
    .name = "raw",
    IMPORT_READ_BY("prof2pb", "a symbolized profile (pprof --raw)"),
    .begins = raw_begins,
    .read = raw_read,
    .next = IMPORT_ANYWHERE,
};
