#include "import/gperftools/maps_vars.h"

#include <string.h>

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

static bool put(struct maps_vars *vars, struct slice s, struct err *err)
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
    return put(vars, value, err);
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
        if (!put(vars, plain, err) || !put_value(vars, value, err))
            return false;
        at = name.s + name.n;
    }
    if (!put(vars, (struct slice){at, (size_t)(end - at)}, err))
        return false;
    *line = (struct slice){(const char *)vars->line.v, vars->line.n};
    return true;
}
