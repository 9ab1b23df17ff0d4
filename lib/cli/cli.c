/* cli.c - begins and ends every tool: cli_begin(), cli_end() */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "io/output.h"

enum {
    MEMORY_STEP = 1024 * 1024, /* bytes by which the heap grows */
    /* Blocks of this size go back to the system when freed, and mremap() grows
     * them, which leaves no holes in the heap; smaller ones are used again. */
    LARGE_BLOCK = 512 * 1024,
};

/*
 * Opens each standard file that is closed, since the next file opened would
 * take its descriptor.  Reading or writing them then fails.
 */
static bool guard_standard_files(struct prof_err *err)
{
    struct pollfd p[3] = {{.fd = 0}, {.fd = 1}, {.fd = 2}};
    bool polled = poll(p, 3, 0) >= 0;
    for (int fd = 0; fd <= 2; fd++) {
        /* Some systems report POLLNVAL for devices, too. */
        if ((polled && !(p[fd].revents & POLLNVAL)) ||
            fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        if (got != fd)
            return err_errno(err, errno, "cannot open /dev/null");
    }
    return true;
}

static bool init(struct cli *cli, const struct cli_spec *spec,
                 struct prof_err *err)
{
    *cli = (struct cli){.tool = spec->tool,
                        .level = -1,
                        .threads = spec->shared & CLI_THREADS ? 0 : 1,
                        .max_size = INPUT_DEFAULT_MAX_SIZE};
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0)
        cli->max_held = (uint64_t)pages / 2 * (uint64_t)size;
    cli->private = calloc(1, sizeof *cli->private);
    if (!cli->private)
        return err_nomem(err);
    cli->private->spec = spec;
    cli_notes_init(&cli->private->notes, cli, NULL);
    cli->notes = cli->private->notes.notes;
    int failed = pthread_mutex_init(&cli->private->lock, NULL);
    if (failed) {
        free(cli->private);
        return err_errno(err, failed, "cannot create a lock");
    }
    return true;
}

int cli_begin(struct cli *cli, const struct cli_spec *spec, int argc,
              char **argv)
{
    struct prof_err err = {0};
    system_malloc_steps(MEMORY_STEP, LARGE_BLOCK);
    if (!guard_standard_files(&err) || !init(cli, spec, &err)) {
        diag_line(spec->tool, NULL, NULL, err.text);
        return PROF_ERR_SYSTEM;
    }
    int status = cli_parse(cli, argc, argv, &err);
    if (status < 0) {
        signals_catch(spec->tool);
        return -1;
    }
    if (status)
        cli_error(cli, NULL, &err);
    return cli_end(cli);
}

int cli_end(struct cli *cli)
{
    struct cli_private *priv = cli->private;
    if (priv->skipped && priv->written && cli->status <= PROF_ERR_ANSWER_NO)
        cli->status = PROF_ERR_PARTIAL;
    else if (priv->skipped > cli->status)
        cli->status = priv->skipped;
    if (priv->opened)
        output_abort(priv->opened);
    vec_free_all(&priv->names);
    vec_free(&priv->inputs);
    vec_free(&priv->groups);
    vec_free(&priv->options);
    vec_free(&priv->common);
    vec_free(&priv->headings);
    (void)pthread_mutex_destroy(&priv->lock);
    free(priv);
    cli->private = NULL;
    cli->inputs = NULL;
    cli->n_inputs = 0;
    return cli->status;
}
