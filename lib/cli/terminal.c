/* terminal.c - adapts reports to a terminal, and opens viewers */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"
#include "base/tempfile.h"
#include "base/utf8.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "io/output.h"
#include "io/process.h"

enum {
    LEAST_ROOM = 16,   /* columns for a name; with fewer it is not shortened */
    SHARE_COLUMN = 24, /* the first percentage of a row ends before it */
};

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define FAINT "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define DOTS "..."

/* Returns an environment variable, or null if it is unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

struct terminal terminal_of(const struct cli *cli, enum terminal_color color)
{
    bool named = cli->output && strcmp(cli->output, "-") != 0;
    struct terminal t = {.is_terminal = !named && isatty(STDOUT_FILENO)};
    const char *term = variable("TERM");
    bool able = term && strcmp(term, "dumb") != 0 && !variable("NO_COLOR");
    t.color =
        color == COLOR_ALWAYS || (color == COLOR_AUTO && t.is_terminal && able);
    const char *columns = t.is_terminal ? variable("COLUMNS") : NULL;
    long n = columns ? strtol(columns, NULL, 10) : 0;
    if (t.is_terminal)
        t.width = n > 0 ? (size_t)n : system_columns(STDOUT_FILENO);
    return t;
}

/* Returns the offset of character k in the UTF-8 text s[0 .. n), or n. */
static size_t byte_of(const uint8_t *s, size_t n, size_t k)
{
    size_t at = 0;
    for (; k && at < n; k--) {
        size_t len = utf8_char(s + at, n - at, NULL);
        at += len ? len : 1;
    }
    return at;
}

/* Returns whether the line is a row: it begins with a number or blanks. */
static bool is_row(const uint8_t *line, size_t n)
{
    return n && (line[0] == ' ' || line[0] == '-' ||
                 (line[0] >= '0' && line[0] <= '9'));
}

/* Appends a line.  Shortens the name at column `names` if a row is too long. */
static bool put_fitting(const struct terminal *t, const uint8_t *line, size_t n,
                        size_t names, struct buf *to)
{
    size_t k = is_row(line, n) ? utf8_count(line, n) : 0;
    if (!t->width || k <= t->width || t->width < names + LEAST_ROOM)
        return buf_put(to, line, n);
    /* Keep more of the end, as names of functions differ there. */
    size_t room = t->width - names - strlen(DOTS), tail = room * 3 / 5;
    size_t head_end = byte_of(line, n, names + room - tail);
    size_t tail_at = byte_of(line, n, k - tail);
    return buf_put(to, line, head_end) && buf_puts(to, DOTS) &&
           buf_put(to, line + tail_at, n - tail_at);
}

/* Returns the color of a row, by the first percentage in it, or "". */
static const char *color_of(const uint8_t *line, size_t n)
{
    char text[SHARE_COLUMN + 1] = "";
    if (!is_row(line, n))
        return "";
    memcpy(text, line, n < SHARE_COLUMN ? n : SHARE_COLUMN);
    if (strstr(text, " flat%"))
        return BOLD;
    char *percent = strchr(text, '%');
    if (!percent)
        return "";
    *percent = '\0';
    char *from = strrchr(text, ' '), *end;
    double share = from ? strtod(from + 1, &end) : 0;
    if (!from || end == from + 1 || *end)
        return "";
    if (share < 0)
        share = -share;
    return share >= 10 ? RED : share >= 2 ? YELLOW : share > 0 ? "" : FAINT;
}

bool terminal_put(const struct terminal *t, const void *text, size_t n,
                  size_t names, struct buf *to)
{
    if (!names)
        return utf8_put_visible(to, text, n);
    struct buf visible = {0};
    bool ok = utf8_put_visible(&visible, text, n);
    for (size_t at = 0; ok && at < visible.n;) {
        const uint8_t *line = visible.v + at;
        const uint8_t *end = memchr(line, '\n', visible.n - at);
        size_t len = end ? (size_t)(end - line) : visible.n - at;
        const char *color = t->color ? color_of(line, len) : "";
        ok = buf_puts(to, color) && put_fitting(t, line, len, names, to) &&
             (!*color || buf_puts(to, PLAIN)) && (!end || buf_putc(to, '\n'));
        at += len + (end != NULL);
    }
    buf_free(&visible);
    return ok;
}

/* --- pictures and pages, which other programs show ------------------------ */

enum { MAX_TRIES = 100 }; /* attempts at an unused name */

/* Returns a random path that does not look like an option; null: see *err. */
static char *invent_name(const char *suffix, struct prof_err *err)
{
    const char *dir = tempfile_directory();
    unsigned long long x = 0;
    if (!system_random(&x, sizeof x))
        return err_errno(err, errno, "cannot get random bytes"), NULL;
    char *path = str_printf("%s%s/profutils.%016llx.%s",
                            *dir == '/' ? "" : "./", dir, x, suffix);
    return path ? path : (err_nomem(err), NULL);
}

/* Creates a temporary file and returns its descriptor, or -1 with *err.  The
 * signal handler gets the name first, so that it can always remove the file. */
static int create(char **path, const char *suffix, struct prof_err *err)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        *path = invent_name(suffix, err);
        if (!*path)
            return -1;
        signals_temp(NULL, AT_FDCWD, *path);
        int fd =
            file_open_at(AT_FDCWD, *path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        int why = errno;
        if (fd >= 0)
            return fd;
        signals_temp(NULL, AT_FDCWD, NULL);
        err_errno(err, why, "cannot create the temporary file %s", *path);
        free(*path);
        *path = NULL;
        if (why != EEXIST)
            break;
    }
    return -1;
}

/* Shows a picture in gv, as google-pprof does, or a page in a browser. */
static bool show_file(struct cli *cli, const char *path, bool picture,
                      struct prof_err *err)
{
    /* xdg-open interprets a list of browsers, or one with arguments. */
    const char *browser = variable("BROWSER");
    if (browser && strpbrk(browser, ": %"))
        browser = NULL;
    const char *const gv[] = {"gv", "--scale=1", "--noantialias", path, NULL};
    const char *const open[] = {browser ? browser : "xdg-open", path, NULL};
    const struct run job = {.argv = picture ? gv : open, .notes = &cli->notes};
    struct buf name = {0};
    if (!run(&job, NULL, err))
        return false;
    bool ok = picture || ((buf_printf(&name, "%s\n", path) || err_nomem(err)) &&
                          fd_write(STDOUT_FILENO, name.v, name.n, err));
    buf_free(&name);
    return ok;
}

/*
 * Runs in the first process: waits until `maker` has written the file, and
 * shows it.  Removes the file if gv showed it; a browser may read a page later,
 * so that stays.
 */
_Noreturn static void attend(struct cli *cli, const char *path, pid_t maker,
                             bool picture)
{
    struct prof_err err;
    int status = 0;
    pid_t got;
    while ((got = waitpid(maker, &status, 0)) < 0 && errno == EINTR)
        ;
    bool made = got == maker && WIFEXITED(status);
    cli->status = made ? WEXITSTATUS(status) : PROF_ERR_SYSTEM;
    made = made && (cli->status == 0 || cli->status == PROF_ERR_PARTIAL);
    bool shown = made && show_file(cli, path, picture, &err);
    if (made && !shown)
        cli_error(cli, NULL, &err);
    if (picture || !shown)
        (void)unlink(path);
    /* If a signal ended the other process, end this one by the same signal. */
    if (got == maker && WIFSIGNALED(status))
        (void)raise(WTERMSIG(status));
    _exit(cli->status);
}

bool cli_show_begin(struct cli_show *s, struct cli *cli, const char *suffix)
{
    struct prof_err err;
    pid_t self = getpid(), maker = -1;
    *s = (struct cli_show){.cli = cli};
    s->fd = create(&s->path, suffix, &err);
    if (s->fd >= 0 && (maker = fork()) < 0)
        err_errno(&err, errno, "cannot start a process");
    if (maker > 0)
        attend(cli, s->path, maker, strcmp(suffix, "ps") == 0);
    if (maker == 0 && spawn_die_with(self))
        return true;
    if (maker < 0)
        cli_error(cli, NULL, &err);
    cli_show_end(s);
    return false;
}

bool cli_show(struct cli_show *s, const void *bytes, size_t n)
{
    struct prof_err err;
    bool ok = fd_write(s->fd, bytes, n, &err);
    if (close(s->fd) != 0 && ok)
        ok = err_errno(&err, errno, "cannot write");
    s->fd = -1;
    if (!cli_check_losses(s->cli))
        return false;
    if (!ok) {
        cli_error(s->cli, NULL, &err);
        return false;
    }
    signals_temp(NULL, AT_FDCWD, NULL); /* the other process removes it */
    free(s->path);
    s->path = NULL;
    return s->cli->private->written = true;
}

void cli_show_end(struct cli_show *s)
{
    if (!s->cli)
        return;
    if (s->fd >= 0)
        (void)close(s->fd);
    if (s->path) {
        (void)unlink(s->path);
        signals_temp(NULL, AT_FDCWD, NULL);
    }
    free(s->path);
    s->cli = NULL;
}
