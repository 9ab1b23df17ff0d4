/* diagnostics.c - errors, warnings and notes on standard error, and losses */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "check/check.h"
#include "cli/private.h"
#include "profile/merge/merge.h"

static bool put_escaped(struct buf *to, const char *s)
{
    return utf8_put_line(to, s, strlen(s));
}

void diag_write(const void *bytes, size_t n)
{
    const uint8_t *v = bytes;
    while (n) {
        ssize_t k = write(STDERR_FILENO, v, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        v += k;
        n -= (size_t)k;
    }
}

/* Bytes on their way to standard error, where there is no memory. */
struct drops {
    size_t n;
    char v[512];
};

static void drip(struct drops *d, const char *bytes, size_t n)
{
    if (n > sizeof d->v - d->n) {
        diag_write(d->v, d->n);
        d->n = 0;
    }
    memcpy(d->v + d->n, bytes, n);
    d->n += n;
}

/* What is not ASCII is escaped too. */
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

/* Whole, or nothing where there is no memory. */
static bool write_line(const char *const pieces[], size_t n)
{
    struct buf line = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        if (pieces[i])
            ok = put_escaped(&line, pieces[i]) &&
                 buf_puts(&line, i + 1 < n ? ": " : "\n");
    if (ok)
        diag_write(line.v, line.n);
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
    diag_write(drops.v, drops.n);
}

enum { MAX_TEXTS = 1000 }; /* whatever else comes is not compared */

struct repeats {
    struct strtab kinds;   /* texts with each number as a '#' */
    VEC(struct repeat) of; /* by id, less one */
    struct buf kind;
};

struct repeats *repeats_new(void)
{
    struct repeats *r = calloc(1, sizeof *r);
    if (r && strtab_init(&r->kinds))
        return r;
    repeats_free(r);
    return NULL;
}

void repeats_free(struct repeats *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->of.n; i++)
        free(r->of.v[i].text);
    strtab_free(&r->kinds);
    vec_free(&r->of);
    buf_free(&r->kind);
    free(r);
}

static bool make_kind(struct buf *kind, const char *text)
{
    static const char digits[] = "0123456789";
    bool ok = true;
    kind->n = 0;
    while (ok && *text) {
        size_t n = strcspn(text, digits);
        ok = buf_put(kind, text, n);
        text += n;
        if (*text)
            ok = ok && buf_putc(kind, '#');
        text += strspn(text, digits);
    }
    return ok;
}

/* Where memory is out, a text that is shown twice does no harm. */
static void keep(struct repeats *r, enum note_level level, const char *text)
{
    uint32_t id;
    struct repeat new = {strdup(text), level, 0};
    if (new.text && r->of.n < MAX_TEXTS &&vec_reserve(&r->of, 1) &&
        strtab_add(&r->kinds, (const char *)r->kind.v, r->kind.n, &id))
        r->of.v[r->of.n++] = new;
    else
        free(new.text);
}

bool repeats_is_first(struct repeats *r, enum note_level level,
                      const char *text)
{
    uint32_t id;
    if (!make_kind(&r->kind, text) || !r->kind.n)
        return true;
    if (strtab_find(&r->kinds, (const char *)r->kind.v, r->kind.n, &id)) {
        r->of.v[id - 1].again++;
        return false;
    }
    keep(r, level, text);
    return true;
}

const struct repeat *repeats_at(const struct repeats *r, size_t i)
{
    return i < r->of.n ? &r->of.v[i] : NULL;
}

void progress_hide(struct progress *p)
{
    static const char clear[] = "\r\033[K";
    if (p && p->shown)
        diag_write(clear, sizeof clear - 1);
    if (p)
        p->shown = false;
}

const char *cli_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

const char *cli_only_input(const struct cli *cli)
{
    return cli->n_inputs == 1 ? cli_input_name(cli->inputs[0]) : NULL;
}

/* A line on standard error, where there may be one of progress. */
static void say(struct cli *cli, const char *subject, const char *label,
                const char *text)
{
    progress_hide(cli->private->progress);
    diag_line(cli->tool, subject, label, text);
}

/* A note and who is asked about losses. */
struct note {
    const char *subject, *text;
    enum note_level level;
    struct err *lost;
};

/* Whether a note is shown, which one of many that are alike may not be. */
static bool is_shown(const struct cli *cli, const struct note *n)
{
    struct repeats *repeats = cli->private->repeats;
    if (n->level == NOTE_INFO)
        return cli->verbose;
    if (n->level == NOTE_WARN && cli->quiet)
        return false;
    return cli->verbose || !repeats ||
           repeats_is_first(repeats, n->level, n->text);
}

/* Under --strict the first loss is kept for whoever asks, as an error. */
static void add_loss(struct cli *cli, const struct note *n)
{
    struct cli_private *priv = cli->private;
    (void)pthread_mutex_lock(&priv->lock);
    if (cli->strict && !n->lost->kind)
        err_text(n->lost, ERR_INPUT, "%s (an error with --strict)", n->text);
    else if (!cli->strict && priv->losses)
        losses_note(priv->losses, n->text);
    (void)pthread_mutex_unlock(&priv->lock);
}

static void show_note(struct cli *cli, const struct note *n)
{
    if (n->level == NOTE_LOSS)
        add_loss(cli, n);
    if ((n->level != NOTE_LOSS || !cli->strict) && is_shown(cli, n))
        say(cli, n->subject, n->level == NOTE_INFO ? "note" : "warning",
            n->text);
}

static bool pass_lost(struct err *lost, struct err *err)
{
    if (!lost->kind)
        return true;
    *err = *lost;
    lost->kind = ERR_NONE;
    return false;
}

static void say_for_tool(void *ctx, enum note_level level, const char *text)
{
    struct cli *cli = ctx;
    struct note n = {cli->subject, text, level, &cli->private->lost};
    show_note(cli, &n);
}

static bool check_for_tool(void *ctx, struct err *err)
{
    struct cli *cli = ctx;
    return pass_lost(&cli->private->lost, err);
}

static void say_for_input(void *ctx, enum note_level level, const char *text)
{
    struct cli_notes *notes = ctx;
    struct note n = {notes->subject, text, level, &notes->lost};
    show_note(notes->cli, &n);
}

static bool check_for_input(void *ctx, struct err *err)
{
    struct cli_notes *notes = ctx;
    return pass_lost(&notes->lost, err);
}

void cli_tool_notes(struct cli *cli)
{
    cli->notes = (struct notes){
        .say = say_for_tool, .ctx = cli, .check = check_for_tool};
}

void cli_notes_init(struct cli_notes *notes, struct cli *cli,
                    const char *subject)
{
    *notes = (struct cli_notes){
        .cli = cli,
        .subject = subject,
        .notes = {say_for_input, notes, check_for_input},
    };
}

bool cli_check_losses(struct cli *cli)
{
    struct err err;
    if (notes_lossless(&cli->notes, &err))
        return true;
    cli_error(cli, cli->subject ? cli->subject : cli_only_input(cli), &err);
    return false;
}

void cli_set_status(struct cli *cli, enum err_kind kind)
{
    (void)pthread_mutex_lock(&cli->private->lock);
    if ((int)kind > cli->status)
        cli->status = (int)kind;
    (void)pthread_mutex_unlock(&cli->private->lock);
}

static void print_error(struct cli *cli, const char *subject,
                        const struct err *err)
{
    struct err more = *err;
    if (cli->memory && err_is_nomem(err))
        err_text(&more, err->kind,
                 "%s: --memory of more than %" PRIu64 "M is needed", err->text,
                 cli->memory >> 20);
    say(cli, subject, NULL, more.text);
}

void cli_error(struct cli *cli, const char *subject, const struct err *err)
{
    print_error(cli, subject, err);
    cli_set_status(cli, err->kind);
}

bool cli_input_error(struct cli *cli, const char *subject,
                     const struct err *err)
{
    struct cli_private *priv = cli->private;
    print_error(cli, subject, err);
    if (!cli->keep_going) {
        cli_set_status(cli, err->kind);
        return false;
    }
    (void)pthread_mutex_lock(&priv->lock);
    if ((int)err->kind > priv->left_out)
        priv->left_out = (int)err->kind;
    (void)pthread_mutex_unlock(&priv->lock);
    return true;
}

enum { MAX_PER_PART = 20 }; /* the others of a part say no more */

void losses_note(struct losses *l, const char *text)
{
    if (l->waiting.n >= MAX_PER_PART)
        return;
    char *copy = strdup(text);
    if (copy && vec_push(&l->waiting, copy))
        return;
    free(copy);
    l->nomem = true;
}

void losses_keep(struct losses *l)
{
    if (!vec_reserve(&l->kept, l->waiting.n)) {
        l->nomem = true;
        losses_drop(l);
        return;
    }
    for (size_t i = 0; i < l->waiting.n; i++)
        l->kept.v[l->kept.n++] = l->waiting.v[i];
    l->waiting.n = 0;
}

void losses_drop(struct losses *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        free(l->waiting.v[i]);
    l->waiting.n = 0;
}

/* Names in texts may be any bytes. */
static bool add_comment(struct profile *p, const char *text, struct err *err)
{
    struct buf b = {0};
    bool ok = (buf_puts(&b, CHECK_INCOMPLETE) &&
               utf8_put_line(&b, text, strlen(text)) && buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_add_comment(p, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

static bool add_kept(const struct losses *l, struct profile *p, struct err *err)
{
    struct profile out = {0};
    for (size_t i = 0; i < l->kept.n; i++)
        if (!add_comment(p, l->kept.v[i], err))
            return false;
    if (!prof_canonical(p, 1, &out, NULL, err)) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
}

bool losses_into(struct losses *l, struct profile *p, struct err *err)
{
    losses_keep(l);
    bool ok = l->nomem ? err_nomem(err) : !l->kept.n || add_kept(l, p, err);
    for (size_t i = 0; i < l->kept.n; i++)
        free(l->kept.v[i]);
    l->kept.n = 0;
    return ok;
}

void losses_free(struct losses *l)
{
    losses_drop(l);
    for (size_t i = 0; i < l->kept.n; i++)
        free(l->kept.v[i]);
    vec_free(&l->waiting);
    vec_free(&l->kept);
}
