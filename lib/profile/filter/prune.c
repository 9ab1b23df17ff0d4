#include "profile/filter/prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "profile/filter/samplepass.h"
#include "profile/text.h"

/* The length of the text that s begins with, if it is one with a "(". */
static size_t reserved(const char *s, size_t n)
{
    static const char *const texts[] = {"(anonymous namespace)", "operator()"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t len = strlen(texts[i]);
        if (len <= n && !memcmp(s, texts[i], len))
            return len;
    }
    return 0;
}

/* The simple form of a name: a part of it. */
static const char *simple_name(const char *name, size_t *n)
{
    if (*n && *name == '.') {
        name++;
        --*n;
    }
    for (size_t i = 0; i < *n;) {
        size_t skip = reserved(name + i, *n - i);
        if (!skip && name[i] == '(')
            *n = i;
        i += skip ? skip : 1;
    }
    return name;
}

/* What is known of a name. */
enum { UNTRIED, NO, YES };

static bool judge(const struct profile *p, struct regex *drop,
                  struct regex *keep, uint32_t id, uint8_t *verdict,
                  struct err *err)
{
    struct slice text = prof_text(p, id);
    size_t n = text.n;
    const char *name = simple_name(text.s, &n);
    int dropped = regex_match(drop, name, n, err);
    int kept = dropped > 0 && keep ? regex_match(keep, name, n, err) : 0;
    if (dropped < 0 || kept < 0)
        return false;
    *verdict = dropped && !kept ? YES : NO;
    return true;
}

/* 1 for each function that matches; null when something failed. */
static uint8_t *matching(const struct profile *p, struct regex *drop,
                         struct regex *keep, struct err *err)
{
    uint8_t *seen = mem_zarray(p->strings.n, 1);
    uint8_t *function = mem_zarray(p->n_functions, 1);
    bool ok = (seen && function) || err_nomem(err);
    for (size_t i = 0; ok && i < p->n_functions; i++) {
        uint32_t name = p->functions[i].name;
        if (!name)
            continue;
        if (seen[name] == UNTRIED)
            ok = judge(p, drop, keep, name, &seen[name], err);
        function[i] = seen[name] == YES;
    }
    free(seen);
    if (ok)
        return function;
    free(function);
    return NULL;
}

static bool line_matches(const struct profile *p, const struct prof_location *l,
                         uint32_t i, const uint8_t *function)
{
    uint32_t f = p->lines[l->line_off + i].function;
    return f != PROF_NONE && function[f];
}

static void drop_inner_lines(struct prof_location *l, uint32_t n)
{
    l->line_off += n;
    l->n_lines -= n;
}

/* What a location means for the stacks that it is in. */
enum { USER, BENEATH, WHOLE };

/* Finds the outermost match, and drops it with the lines inside. */
static uint8_t prune_location(struct profile *p, struct prof_location *l,
                              const uint8_t *function)
{
    uint32_t n = l->n_lines;
    while (n && !line_matches(p, l, n - 1, function))
        n--;
    if (!n)
        return USER;
    if (n == l->n_lines)
        return WHOLE;
    drop_inner_lines(l, n);
    return BENEATH;
}

/* How many of the frames at the leaf are to go. */
static size_t beneath(const struct sample_pass *pass, const uint8_t *location)
{
    size_t i = pass->depth;
    while (i && location[pass->stack[i - 1]] != USER)
        i--;
    while (i && location[pass->stack[i - 1]] == USER)
        i--;
    if (i && location[pass->stack[i - 1]] == BENEATH)
        i--;
    return i;
}

bool prof_prune(struct profile *p, struct regex *drop, struct regex *keep,
                struct err *err)
{
    uint8_t *location = mem_zarray(p->n_locations, 1);
    if (!location)
        return err_nomem(err);
    uint8_t *function = matching(p, drop, keep, err);
    if (!function) {
        free(location);
        return false;
    }
    for (size_t i = 0; i < p->n_locations; i++)
        location[i] = prune_location(p, &p->locations[i], function);
    struct sample_pass pass = sample_pass_begin(p);
    while (sample_pass_next(&pass)) {
        size_t n = beneath(&pass, location);
        sample_pass_keep(&pass, pass.stack + n, pass.depth - n);
    }
    sample_pass_end(&pass);
    free(function);
    free(location);
    return true;
}

bool prune_regex(struct regex **re, const char *pattern, struct err *err)
{
    struct buf whole = {0};
    *re = NULL;
    bool ok = buf_printf(&whole, "^(%s)$", pattern) && buf_putc(&whole, 0);
    ok = ok ? regex_new(re, (const char *)whole.v, err) : err_nomem(err);
    buf_free(&whole);
    return ok;
}

/* One of the profile's own; null in *re when it has none. */
static bool own_regex(const struct profile *p, const char *what, uint32_t id,
                      struct regex **re, struct err *err)
{
    *re = NULL;
    if (!id)
        return true;
    const char *pattern = prof_plain(p, id);
    if (!*pattern)
        return err_set(err, ERR_INPUT, "%s: a NUL in the expression '%s'", what,
                       prof_show(p, id).text);
    if (prune_regex(re, pattern, err)) {
        regex_call(*re, what, ERR_INPUT);
        return true;
    }
    if (err && err->kind == ERR_USAGE)
        err->kind = ERR_INPUT;
    return err_prefix(err, "%s: ", what);
}

bool prune_own_drop(const struct profile *p, struct regex **re, struct err *err)
{
    return own_regex(p, "drop_frames of the profile", p->drop_frames, re, err);
}

bool prune_own_keep(const struct profile *p, struct regex **re, struct err *err)
{
    return own_regex(p, "keep_frames of the profile", p->keep_frames, re, err);
}

bool prof_prune_own(struct profile *p, struct err *err)
{
    struct regex *drop, *keep = NULL;
    bool ok = prune_own_drop(p, &drop, err) && prune_own_keep(p, &keep, err) &&
              (!drop || prof_prune(p, drop, keep, err));
    regex_free(drop);
    regex_free(keep);
    return ok;
}

/* Finds the innermost match, and drops the lines inside it. */
static bool prune_location_from(struct profile *p, struct prof_location *l,
                                const uint8_t *function)
{
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (line_matches(p, l, i, function)) {
            drop_inner_lines(l, i);
            return true;
        }
    return false;
}

bool prof_prune_from(struct profile *p, struct regex *re, bool *matched,
                     struct err *err)
{
    *matched = false;
    uint8_t *location = mem_zarray(p->n_locations, 1);
    if (!location)
        return err_nomem(err);
    uint8_t *function = matching(p, re, NULL, err);
    if (!function) {
        free(location);
        return false;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        location[i] = prune_location_from(p, &p->locations[i], function);
        *matched |= location[i];
    }
    struct sample_pass pass = sample_pass_begin(p);
    while (sample_pass_next(&pass)) {
        size_t n = 0;
        while (n < pass.depth && !location[pass.stack[n]])
            n++;
        if (n == pass.depth)
            n = 0;
        sample_pass_keep(&pass, pass.stack + n, pass.depth - n);
    }
    sample_pass_end(&pass);
    free(function);
    free(location);
    return true;
}
