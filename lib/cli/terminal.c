#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

enum {
    LEAST_ROOM = 16,   /* for a name: below that it is left alone */
    SHARE_COLUMN = 24, /* before which the share of a row stands */
};

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define FAINT "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define DOTS "..."

bool terminal_parse_color(const char *text, enum terminal_color *color,
                          struct err *err)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            *color = (enum terminal_color)i;
            return true;
        }
    return err_set(err, ERR_USAGE, "auto, always or never, not '%s'", text);
}

/* That is set to something. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static size_t find_width(void)
{
    struct winsize size;
    const char *columns = variable("COLUMNS");
    long n = columns ? strtol(columns, NULL, 10) : 0;
    if (n > 0)
        return (size_t)n;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct terminal terminal_of(const struct cli *cli, enum terminal_color color)
{
    bool named = cli->output && strcmp(cli->output, "-") != 0;
    struct terminal t = {.is_terminal = !named && isatty(STDOUT_FILENO)};
    const char *term = variable("TERM");
    bool able = term && strcmp(term, "dumb") != 0 && !variable("NO_COLOR");
    t.color =
        color == COLOR_ALWAYS || (color == COLOR_AUTO && t.is_terminal && able);
    t.width = t.is_terminal ? find_width() : 0;
    return t;
}

/* The byte where character k of s[0 .. n) begins, or n; it is all UTF-8. */
static size_t byte_of(const uint8_t *s, size_t n, size_t k)
{
    size_t at = 0;
    for (; k && at < n; k--) {
        size_t len = utf8_char(s + at, n - at, NULL);
        at += len ? len : 1;
    }
    return at;
}

/* Rows begin with a number, or with what leads up to one. */
static bool is_row(const uint8_t *line, size_t n)
{
    return n && (line[0] == ' ' || line[0] == '-' ||
                 (line[0] >= '0' && line[0] <= '9'));
}

/* A line, with what is behind column `names` shortened to fit. */
static bool put_fitting(const struct terminal *t, const uint8_t *line, size_t n,
                        size_t names, struct buf *to)
{
    size_t k = is_row(line, n) ? utf8_count(line, n) : 0;
    if (!t->width || k <= t->width || t->width < names + LEAST_ROOM)
        return buf_put(to, line, n);
    /* More of the end, where the names of functions are. */
    size_t room = t->width - names - strlen(DOTS), tail = room * 3 / 5;
    size_t head_end = byte_of(line, n, names + room - tail);
    size_t tail_at = byte_of(line, n, k - tail);
    return buf_put(to, line, head_end) && buf_puts(to, DOTS) &&
           buf_put(to, line + tail_at, n - tail_at);
}

/* The colour of a row is that of the first share in it; "": it has none. */
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

static bool put_line(const struct terminal *t, const uint8_t *line, size_t n,
                     size_t names, struct buf *to)
{
    const char *color = t->color ? color_of(line, n) : "";
    return buf_puts(to, color) && put_fitting(t, line, n, names, to) &&
           (!*color || buf_puts(to, PLAIN));
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
        ok = put_line(t, line, len, names, to) && (!end || buf_putc(to, '\n'));
        at += len + (end != NULL);
    }
    buf_free(&visible);
    return ok;
}
