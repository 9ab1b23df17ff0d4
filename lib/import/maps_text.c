/* maps_text.c - the lines of a list of mappings, and the variables in them */
#include <string.h>

#include "base/utf8.h"
#include "import/maps.h"
#include "import/private.h"

/* A device, "08:01". */
static bool is_device(struct slice word)
{
    const char *colon = memchr(word.s, ':', word.n);
    if (!colon)
        return false;
    size_t k = (size_t)(colon - word.s);
    return slice_is_hex(slice_to(word, k)) &&
           slice_is_hex(slice_from(word, k + 1));
}

/* "r-xp" and the like off the front of *s, if that is what is there. */
static void parse_permissions(struct slice *s, struct maps_line *line)
{
    struct slice rest = *s, word = slice_take_word(&rest);
    line->executable = true;
    if (!word.n)
        return;
    for (size_t i = 0; i < word.n; i++)
        if (!word.s[i] || !strchr("-rwxps", word.s[i]))
            return;
    line->executable = memchr(word.s, 'x', word.n) != NULL;
    *s = rest;
}

/* [offset] device inode [name] */
static bool proc_form(struct slice s, struct maps_line *line)
{
    struct slice word = slice_take_word(&s);
    uint64_t offset = 0;
    if (slice_is_hex(word)) {
        if (!slice_take_hex(&word, &offset))
            return false;
        word = slice_take_word(&s);
    }
    if (!is_device(word) || !slice_is_decimal(slice_take_word(&s)))
        return false;
    line->offset = offset;
    line->name = slice_trim(s);
    return true;
}

/* "(@1000)" */
static bool is_at_offset(struct slice word, uint64_t *offset)
{
    if (word.n < 4 || memcmp(word.s, "(@", 2) != 0 || word.s[word.n - 1] != ')')
        return false;
    struct slice digits = {word.s + 2, word.n - 3};
    return slice_is_hex(digits) && slice_take_hex(&digits, offset);
}

/* [name] [(@offset)] [build id]: taken from the end, for blanks in names. */
static void brief_form(struct slice s, struct maps_line *line)
{
    s = slice_trim(s);
    struct slice rest = s, word = slice_take_last_word(&rest);
    line->name = s;
    if (is_at_offset(word, &line->offset)) {
        line->name = rest;
        return;
    }
    if (!rest.n || !slice_is_hex(word))
        return;
    line->build_id = word;
    line->name = rest;
    word = slice_take_last_word(&rest);
    if (is_at_offset(word, &line->offset))
        line->name = rest;
}

static bool parse_mapping(struct slice s, struct maps_line *line)
{
    s = slice_trim_left(s);
    if (!slice_take_0xhex(&s, &line->start) || !s.n ||
        !(ascii_is_blank(s.s[0]) || s.s[0] == '-'))
        return false;
    s = slice_trim_left(slice_from(s, 1));
    if (!slice_take_0xhex(&s, &line->limit))
        return false;
    if (s.n && s.s[0] == ':')
        s = slice_from(s, 1);
    if ((s.n && !ascii_is_blank(s.s[0])) || line->start >= line->limit)
        return false;
    parse_permissions(&s, line);
    if (!proc_form(s, line))
        brief_form(s, line);
    static const char deleted[] = " (deleted)";
    line->deleted = slice_ends_with(line->name, deleted);
    if (line->deleted)
        line->name.n -= sizeof deleted - 1;
    line->name = slice_trim(line->name);
    return true;
}

static bool parse_variable(struct slice s, struct maps_line *line)
{
    const char *equals = memchr(s.s, '=', s.n);
    if (!equals)
        return false;
    size_t k = (size_t)(equals - s.s);
    line->name = slice_trim(slice_to(s, k));
    line->value = slice_trim(slice_from(s, k + 1));
    for (size_t i = 0; i < line->name.n; i++)
        if (!slice_is_word_char(line->name.s[i]))
            return false;
    return line->name.n > 0;
}

/* A line that a profile has itself may hold anything, as in a name. */
static bool begins_itself(struct slice line)
{
    static const char *const begins[] = {"#", "---", "0x"};
    line = slice_trim_left(line);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (slice_begins_with(line, begins[i]))
            return true;
    return false;
}

struct slice maps_unlog(struct slice line)
{
    if (begins_itself(line))
        return line;
    const char *end = line.n ? memchr(line.s, ']', line.n) : NULL;
    if (!end)
        return line;
    size_t n = (size_t)(end - line.s), k = n;
    while (k && ascii_is_digit(line.s[k - 1]))
        k--;
    bool is_log = k < n && k > 1 && line.s[k - 1] == ':' && n + 1 < line.n &&
                  ascii_is_blank(line.s[n + 1]) && !memchr(line.s, '[', n);
    return is_log ? slice_from(line, n + 2) : line;
}

struct maps_line maps_line_parse(struct slice s)
{
    struct maps_line line = {.kind = MAPS_BLANK};
    if (!slice_trim(s).n)
        return line;
    if (parse_mapping(s, &line))
        line.kind = MAPS_MAPPING;
    else if (parse_variable(s, &line))
        line.kind = MAPS_VARIABLE;
    else
        line.kind = MAPS_OTHER;
    return line;
}

enum {
    LINE_MAX_BYTES = 64 * 1024,
    LIST_MIN_ROOM = 1024 * 1024,
    LIST_TIMES = 16,
};

bool maps_vars_init(struct maps_vars *vars, size_t n)
{
    memset(vars, 0, sizeof *vars);
    vars->room = n < (SIZE_MAX - LIST_MIN_ROOM) / LIST_TIMES
                     ? LIST_MIN_ROOM + LIST_TIMES * n
                     : SIZE_MAX;
    return strtab_init(&vars->strings);
}

void maps_vars_free(struct maps_vars *vars)
{
    strtab_free(&vars->strings);
    vec_free(&vars->value);
    buf_free(&vars->line);
}

bool maps_vars_set(struct maps_vars *vars, struct slice name,
                   struct slice value, struct err *err)
{
    uint32_t n, v;
    if (!strtab_add(&vars->strings, name.s, name.n, &n) ||
        !strtab_add(&vars->strings, value.s, value.n, &v))
        return err_nomem(err);
    while (vars->value.n <= n)
        if (!vec_push(&vars->value, 0))
            return err_nomem(err);
    vars->value.v[n] = v + 1;
    return true;
}

/* The value of a variable, if it has one. */
static bool value_of(const struct maps_vars *vars, struct slice name,
                     struct slice *value)
{
    uint32_t id;
    if (!strtab_find(&vars->strings, name.s, name.n, &id) ||
        id >= vars->value.n || !vars->value.v[id])
        return false;
    id = vars->value.v[id] - 1;
    value->s = strtab_str(&vars->strings, id);
    value->n = strtab_len(&vars->strings, id);
    return true;
}

static bool put_text(struct maps_vars *vars, struct slice s, struct err *err)
{
    if (s.n > LINE_MAX_BYTES - vars->line.n)
        return err_set(err, ERR_INPUT,
                       "its variables make a line of more than %d bytes",
                       LINE_MAX_BYTES);
    return buf_put(&vars->line, s.s, s.n) || err_nomem(err);
}

static bool put_value(struct maps_vars *vars, struct slice value,
                      struct err *err)
{
    if (value.n > vars->room)
        return err_set(err, ERR_INPUT,
                       "its variables make the list more than %d times as long",
                       LIST_TIMES);
    vars->room -= value.n;
    return put_text(vars, value, err);
}

bool maps_vars_expand(struct maps_vars *vars, struct slice *line,
                      struct err *err)
{
    const char *at = line->s, *end = line->s + line->n, *dollar;
    if (!vars->value.n || !memchr(at, '$', line->n))
        return true;
    vars->line.n = 0;
    while ((dollar = memchr(at, '$', (size_t)(end - at)))) {
        struct slice plain = {at, (size_t)(dollar - at)}, value;
        struct slice name = {dollar + 1, 0};
        while (name.s + name.n < end && slice_is_word_char(name.s[name.n]))
            name.n++;
        if (!value_of(vars, name, &value))
            value = (struct slice){dollar, name.n + 1};
        if (!put_text(vars, plain, err) || !put_value(vars, value, err))
            return false;
        at = name.s + name.n;
    }
    if (!put_text(vars, (struct slice){at, (size_t)(end - at)}, err))
        return false;
    *line = (struct slice){(const char *)vars->line.v, vars->line.n};
    return true;
}
