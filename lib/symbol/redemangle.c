/* redemangle.c - functions that have names get them in another form */
#include <stdlib.h>
#include <string.h>

#include "profile/text.h"
#include "symbol/names.h"

/*
 * What a linkage name is shown as.  Many functions can have one name, and a
 * short name can be one that takes long.
 */
struct form {
    uint32_t wanted; /* in the form that is asked for */
    uint32_t made;   /* in the default form, if it is not mangled */
    bool is_mangled, is_templated, is_cxx;
};

struct forms {
    struct sym_names wanted, made;
    VEC(struct form) v;
    uint32_t *of; /* of a string id: index + 1, or 0 */
};

/* The name that the linker knows, as far as the function tells. */
static uint32_t raw_name(const struct prof_function *f)
{
    return f->system_name ? f->system_name : f->name;
}

static bool is_mangled(const char *name)
{
    char *s = sym_demangle(name, SYM_DEMANGLE_FULL);
    free(s);
    return s != NULL;
}

/* "f<int>": a name of debug information, which the default form shortens. */
static bool is_templated(const char *name)
{
    return strchr(name, '<') && !strchr(name, '(');
}

static bool show(struct sym_names *names, const struct sym_symbol *s,
                 uint32_t *id, struct err *err)
{
    struct sym_name name;
    if (!sym_names_symbol(names, s, &name, err))
        return false;
    *id = name.name;
    return true;
}

/* Fills in the form of the name, which is s->name, but for "@plt". */
static bool make_form(struct forms *forms, const struct sym_symbol *s,
                      struct form *form, struct err *err)
{
    form->is_cxx = strstr(s->name, "::") != NULL;
    form->is_mangled = is_mangled(s->name);
    form->is_templated = !form->is_mangled && is_templated(s->name);
    return (!(form->is_mangled || form->is_templated) ||
            show(&forms->wanted, s, &form->wanted, err)) &&
           (!form->is_templated || show(&forms->made, s, &form->made, err));
}

/* The form of the name with this id, made if it is new. */
static bool get_form(struct forms *forms, uint32_t raw, struct form *form,
                     struct err *err)
{
    static const char plt[] = "@plt";
    const struct profile *p = forms->wanted.p;
    const struct slice text = prof_text(p, raw);
    const size_t n = text.n, cut = sizeof plt - 1;
    struct sym_symbol s = {0};
    if (forms->of[raw]) {
        *form = forms->v.v[forms->of[raw] - 1];
        return true;
    }
    *form = (struct form){0};
    char *name = strndup(text.s, n);
    if (!name)
        return err_nomem(err);
    bool ok = true;
    if (strlen(name) == n) { /* the linker knows no name with a NUL */
        s.plt = n > cut && strcmp(name + n - cut, plt) == 0;
        if (s.plt)
            name[n - cut] = 0;
        s.name = name;
        ok = make_form(forms, &s, form, err);
    }
    free(name);
    if (ok && !vec_push(&forms->v, *form))
        ok = err_nomem(err);
    forms->of[raw] = (uint32_t)forms->v.n;
    return ok;
}

/*
 * Renames the function if its name was made from its linkage name; else one of
 * C++ or Rust is counted in *kept.
 */
static bool rename_function(struct forms *forms, struct prof_function *f,
                            size_t *kept, struct err *err)
{
    struct form form;
    if (!get_form(forms, raw_name(f), &form, err))
        return false;
    if (form.is_mangled || (form.is_templated &&
                            (f->name == form.made || f->name == raw_name(f)))) {
        f->system_name = raw_name(f);
        f->name = form.wanted;
    } else {
        *kept += form.is_cxx;
    }
    return true;
}

bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct notes *notes, struct err *err)
{
    struct forms forms = {0};
    size_t kept = 0;
    sym_names_init(&forms.wanted, p, how);
    sym_names_init(&forms.made, p, SYM_DEMANGLE_DEFAULT);
    forms.of = mem_zarray(p->strings.n, sizeof *forms.of);
    bool ok = forms.of || err_nomem(err);
    for (size_t i = 0; ok && i < p->n_functions; i++)
        ok = rename_function(&forms, &p->functions[i], &kept, err);
    if (ok && kept)
        note_warn(notes,
                  "%zu function%s no linkage name: cannot demangle again", kept,
                  kept == 1 ? " has" : "s have");
    free(forms.of);
    vec_free(&forms.v);
    sym_names_free(&forms.wanted);
    sym_names_free(&forms.made);
    return ok;
}
