/* filter_types.c - implements --keep-types and --rename-type of pbfilter */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/filters.h"
#include "cli/private.h"

/* Appends the names of all types, each after a blank, and a NUL. */
static bool list_types(const struct profile *p, struct buf *names)
{
    bool ok = true;
    for (size_t i = 0; ok && i < prof_count(p).types; i++) {
        struct prof_slice name = prof_get_string(p, prof_get_type(p, i).type);
        ok = buf_putc(names, ' ') && utf8_put_line(names, name.s, name.n);
    }
    return ok && buf_putc(names, 0);
}

/* Sets keep[i] of types that match the pattern; returns false if none does. */
static bool mark_types(const struct profile *p, const char *pattern, bool *keep)
{
    bool any = false;
    for (size_t i = 0; i < prof_count(p).types; i++) {
        const char *name = prof_plain(p, prof_get_type(p, i).type);
        bool matches = fnmatch(pattern, name, 0) == 0;
        keep[i] |= matches;
        any |= matches;
    }
    return any;
}

bool filter_keep_types(struct profile *p, const char *patterns,
                       const struct prof_notes *notes, struct prof_err *err)
{
    bool *keep = mem_zarray(prof_count(p).types, sizeof *keep);
    struct buf pattern = {0}, names = {0};
    bool ok = (keep && list_types(p, &names)) || err_nomem(err), any = false;
    for (const char *s = patterns; ok && s;) {
        size_t n = strcspn(s, ",");
        pattern.n = 0;
        ok = (buf_put(&pattern, s, n) && buf_putc(&pattern, 0)) ||
             err_nomem(err);
        bool found = ok && mark_types(p, (const char *)pattern.v, keep);
        if (ok && !found)
            note_warn(notes, "--keep-types: no sample type matches '%s'",
                      (const char *)pattern.v);
        any |= found;
        s = s[n] ? s + n + 1 : NULL;
    }
    if (ok && !any)
        ok = err_set(err, PROF_ERR_USAGE,
                     "--keep-types=%s matches no sample type: expected one "
                     "of:%s",
                     patterns, (const char *)names.v);
    if (ok)
        prof_keep_types(p, keep);
    buf_free(&pattern);
    buf_free(&names);
    free(keep);
    return ok;
}

bool filter_is_renaming(const char *text)
{
    const char *new = strrchr(text, '=');
    return new &&new != text &&new[1] && new[1] != '/' &&
           new[strlen(new) - 1] != '/';
}

/*
 * Sets now[i] for the type i that OLD in OLD=NEW[/UNIT] names.  Splits at the
 * last '=' and '/', as names of perf's events contain both.
 */
static bool rename_type(struct profile *p, const char *renaming,
                        struct prof_value_type *now, struct prof_err *err)
{
    const char *new = strrchr(renaming, '=') + 1;
    const char *slash = strrchr(new, '/');
    size_t i, n = slash ? (size_t)(slash - new) : strlen(new);
    char *old = strndup(renaming, (size_t)(new - renaming) - 1);
    bool ok = old || err_nomem(err);
    ok = ok && (prof_pick_type(p, old, &i, err) ||
                err_prefix(err, "--rename-type=%s: ", renaming));
    ok = ok && prof_strn(p, new, n, &now[i].type, err) &&
         (!slash || prof_str(p, slash + 1, &now[i].unit, err));
    free(old);
    return ok;
}

/* Returns false with *err if a new name is also that of another type. */
static bool are_apart(const struct profile *p,
                      const struct prof_value_type *now, struct prof_err *err)
{
    const size_t n = prof_count(p).types;
    for (size_t i = 0; i < n; i++) {
        if (now[i].type == prof_get_type(p, i).type)
            continue;
        for (size_t k = 0; k < n; k++)
            if (k != i && now[k].type == now[i].type)
                return err_set(err, PROF_ERR_USAGE,
                               "--rename-type: two sample types would have the "
                               "name '%s'",
                               prof_plain(p, now[i].type));
    }
    return true;
}

bool filter_rename_types(struct profile *p, const char *const *renamings,
                         size_t n, struct prof_err *err)
{
    const size_t n_types = prof_count(p).types;
    struct prof_value_type *now = mem_array(n_types, sizeof *now);
    bool ok = now || err_nomem(err);
    for (size_t i = 0; ok && i < n_types; i++)
        now[i] = prof_get_type(p, i);
    /* Renames all at once, so that two types can swap names. */
    for (size_t i = 0; ok && i < n; i++)
        ok = rename_type(p, renamings[i], now, err);
    ok = ok && are_apart(p, now, err);
    struct prof_header header = prof_get_header(p);
    const int dflt = header.default_sample_type ? prof_default_type(p) : -1;
    if (ok && dflt >= 0 &&
        prof_get_type(p, (size_t)dflt).type == header.default_sample_type) {
        header.default_sample_type = now[dflt].type;
        prof_set_header(p, &header);
    }
    for (size_t i = 0; ok && i < n_types; i++)
        prof_set_type(p, i, now[i]);
    free(now);
    return ok;
}
