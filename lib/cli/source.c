/* source.c - reads the inputs of a tool as one sequence of parts */
#include "cli/source.h"

#include <fnmatch.h>
#include <string.h>

#include "base/system.h"
#include "cli/private.h"

/*
 * From this size of an input on, memory is requested in steps of LARGE_STEP
 * bytes, and free() keeps blocks of up to that size for the next ones, as a new
 * page takes longer than one that was used.  It is the most that glibc allows.
 */
enum { LARGE_INPUT = 2 * 1024 * 1024, LARGE_STEP = 32 * 1024 * 1024 };

/* Sets s->subject from the path, the entry (or null) and the member (or 0). */
static bool name_part(struct source *s, const char *entry, size_t member,
                      struct prof_err *err)
{
    struct buf *b = &s->name;
    b->n = 0;
    s->in_archive = entry != NULL;
    bool ok = buf_puts(b, s->path);
    if (entry && member)
        ok = ok && buf_printf(b, "(%s, member %zu)", entry, member);
    else if (entry)
        ok = ok && buf_printf(b, "(%s)", entry);
    else if (member)
        ok = ok && buf_printf(b, "(member %zu)", member);
    ok = ok && buf_putc(b, 0);
    s->subject = ok ? (const char *)b->v : s->path;
    return ok || err_nomem(err);
}

static bool may_be_profile(const void *ctx, const uint8_t *head, size_t n,
                           struct prof_err *err)
{
    (void)ctx;
    return prof_may_begin(head, n, err);
}

static bool is_zero(const uint8_t *data, size_t n)
{
    return !*data && memcmp(data, data + 1, n - 1) == 0;
}

static bool may_be_any(const void *ctx, const uint8_t *head, size_t n,
                       struct prof_err *err)
{
    const struct source *s = ctx;
    if (s->opts.is_padded && s->opts.is_padded(head, n))
        return err_input(err, "only zero bytes follow");
    /* No format begins with many zeros. */
    return !is_zero(head, n) ||
           err_input(err, "not a profile: begins with only zero bytes");
}

/* Whether a part begins like an input or like text. */
static bool begins(const struct source *s, const uint8_t *head, size_t n)
{
    enum { SOME = 12 };
    return (s->opts.begins && s->opts.begins(head, n)) ||
           !memchr(head, 0, n < SOME ? n : SOME);
}

/* Like may_be_any(), but refuses long runs of zeros, which no input has except
 * profile.proto. */
static bool may_be_dense(const void *ctx, const uint8_t *head, size_t n,
                         struct prof_err *err)
{
    enum { MANY = 128 * 1024 };
    struct prof_err none;
    size_t at = n - n / 2;
    return may_be_any(ctx, head, n, err) &&
           (n / 2 < MANY || !is_zero(head + at, n - at) ||
            !begins(ctx, head, n) || prof_may_begin(head, n, &none) ||
            err_input(err,
                      "offset %zu: %zu zero bytes in a row (damaged file?)", at,
                      n - at));
}

struct source source_of(struct cli *cli, const char *const *inputs, size_t n,
                        const struct source_opts *opts)
{
    return (struct source){
        .cli = cli, .inputs = inputs, .n_inputs = n, .opts = *opts};
}

/* Whether it is a URL or like pprof's "localhost:6060/debug/pprof/heap". */
static bool is_url(const char *path)
{
    const char *slashes = strstr(path, "://");
    return (slashes && slashes > path) || strstr(path, "/debug/pprof/");
}

static bool open_next(struct source *s, struct prof_err *err)
{
    const unsigned flags = s->opts.flags;
    s->check.may_begin = flags & SOURCE_PROFILES ? may_be_profile
                         : flags & SOURCE_DENSE  ? may_be_dense
                                                 : may_be_any;
    s->check.ctx = s;
    const struct cli *cli = s->cli;
    const struct input_opts opts = {
        .max_size = cli->max_size,
        .max_held = cli->max_held,
        .all_entries = flags & SOURCE_ALL || cli->strict,
        .salvage = flags & SOURCE_SALVAGE,
        .threads = s->opts.threads ? s->opts.threads : cli->threads,
        .check = &s->check,
        .blocks_from = s->opts.blocks_from,
        .streams = s->opts.streams};
    const char *path = *s->inputs++;
    s->n_inputs--;
    s->path = cli_input_name(path);
    s->is_stdin = strcmp(path, "-") == 0;
    s->is_archive = s->any_chosen = false;
    cli_notes_init(&s->notes, s->cli, s->path);
    if (!name_part(s, NULL, 0, err))
        return false;
    if (!input_open(&s->in, path, &opts, &s->notes.notes, err))
        return is_url(path)
                   ? err_set(err, PROF_ERR_USAGE,
                             "URLs are not supported; use 'curl -s URL | %s'",
                             cli->tool)
                   : false;
    s->is_archive = input_is_archive(s->in);
    if (input_size(s->in) >= LARGE_INPUT && !cli->memory)
        system_malloc_steps(LARGE_STEP, LARGE_STEP);
    return true;
}

/* Like input_next(), but first fails once if data was lost under --strict. */
static int next_or_loss(struct source *s, struct input_part *part,
                        struct prof_err *err)
{
    int got = s->held;
    if (got) {
        s->held = 0;
        *part = s->held_part;
        return got;
    }
    got = input_next(s->in, part, err);
    struct prof_err lost;
    if (got < 0 || notes_lossless(&s->notes.notes, &lost))
        return got;
    s->held = got;
    s->held_part = *part;
    memset(part, 0, sizeof *part);
    *err = lost;
    return -1;
}

static bool is_chosen(struct source *s, const struct input_part *part)
{
    const char *pattern = s->cli->entries;
    if (pattern && part->entry && fnmatch(pattern, part->entry, 0) != 0)
        return false;
    s->any_chosen = true;
    return true;
}

/* Returns false, with *err set, if the part is not one to read. */
static bool check_part(const struct source *s, const struct input_part *part,
                       struct prof_err *err)
{
    const bool all = s->opts.flags & SOURCE_ALL;
    if (part->irregular && !all)
        return err_input(err, "skipped: %s (an error with --strict)",
                         part->irregular);
    /* Readers report better errors for data that begins with zeros. */
    if (part->refused && s->opts.flags & SOURCE_DENSE &&
        !is_zero(part->data, part->n))
        return err_input(err, "%s", part->refused);
    return !part->nested || (all && part->entry) ||
           err_input(err, "archives inside archives are not supported");
}

/* Returns the next selected part, without joining members; 0: the end. */
static int next_member(struct source *s, struct input_part *part,
                       struct prof_err *err)
{
    int got;
    do
        got = next_or_loss(s, part, err);
    while (got == 1 && !is_chosen(s, part));
    if (got != 0 && !name_part(s, part->entry, part->member, err))
        return -1;
    return got == 1 && !check_part(s, part, err) ? -1 : got;
}

/*
 * Returns whether the first of several members, in s->bytes, is a complete
 * input.  `second` is null if there is none or it is damaged.
 */
static bool is_whole(const struct source *s, const struct input_part *second)
{
    if (!(s->opts.flags & SOURCE_PROFILES))
        return s->opts.begins && s->opts.begins(s->bytes.v, s->bytes.n) &&
               (!second || s->opts.begins(second->data, second->n));
    struct prof_err err;
    if (!s->bytes.n)
        return false;
    struct profile *p =
        prof_decode(s->bytes.v, s->bytes.n,
                    &(struct prof_decode_opts){.plain = true}, &err);
    prof_delete(p);
    return p || err.kind != PROF_ERR_INPUT;
}

/* Sets *part to the members in s->bytes.  Returns 1, or -1 with *err. */
static int give_bytes(struct source *s, struct input_part *part,
                      struct prof_err *err)
{
    part->data = s->bytes.v;
    part->n = s->bytes.n;
    return name_part(s, part->entry, part->member, err) ? 1 : -1;
}

/*
 * Handles one of several members, for which next_member() returned `got`.
 * Returns the result for source_next(), or 0 to read the next member first.
 */
static int take_member(struct source *s, int got, struct input_part *part,
                       struct prof_err *err)
{
    bool first = part->member == 1;
    if (first) {
        s->bytes.n = 0;
        s->apart = got < 0;
        s->first = *part;
    }

    /* If the second member shows that the first is complete, return that. */
    if (part->member == 2 && !s->apart && is_whole(s, got > 0 ? part : NULL)) {
        s->apart = true;
        s->second = got;
        s->second_part = *part;
        s->second_err = *err;
        *part = s->first;
        return give_bytes(s, part, err);
    }
    if (got < 0 || s->apart)
        return got;

    if (!buf_put(&s->bytes, part->data, part->n)) {
        err_nomem(err);
        return -1;
    }
    if (!part->last_member)
        return 0;
    if (!first || !is_whole(s, NULL)) {
        s->joined = part->member;
        part->member = 0;
    }
    return give_bytes(s, part, err);
}

static void close_input(struct source *s)
{
    if (!s->in)
        return;
    const uint64_t size = input_size(s->in);
    s->n_read += size ? size : input_position(s->in);
    input_close(s->in);
    s->in = NULL;
}

int source_next(struct source *s, struct input_part *part, struct prof_err *err)
{
    int got = s->second;
    s->joined = 0;
    if (got) {
        s->second = 0;
        *part = s->second_part;
        *err = s->second_err;
        return name_part(s, part->entry, part->member, err) ? got : -1;
    }
    while (s->in || s->n_inputs) {
        if (!s->in && !open_next(s, err))
            return -1;
        got = next_member(s, part, err);
        if (got == 0) {
            close_input(s);
            if (s->is_archive && s->cli->entries && !s->any_chosen) {
                /* The error is about the input, not its last entry. */
                if (!name_part(s, NULL, 0, err))
                    return -1;
                err_input(err, "no entry matches --entries=%s",
                          s->cli->entries);
                return -1;
            }
        } else if (part->member)
            got = take_member(s, got, part, err);
        if (got)
            return got;
    }
    return 0;
}

void source_release(struct source *s)
{
    if (!s->second)
        input_release(s->in);
    buf_free(&s->bytes);
}

bool source_failed(struct source *s, const struct prof_err *err)
{
    s->n_failed++;
    return cli_input_error(s->cli, s->subject, err);
}

bool source_refuse_empty(const struct source *s, struct prof_err *err)
{
    if (s->is_stdin && !s->in_archive)
        return err_input(
            err,
            "empty input (did the command that writes to this pipe fail?)");
    return err_input(
        err,
        "empty file (was the program killed before it wrote its profile?)");
}

void source_end(struct source *s)
{
    close_input(s);
    buf_free(&s->name);
    buf_free(&s->bytes);
}
