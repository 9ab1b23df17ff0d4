/* redemangle.c - functions that have names get them in another form */
#include <stdlib.h>
#include <string.h>

#include "profile/text.h"
#include "symbol/names.h"

/*
 * Both forms of a linkage name: the one that is asked for, and the default
 * one, to know a name that was made from debug information.
 */
struct forms {
    struct sym_names wanted, made;
};

/* The name that the linker knows, as far as the function tells. */
static uint32_t raw_name(const struct prof_function *f)
{
    return f->system_name ? f->system_name : f->name;
}

/* The linker knows no name with a NUL. */
static bool has_nul(const struct profile *p, uint32_t name)
{
    struct slice text = prof_text(p, name);
    return memchr(text.s, 0, text.n) != NULL;
}

/* That without "@plt", which sym_names_symbol() adds again. */
static bool linkage_name(const struct profile *p, const struct prof_function *f,
                         struct sym_symbol *s, char **copy, struct err *err)
{
    static const char plt[] = "@plt";
    *copy = strdup(prof_plain(p, raw_name(f)));
    if (!*copy)
        return err_nomem(err);
    size_t n = strlen(*copy), cut = sizeof plt - 1;
    if (n > cut && strcmp(*copy + n - cut, plt) == 0) {
        (*copy)[n - cut] = 0;
        s->plt = true;
    }
    s->name = *copy;
    return true;
}

static bool is_mangled(const char *name)
{
    char *s = sym_demangle(name, SYM_DEMANGLE_FULL);
    free(s);
    return s != NULL;
}

/*
 * Whether the name was made from the linkage name: that is mangled, or is one
 * of debug information ("f<int>"), which the default form shortens and the
 * others leave as it is.
 */
static bool is_made(struct forms *forms, const struct prof_function *f,
                    const struct sym_symbol *s, bool *is, struct err *err)
{
    struct sym_name made;
    *is = is_mangled(s->name);
    if (*is || !strchr(s->name, '<') || strchr(s->name, '('))
        return true;
    if (!sym_names_symbol(&forms->made, s, &made, err))
        return false;
    *is = f->name == made.name || f->name == f->system_name;
    return true;
}

static bool looks_like_cxx(const struct profile *p,
                           const struct prof_function *f)
{
    struct slice name = prof_text(p, f->name);
    return memmem(name.s, name.n, "::", 2) != NULL;
}

static bool rename_function(struct forms *forms, struct prof_function *f,
                            size_t *kept, struct err *err)
{
    const struct profile *p = forms->wanted.p;
    struct sym_symbol s = {0};
    struct sym_name name;
    char *copy;
    bool is;
    if (has_nul(p, raw_name(f)))
        return true;
    if (!linkage_name(p, f, &s, &copy, err))
        return false;
    bool ok = is_made(forms, f, &s, &is, err);
    if (ok && is && (ok = sym_names_symbol(&forms->wanted, &s, &name, err))) {
        f->system_name = raw_name(f);
        f->name = name.name;
    }
    *kept += ok && !is && looks_like_cxx(p, f);
    free(copy);
    return ok;
}

bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct notes *notes, struct err *err)
{
    struct forms forms;
    size_t kept = 0;
    bool ok = true;
    sym_names_init(&forms.wanted, p, how);
    sym_names_init(&forms.made, p, SYM_DEMANGLE_DEFAULT);
    for (size_t i = 0; ok && i < p->n_functions; i++)
        ok = rename_function(&forms, &p->functions[i], &kept, err);
    if (ok && kept)
        note_warn(notes,
                  "%zu function%s no linkage name: cannot demangle again", kept,
                  kept == 1 ? " has" : "s have");
    sym_names_free(&forms.wanted);
    sym_names_free(&forms.made);
    return ok;
}
