#include "import/gperftools/raw.h"

#include <stdlib.h>
#include <string.h>

#include "import/gperftools/maps.h"
#include "import/gperftools/rawnames.h"
#include "import/legacy.h"

/* The profile behind the names. */
struct inner {
    const struct legacy_kind *kind;
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

bool raw_begins(const uint8_t *data, size_t n)
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
static bool find_inner(const struct textprof *t, const uint8_t *data,
                       struct inner *in, struct err *err)
{
    const char *end = t->rest.s + t->rest.n;
    const char *from[] = {t->rest.s, t->line.s};
    for (size_t i = 0; i < 2 && t->rest.n && !in->kind; i++) {
        in->bytes = (struct slice){from[i], (size_t)(end - from[i])};
        in->kind = legacy_find((const uint8_t *)from[i], in->bytes.n);
        if (in->kind && in->kind->read == raw_read)
            in->kind = NULL;
    }
    in->offset = (size_t)(in->bytes.s - (const char *)data);
    if (!in->kind && t->rest.n)
        (void)textprof_wrong(t, err, "has no profile that is known behind it");
    else if (!in->kind)
        (void)err_set(err, ERR_INPUT,
                      "line %zu: the file ends where its profile should "
                      "begin (jeprof --raw writes that of a server only)",
                      t->number);
    return in->kind != NULL;
}

static bool read_inner(struct inner *in, const struct gperf_opts *opts,
                       bool rewritten, struct profile *out, struct err *err)
{
    const uint8_t *data = (const uint8_t *)in->bytes.s;
    struct notes notes = {.say = say_where, .ctx = in};
    struct gperf_opts own = *opts;
    own.rewritten = rewritten;
    return legacy_read(in->kind, data, in->bytes.n, &own, out, &notes, err) ||
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

static bool read_named(struct textprof *t, const uint8_t *data,
                       const struct gperf_opts *opts, struct rawnames *names,
                       struct profile *out, const struct notes *notes,
                       struct err *err)
{
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
    if (!find_inner(t, data, &in, err))
        return false;
    bool is_cpu = in.kind->read == gperf_read;
    bool rewritten =
        is_cpu && gperf_is_rewritten((const uint8_t *)in.bytes.s, in.bytes.n);
    enum rawnames_match match = rewritten ? RAWNAMES_EXACT
                                : is_cpu  ? RAWNAMES_CALLERS
                                          : RAWNAMES_ALL;
    return read_inner(&in, opts, rewritten, out, err) &&
           (opts->binary || name_main(names->binary, out, notes, err)) &&
           (opts->no_symbols || rawnames_apply(names, match, out, notes, err));
}

bool raw_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
              struct profile *out, const struct notes *notes, struct err *err)
{
    struct textprof t;
    struct rawnames names = {0};
    memset(out, 0, sizeof *out);
    textprof_begin(&t, data, n, out, notes);
    bool ok = read_named(&t, data, opts, &names, out, notes, err);
    rawnames_free(&names);
    textprof_end(&t);
    return ok;
}
