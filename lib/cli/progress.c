#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/diag.h"
#include "cli/private.h"

enum {
    PATIENCE = 1000, /* milliseconds before the first line */
    INTERVAL = 100,
    COLUMNS = 80, /* where the terminal does not say */
};

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The size of all inputs, or 0 if one has none. */
static uint64_t total_of(const struct cli *cli)
{
    uint64_t total = 0;
    for (size_t i = 0; i < cli->n_inputs; i++) {
        const char *path = cli->inputs[i];
        struct stat st;
        int got =
            strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
        if (got != 0 || !S_ISREG(st.st_mode))
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

/* Three digits of it: "12.3 MB". */
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

static bool put_line(struct buf *to, const struct progress *p, uint64_t done,
                     int64_t elapsed)
{
    double rate = (double)done * 1000 / (double)elapsed;
    bool ok = buf_printf(to, "%s: %zu profile%s, ", p->cli->tool, p->converted,
                         plural(p->converted, "", "s")) &&
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

/* Columns that may be written without the line going on in the next. */
static size_t room(void)
{
    struct winsize size;
    size_t n = COLUMNS;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        n = size.ws_col;
    return n - 1;
}

static void show(struct progress *p, uint64_t done, int64_t at)
{
    struct buf line = {0};
    bool ok = buf_puts(&line, "\r") && put_line(&line, p, done, at - p->began);
    size_t width = room();
    if (line.n > 1 + width)
        line.n = 1 + width;
    if (ok && buf_puts(&line, "\033[K")) {
        diag_write(line.v, line.n);
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
    uint64_t read, size;
    input_position(in, &read, &size);
    show(p, p->done + read, at);
}

void progress_next_input(struct progress *p, const struct input *in)
{
    uint64_t read, size;
    input_position(in, &read, &size);
    p->done += size ? size : read;
}

void progress_hide(struct progress *p)
{
    static const char clear[] = "\r\033[K";
    if (p && p->shown)
        diag_write(clear, sizeof clear - 1);
    if (p)
        p->shown = false;
}

static bool put_summary(struct buf *to, const struct progress *p, size_t failed)
{
    double seconds = (double)(now() - p->began) / 1000;
    bool ok = buf_printf(to, "%zu profile%s converted, %zu entr%s skipped",
                         p->converted, plural(p->converted, "", "s"),
                         p->skipped, plural(p->skipped, "y", "ies"));
    if (p->empty)
        ok = ok && buf_printf(to, " (%zu empty)", p->empty);
    return ok && buf_printf(to, ", %zu failed: ", failed) &&
           put_bytes(to, p->done) && buf_printf(to, " in %.1f s", seconds) &&
           buf_putc(to, 0);
}

void progress_end(struct progress *p, bool bulk, size_t failed)
{
    struct cli *cli = p->cli;
    struct buf text = {0};
    progress_hide(p);
    cli->private->progress = NULL;
    if (bulk && !cli->quiet &&
        (p->enabled || cli->verbose || p->skipped || failed) &&
        put_summary(&text, p, failed))
        diag_line(cli->tool, NULL, NULL, (const char *)text.v);
    buf_free(&text);
}
