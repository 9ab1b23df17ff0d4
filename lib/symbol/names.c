#include "symbol/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "symbol/demangle.h"

void sym_names_init(struct sym_names *names, struct profile *p,
                    enum sym_demangle how)
{
    memset(names, 0, sizeof *names);
    names->p = p;
    names->how = how;
}

void sym_names_free(struct sym_names *names)
{
    sym_keymap_free(&names->shown);
    sym_keymap_free(&names->functions);
}

/*
 * The form to show.  Debug information may name a C++ function that other
 * files do not see without mangling, as "f<int>".
 */
static char *show(const char *raw, enum sym_demangle how)
{
    char *s = sym_demangle(raw, how);
    if (s || how != SYM_DEMANGLE_DEFAULT || !strchr(raw, '<') ||
        strstr(raw, "operator"))
        return s;
    s = strdup(raw);
    if (s)
        sym_cut_arguments(s);
    if (s && !*s) {
        free(s);
        return NULL;
    }
    return s;
}

bool sym_names_set(struct sym_names *names, const char *raw, size_t n,
                   struct sym_name *name, struct err *err)
{
    if (!prof_strn(names->p, raw, n, &name->system_name, err))
        return false;
    uint32_t *shown = sym_keymap_at(&names->shown, name->system_name);
    if (!shown)
        return err_nomem(err);
    if (!*shown) {
        name->name = name->system_name;
        char *s = show(prof_cstr(names->p, name->system_name), names->how);
        bool ok = !s || prof_str(names->p, s, &name->name, err);
        free(s);
        if (!ok)
            return false;
        *shown = name->name + 1;
    }
    name->name = *shown - 1;
    return true;
}

bool sym_names_symbol(struct sym_names *names, const struct sym_symbol *s,
                      struct sym_name *name, struct err *err)
{
    size_t n = strlen(s->name);
    const char *version = n > 1 ? strchr(s->name + 1, '@') : NULL;
    if (version)
        n = (size_t)(version - s->name);
    name->start_line = 0;
    if (!sym_names_set(names, s->name, n, name, err))
        return false;
    if (!s->plt)
        return true;
    struct buf b = {0};
    bool ok = buf_printf(&b, "%s@plt", prof_cstr(names->p, name->name)) &&
              prof_strn(names->p, (char *)b.v, b.n, &name->name, err);
    b.n = 0;
    ok = ok &&
         buf_printf(&b, "%s@plt", prof_cstr(names->p, name->system_name)) &&
         prof_strn(names->p, (char *)b.v, b.n, &name->system_name, err);
    buf_free(&b);
    return ok || err_nomem(err);
}

static bool is_that(const struct prof_function *f, const struct sym_name *name,
                    uint32_t file)
{
    return f->name == name->name && f->system_name == name->system_name &&
           f->filename == file && f->start_line == name->start_line;
}

bool sym_names_function(struct sym_names *names, const struct sym_name *name,
                        uint32_t file, uint32_t *function, struct err *err)
{
    struct profile *p = names->p;
    uint64_t key = ((uint64_t)name->system_name << 32 | file) ^
                   (uint64_t)name->start_line * 0xff51afd7ed558ccdU;
    /* Another function with this key takes the next one that is free. */
    for (;; key++) {
        uint32_t *known = sym_keymap_at(&names->functions, key);
        if (!known)
            return err_nomem(err);
        if (*known && !is_that(&p->functions[*known - 1], name, file))
            continue;
        if (!*known) {
            struct prof_function f = {0, name->start_line, name->name,
                                      name->system_name, file};
            if (!prof_add_function(p, &f, function, err))
                return false;
            *known = *function + 1;
        }
        *function = *known - 1;
        return true;
    }
}
