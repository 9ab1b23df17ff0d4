#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diag.h"
#include "cli/losses.h"
#include "cli/private.h"
#include "cli/processors.h"
#include "cli/progress.h"
#include "cli/repeats.h"
#include "cli/signals.h"

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
static void take_loss(struct cli *cli, const struct note *n)
{
    struct cli_private *priv = cli->private;
    (void)pthread_mutex_lock(&priv->lock);
    if (cli->strict && !n->lost->kind)
        err_text(n->lost, ERR_INPUT, "%s (an error with --strict)", n->text);
    else if (!cli->strict && priv->losses)
        losses_note(priv->losses, n->text);
    (void)pthread_mutex_unlock(&priv->lock);
}

static void take_note(struct cli *cli, const struct note *n)
{
    if (n->level == NOTE_LOSS)
        take_loss(cli, n);
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

static void say_of_cli(void *ctx, enum note_level level, const char *text)
{
    struct cli *cli = ctx;
    struct note n = {cli->subject, text, level, &cli->private->lost};
    take_note(cli, &n);
}

static bool check_of_cli(void *ctx, struct err *err)
{
    struct cli *cli = ctx;
    return pass_lost(&cli->private->lost, err);
}

static void say_of_input(void *ctx, enum note_level level, const char *text)
{
    struct cli_notes *notes = ctx;
    struct note n = {notes->subject, text, level, &notes->lost};
    take_note(notes->cli, &n);
}

static bool check_of_input(void *ctx, struct err *err)
{
    struct cli_notes *notes = ctx;
    return pass_lost(&notes->lost, err);
}

void cli_notes_init(struct cli_notes *notes, struct cli *cli,
                    const char *subject)
{
    *notes = (struct cli_notes){
        .cli = cli,
        .subject = subject,
        .notes = {say_of_input, notes, check_of_input},
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

/*
 * With one of the three standard files closed, the next file opened would
 * take its place.  Each gets one that refuses what it is for.
 */
static bool guard_standard_files(struct err *err)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        if (got != fd)
            return err_errno(err, errno, "cannot open /dev/null");
    }
    return true;
}

static bool init(struct cli *cli, const struct cli_spec *spec, struct err *err)
{
    *cli = (struct cli){
        .tool = spec->tool,
        .level = -1,
        .threads = spec->shared & CLI_THREADS ? 0 : 1,
        .max_size = INPUT_DEFAULT_MAX_SIZE,
        .notes = {.say = say_of_cli, .ctx = cli, .check = check_of_cli}};
    cli->private = calloc(1, sizeof *cli->private);
    if (!cli->private)
        return err_nomem(err);
    cli->private->spec = spec;
    int failed = pthread_mutex_init(&cli->private->lock, NULL);
    if (failed) {
        free(cli->private);
        return err_errno(err, failed, "cannot make a lock");
    }
    return true;
}

static unsigned default_threads(void)
{
    unsigned n = processors_available();
    return n < CLI_MAX_THREADS ? n : CLI_MAX_THREADS;
}

/* What the options leave open or cannot say together. */
static bool settle(struct cli *cli, struct err *err)
{
    struct cli_private *priv = cli->private;
    if (!cli->threads)
        cli->threads = default_threads();
    if (cli->output && strcmp(cli->output, "-") == 0)
        cli->output = NULL;
    if (cli->output && !cli->output[0])
        return err_set(err, ERR_USAGE, "--output: the name is empty");
    if (cli->each && !cli->output)
        return err_set(err, ERR_USAGE,
                       "--each needs an archive or a directory to write to: "
                       "--output=FILE.tar.gz or --output=DIR/");
    if (cli->if_changed && !cli->output)
        return err_set(err, ERR_USAGE,
                       "--if-changed needs a file: --output=FILE");
    if (!priv->inputs.n && !priv->lists) {
        if (isatty(STDIN_FILENO))
            return err_set(err, ERR_USAGE,
                           "no input: name files, or '-' for the terminal");
        if (!cli_add_input(cli, "-", 1, err))
            return false;
    }
    cli->inputs = priv->inputs.v;
    cli->n_inputs = priv->inputs.n;
    return true;
}

int cli_begin(struct cli *cli, const struct cli_spec *spec, int argc,
              char **argv)
{
    struct err err = {0};
    if (!guard_standard_files(&err) || !init(cli, spec, &err)) {
        diag_line(spec->tool, NULL, NULL, err.text);
        return ERR_SYSTEM;
    }
    signals_catch(spec->tool);
    bool ok = cli_all_options(cli, &err);
    enum cli_parsed parsed = ok ? cli_parse(cli, argc, argv, &err) : PARSED_BAD;
    switch (parsed) {
    case PARSED_RUN:
        if (settle(cli, &err))
            return -1;
        ok = false;
        break;
    case PARSED_HELP:
        ok = cli_help(cli, &err);
        break;
    case PARSED_VERSION:
        ok = cli_version(cli, &err);
        break;
    case PARSED_BAD:
        ok = false;
        break;
    }
    if (!ok)
        cli_error(cli, NULL, &err);
    return cli_end(cli);
}

static int exit_status(const struct cli *cli)
{
    const struct cli_private *priv = cli->private;
    if (priv->left_out && priv->written && cli->status <= ERR_ANSWER_NO)
        return ERR_PARTIAL;
    return priv->left_out > cli->status ? priv->left_out : cli->status;
}

int cli_end(struct cli *cli)
{
    struct cli_private *priv = cli->private;
    cli->status = exit_status(cli);
    for (size_t i = 0; i < priv->inputs.n; i++)
        free(priv->inputs.v[i]);
    vec_free(&priv->inputs);
    vec_free(&priv->options);
    (void)pthread_mutex_destroy(&priv->lock);
    free(priv);
    cli->private = NULL;
    signals_end();
    cli->inputs = NULL;
    cli->n_inputs = 0;
    return cli->status;
}
