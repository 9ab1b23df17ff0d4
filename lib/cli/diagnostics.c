/* diagnostics.c - errors, warnings, notes and progress on standard error */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/system.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/private.h"
#include "io/output.h"

/* Writes to standard error.  Errors cannot be reported, so ignores them. */
static void write_stderr(const void *bytes, size_t n)
{
    struct prof_err err;
    (void)fd_write(STDERR_FILENO, bytes, n, &err);
}

/* A buffer of fixed size for standard error, for use when memory is out. */
struct drops {
    size_t n;
    char v[512];
};

static void drip(struct drops *d, const char *bytes, size_t n)
{
    if (n > sizeof d->v - d->n) {
        write_stderr(d->v, d->n);
        d->n = 0;
    }
    memcpy(d->v + d->n, bytes, n);
    d->n += n;
}

/* Writes s with all bytes escaped that are not printable ASCII. */
static void drip_escaped(struct drops *d, const char *s)
{
    static const char hex[] = "0123456789abcdef";
    for (; *s; s++) {
        uint8_t c = (uint8_t)*s;
        const char escaped[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        bool plain = c >= ' ' && c < 127;
        drip(d, plain ? s : escaped, plain ? 1 : sizeof escaped);
    }
}

/* Writes a line of n pieces, or nothing and returns false if memory is out. */
static bool write_line(const char *const pieces[], size_t n)
{
    struct buf line = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        if (pieces[i])
            ok = utf8_put_line(&line, pieces[i], strlen(pieces[i])) &&
                 buf_puts(&line, i + 1 < n ? ": " : "\n");
    if (ok)
        write_stderr(line.v, line.n);
    buf_free(&line);
    return ok;
}

void diag_line(const char *tool, const char *subject, const char *label,
               const char *text)
{
    const char *const pieces[] = {tool, subject, label, text};
    const size_t n = sizeof pieces / sizeof *pieces;
    if (write_line(pieces, n))
        return;
    struct drops drops = {0};
    for (size_t i = 0; i < n; i++)
        if (pieces[i]) {
            drip_escaped(&drops, pieces[i]);
            drip(&drops, i + 1 < n ? ": " : "\n", i + 1 < n ? 2 : 1);
        }
    write_stderr(drops.v, drops.n);
}

enum { MAX_TEXTS = 1000 }; /* more different notes are always shown */

/*
 * Appends the text without digits and endings of plurals, so that notes that
 * differ only in numbers are equal.
 */
static bool put_key(struct buf *to, const char *text)
{
    bool ok = true;
    for (; ok && *text; text++) {
        bool letter = (*text | 32) >= 'a' && (*text | 32) <= 'z';
        while (!letter && to->n &&
               (to->v[to->n - 1] == 'e' || to->v[to->n - 1] == 's'))
            to->n--;
        if (*text < '0' || *text > '9')
            ok = buf_putc(to, (uint8_t)*text);
    }
    return ok;
}

/* Adds a text to *r.  Ignores failures: equal notes are then shown again. */
static void add_repeat(struct repeats *r, enum prof_note_level level,
                       const char *text)
{
    uint32_t id;
    struct repeat new = {.text = strdup(text),
                         .level = level,
                         .first = r->profile,
                         .last = r->profile};
    if (new.text && r->list.n < MAX_TEXTS &&vec_reserve(&r->list, 1) &&
        strtab_add(&r->texts, (const char *)r->text.v, r->text.n, &id))
        r->list.v[r->list.n++] = new;
    else
        free(new.text);
}

bool repeats_is_first(struct repeats *r, enum prof_note_level level,
                      const char *text)
{
    uint32_t id;
    r->text.n = 0;
    if (!put_key(&r->text, text) || !r->text.n ||
        (!r->texts.n && !strtab_init(&r->texts)))
        return true;
    if (strtab_find(&r->texts, (const char *)r->text.v, r->text.n, &id)) {
        struct repeat *known = &r->list.v[id - 1];
        known->again += known->last != r->profile;
        known->last = r->profile;
        known->varies |= strcmp(text, known->text) != 0;
        return known->first == r->profile;
    }
    add_repeat(r, level, text);
    return true;
}

void repeats_report(const struct repeats *r, const struct prof_notes *notes)
{
    for (size_t i = 0; i < r->list.n; i++) {
        const struct repeat *again = &r->list.v[i];
        note_count(notes, again->level, again->again,
                   "%zu more profile{s}: %s%s", again->again, again->text,
                   again->varies ? TEXT(" (the numbers vary: -v shows all)")
                                 : "");
    }
}

void repeats_free(struct repeats *r)
{
    for (size_t i = 0; i < r->list.n; i++)
        free(r->list.v[i].text);
    strtab_free(&r->texts);
    vec_free(&r->list);
    buf_free(&r->text);
}

/* Clears the line of progress before other output; null is allowed. */
static void hide_progress(struct progress *p)
{
    static const char clear[] = "\r\033[K";
    if (p && p->shown)
        write_stderr(clear, sizeof clear - 1);
    if (p)
        p->shown = false;
}

const char *cli_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

int cli_stat(const char *path, struct stat *st)
{
    return strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, st) : stat(path, st);
}

const char *cli_only_input(const struct cli *cli)
{
    return cli->n_inputs == 1 ? cli_input_name(cli->inputs[0]) : NULL;
}

/* Writes a line to standard error after clearing the progress line. */
static void say(struct cli *cli, const char *subject, const char *label,
                const char *text)
{
    const struct cli_private *priv = cli->private;
    if (priv->before && !priv->before(priv->before_ctx))
        return;
    hide_progress(priv->progress);
    diag_line(cli->tool, subject, label, text);
}

/* Whether to show a note.  Of many similar ones, only the first is shown. */
static bool is_shown(const struct cli *cli, enum prof_note_level level,
                     const char *text)
{
    struct repeats *repeats = cli->private->repeats;
    if (level == PROF_NOTE_INFO)
        return cli->verbose;
    if (level == PROF_NOTE_WARN && cli->quiet)
        return false;
    return cli->verbose || !repeats || repeats_is_first(repeats, level, text);
}

void cli_keep_lost(struct prof_err *lost, const char *text)
{
    if (!lost->kind)
        err_input(lost, "%s (an error with --strict)", text);
}

bool cli_pass_lost(struct prof_err *lost, struct prof_err *err)
{
    if (!lost->kind)
        return true;
    *err = *lost;
    lost->kind = PROF_ERR_NONE;
    return false;
}

/* Records a loss: an error with --strict, or else a comment of the profile. */
static void add_loss(struct cli_notes *notes, const char *text)
{
    struct cli_private *priv = notes->cli->private;
    (void)pthread_mutex_lock(&priv->lock);
    if (notes->cli->strict)
        cli_keep_lost(&notes->lost, text);
    else if (priv->losses)
        losses_wait(priv->losses, text);
    (void)pthread_mutex_unlock(&priv->lock);
}

static void say_note(void *ctx, enum prof_note_level level, const char *text)
{
    struct cli_notes *notes = ctx;
    struct cli *cli = notes->cli;
    const bool is_loss = level == PROF_NOTE_LOSS;
    if (is_loss)
        add_loss(notes, text);
    if ((!is_loss || !cli->strict) && is_shown(cli, level, text))
        say(cli, notes->subject ? notes->subject : cli->subject,
            level == PROF_NOTE_INFO ? "note" : "warning", text);
}

static bool check_notes(void *ctx, struct prof_err *err)
{
    struct cli_notes *notes = ctx;
    return cli_pass_lost(&notes->lost, err);
}

void cli_notes_init(struct cli_notes *notes, struct cli *cli,
                    const char *subject)
{
    *notes = (struct cli_notes){
        .cli = cli,
        .subject = subject,
        .notes = {say_note, notes, check_notes},
    };
}

bool cli_check_losses(struct cli *cli)
{
    struct prof_err err;
    if (notes_lossless(&cli->notes, &err))
        return true;
    cli_error(cli, cli->subject ? cli->subject : cli_only_input(cli), &err);
    return false;
}

void cli_set_status(struct cli *cli, enum prof_err_kind kind)
{
    (void)pthread_mutex_lock(&cli->private->lock);
    if ((int)kind > cli->status)
        cli->status = (int)kind;
    (void)pthread_mutex_unlock(&cli->private->lock);
}

static void print_error(struct cli *cli, const char *subject,
                        const struct prof_err *err)
{
    struct prof_err more = *err;
    if (cli->memory && err_is_nomem(err))
        err_set(&more, err->kind,
                TEXT("%s: needs --memory greater than %" PRIu64 "M"), err->text,
                cli->memory >> 20);
    say(cli, subject, NULL, more.text);
}

void cli_error(struct cli *cli, const char *subject, const struct prof_err *err)
{
    print_error(cli, subject, err);
    cli_set_status(cli, err->kind);
}

bool cli_input_error(struct cli *cli, const char *subject,
                     const struct prof_err *err)
{
    struct cli_private *priv = cli->private;
    if (output_is_epipe(err)) {
        cli_set_status(cli, err->kind);
        return cli->keep_going;
    }
    print_error(cli, subject, err);
    if (!cli->keep_going) {
        cli_set_status(cli, err->kind);
        return false;
    }
    (void)pthread_mutex_lock(&priv->lock);
    if ((int)err->kind > priv->skipped)
        priv->skipped = (int)err->kind;
    (void)pthread_mutex_unlock(&priv->lock);
    return true;
}

/* --- progress ------------------------------------------------------------- */

enum {
    PATIENCE = 1000, /* milliseconds before the first line */
    INTERVAL = 100,
    COLUMNS = 80, /* if the terminal has no size */
};

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns the size of all inputs, or 0 if one is not a regular file. */
static uint64_t total_of(const struct cli *cli)
{
    uint64_t total = 0;
    for (size_t i = 0; i < cli->n_inputs; i++) {
        struct stat st;
        if (cli_stat(cli->inputs[i], &st) != 0 || !S_ISREG(st.st_mode))
            return 0;
        total += (uint64_t)st.st_size;
    }
    return total;
}

void progress_begin(struct progress *p, struct cli *cli)
{
    const char *term = getenv("TERM");
    *p = (struct progress){.cli = cli};
    p->enabled = !cli->quiet && isatty(STDERR_FILENO) && term && *term &&
                 strcmp(term, "dumb") != 0;
    p->total = p->enabled ? total_of(cli) : 0;
    p->began = now();
    cli->private->progress = p;
}

/* Appends a size with three digits: "12.3 MB". */
static bool put_bytes(struct buf *to, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    enum { LAST = sizeof units / sizeof *units - 1 };
    double v = (double)bytes;
    size_t u = 0;
    for (; v >= 999.5 && u < LAST; u++)
        v /= 1000;
    int digits = !u || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
    return buf_printf(to, "%.*f %s", digits, v, units[u]);
}

static const char *plural(size_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static bool put_progress(struct buf *to, const struct progress *p,
                         uint64_t done, int64_t elapsed)
{
    double rate = (double)done * 1000 / (double)elapsed;
    const size_t n = p->converted + p->waiting;
    bool ok = buf_printf(to, "%s: %zu profile%s, ", p->cli->tool, n,
                         plural(n, "", "s")) &&
              put_bytes(to, done);
    if (p->total)
        ok = ok && buf_puts(to, " of ") && put_bytes(to, p->total);
    ok = ok && buf_puts(to, ", ") && put_bytes(to, (uint64_t)rate) &&
         buf_puts(to, "/s");
    if (!ok || p->total <= done || rate < 1)
        return ok;
    uint64_t left = (uint64_t)((double)(p->total - done) / rate + 0.5);
    return buf_printf(to, ", %llu:%02llu left", (unsigned long long)left / 60,
                      (unsigned long long)left % 60);
}

static void show_progress(struct progress *p, uint64_t done, int64_t at)
{
    struct buf line = {0};
    bool ok =
        buf_puts(&line, "\r") && put_progress(&line, p, done, at - p->began);
    /* Truncate the line to the width: a longer one would take two rows. */
    size_t width = system_columns(STDERR_FILENO);
    width = width ? width : COLUMNS;
    if (line.n > width)
        line.n = width;
    if (ok && buf_puts(&line, "\033[K")) {
        write_stderr(line.v, line.n);
        p->shown = true;
    }
    buf_free(&line);
    p->wrote = at;
}

void progress_step(struct progress *p, const struct input *in)
{
    if (!p->enabled)
        return;
    int64_t at = now();
    if (at - p->began < PATIENCE || at - p->wrote < INTERVAL)
        return;
    show_progress(p, p->done + input_position(in), at);
}

void progress_end(struct progress *p, bool bulk, size_t failed)
{
    struct cli *cli = p->cli;
    struct buf text = {0};
    hide_progress(p);
    cli->private->progress = NULL;
    if (!bulk || cli->quiet ||
        !(p->enabled || cli->verbose || p->skipped || failed))
        return;
    double seconds = (double)(now() - p->began) / 1000;
    bool ok = buf_printf(&text, "%zu profile%s converted, %zu entr%s skipped",
                         p->converted, plural(p->converted, "", "s"),
                         p->skipped, plural(p->skipped, "y", "ies"));
    if (p->passed)
        ok = ok && buf_printf(&text, ", %zu copied", p->passed);
    if (p->empty)
        ok = ok && buf_printf(&text, " (%zu empty)", p->empty);
    ok = ok && buf_printf(&text, ", %zu failed: ", failed) &&
         put_bytes(&text, p->done) &&
         buf_printf(&text, " in %.1f s", seconds) && buf_putc(&text, 0);
    if (ok)
        diag_line(cli->tool, NULL, NULL, (const char *)text.v);
    buf_free(&text);
}
