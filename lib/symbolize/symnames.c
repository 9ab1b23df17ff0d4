/* symnames.c - functions of a profile, by name, file and start line */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "symbolize/demangle.h"
#include "symbolize/private.h"

/* --- names ---------------------------------------------------------------- */

enum { ROOM = 64 << 20, ROOM_PER_LOCATION = 4096 };

void sym_names_init(struct sym_names *names, struct profile *p,
                    enum sym_demangle how)
{
    memset(names, 0, sizeof *names);
    names->p = p;
    names->how = how;
    names->room = ROOM + (uint64_t)prof_count(p).locations * ROOM_PER_LOCATION;
}

void sym_names_free(struct sym_names *names)
{
    vec_free(&names->seen);
    vec_free(&names->seen_row);
    prof_functionmap_free(&names->functions);
}

bool sym_names_string(struct sym_names *names, const char *s, size_t n,
                      uint32_t *id, struct prof_err *err)
{
    struct profile *p = names->p;
    const struct prof_counts known = prof_count(p);
    if (!prof_strn(p, s, n, id, err))
        return false;
    if (*id < known.strings)
        return true;
    if (n > names->room)
        return err_input(err,
                         "names of functions and files exceed 64 MiB plus 4 "
                         "KiB for each of %zu addresses",
                         known.locations);
    names->room -= n;
    return true;
}

/*
 * Returns the name to show, or null if it is the same.  Debug information may
 * have unmangled names of C++ functions that are local to a file, such as
 * "f<int>" and "operator< <int>".
 */
char *sym_show_raw(const char *raw, enum sym_demangle how)
{
    char *s = sym_demangle(raw, how);
    if (s || how != SYM_DEMANGLE_DEFAULT || !strchr(raw, '<') ||
        !(s = strdup(raw)))
        return s;
    /* The name of an operator ends with its sign, as in "operator()<int>". */
    static const char word[] = "operator";
    size_t n = 0;
    if (strncmp(s, word, sizeof word - 1) == 0) {
        const char *sign = s + sizeof word - 1;
        n = strncmp(sign, "()", 2) == 0 || strncmp(sign, "[]", 2) == 0 ||
                    strncmp(sign, "->", 2) == 0
                ? 2
                : strspn(sign, "<>=!+-*/%^&|~,");
    }
    if (n)
        s[sizeof word - 1 + n] = 0;
    else
        sym_cut_arguments(s, false);
    if (*s)
        return s;
    free(s);
    return NULL;
}

bool sym_names_set(struct sym_names *names, const char *raw, size_t n,
                   struct sym_name *name, struct prof_err *err)
{
    const int64_t start_line = name->start_line;
    uint32_t id;
    if (!sym_names_string(names, raw, n, &id, err))
        return false;
    while (names->seen_row.n <= id)
        if (!vec_push(&names->seen_row, 0))
            return err_nomem(err);
    if (!names->seen_row.v[id]) { /* new: make the name to show */
        struct sym_name new = {id, id, 0};
        char *s = sym_show_raw(prof_plain(names->p, id), names->how);
        bool ok = !s || sym_names_string(names, s, strlen(s), &new.name, err);
        free(s);
        if (!ok)
            return false;
        if (!vec_push(&names->seen, new))
            return err_nomem(err);
        names->seen_row.v[id] = (uint32_t)names->seen.n;
    }
    *name = names->seen.v[names->seen_row.v[id] - 1];
    name->start_line = start_line;
    return true;
}

static bool add_plt(struct sym_names *names, uint32_t *name,
                    struct prof_err *err)
{
    struct prof_slice text = prof_get_string(names->p, *name);
    struct buf b = {0};
    bool ok =
        (buf_put(&b, text.s, text.n) && buf_puts(&b, "@plt")) || err_nomem(err);
    ok = ok && sym_names_string(names, (char *)b.v, b.n, name, err);
    buf_free(&b);
    return ok;
}

bool sym_names_symbol(struct sym_names *names, const struct sym_symbol *s,
                      struct sym_name *name, struct prof_err *err)
{
    size_t n = strlen(s->name);
    const char *version = n > 1 && !s->listed ? strchr(s->name + 1, '@') : NULL;
    if (version)
        n = (size_t)(version - s->name);
    size_t base =
        s->listed ? n : prof_base_length((struct prof_slice){s->name, n});
    name->start_line = 0;
    return sym_names_set(names, s->name, n, name, err) &&
           (base == n || name->name != name->system_name ||
            sym_names_string(names, s->name, base, &name->name, err)) &&
           (!s->plt || (add_plt(names, &name->name, err) &&
                        add_plt(names, &name->system_name, err)));
}

bool sym_names_function(struct sym_names *names, const struct sym_name *name,
                        uint32_t file, uint32_t *function, struct prof_err *err)
{
    const struct prof_function f = {0, name->start_line, name->name,
                                    name->system_name, file};
    return prof_function_get(&names->functions, names->p, &f, function, err);
}

/* --- names of existing functions ------------------------------------------ */

/*
 * The forms of a linkage name.  They are stored, because many functions can
 * have the same name, and even a short one can take long to demangle.
 */
struct form {
    uint32_t wanted; /* the name in the requested form */
    uint32_t made;   /* the name in the default form, if it is not mangled */
    bool is_mangled, is_templated, is_cxx;
};

struct forms {
    struct sym_names wanted, made;
    VEC(struct form) v;
    uint32_t *of; /* by string id: index of its form plus 1, or 0 */
};

/* Sets the form of s->name, which lacks "@plt". */
static bool make_form(struct forms *forms, const struct sym_symbol *s,
                      struct form *form, struct prof_err *err)
{
    struct sym_name name;
    char *full = sym_demangle(s->name, SYM_DEMANGLE_FULL);
    form->is_cxx = strstr(s->name, "::") != NULL;
    form->is_mangled = full != NULL;
    /* "f<int>": a name of debug information, which the default form shortens */
    form->is_templated = !full && strchr(s->name, '<') && !strchr(s->name, '(');
    free(full);
    if (form->is_mangled || form->is_templated) {
        if (!sym_names_symbol(&forms->wanted, s, &name, err))
            return false;
        form->wanted = name.name;
    }
    if (form->is_templated) {
        if (!sym_names_symbol(&forms->made, s, &name, err))
            return false;
        form->made = name.name;
    }
    return true;
}

/* Sets *form to the form of the name with this id, which is made once. */
static bool get_form(struct forms *forms, uint32_t raw, struct form *form,
                     struct prof_err *err)
{
    static const char plt[] = "@plt";
    const struct profile *p = forms->wanted.p;
    const struct prof_slice text = prof_get_string(p, raw);
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
    if (strlen(name) == n) { /* names with a NUL are not linkage names */
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

bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct prof_notes *notes, struct prof_err *err)
{
    struct forms forms = {0};
    size_t kept = 0;
    sym_names_init(&forms.wanted, p, how);
    sym_names_init(&forms.made, p, SYM_DEMANGLE_DEFAULT);
    forms.of = mem_zarray(prof_count(p).strings, sizeof *forms.of);
    bool ok = forms.of || err_nomem(err);
    for (size_t i = 0; ok && i < prof_count(p).functions; i++) {
        struct prof_function f = prof_get_function(p, i);
        /* Functions without a linkage name may have it as their name. */
        const uint32_t linkage = f.system_name ? f.system_name : f.name;
        struct form form = {0};
        ok = get_form(&forms, linkage, &form, err);
        if (!ok)
            break;
        /* Was its name made from its linkage name? */
        if (form.is_mangled ||
            (form.is_templated && (f.name == form.made || f.name == linkage))) {
            f.system_name = linkage;
            f.name = form.wanted;
            prof_set_function(p, i, &f);
        } else {
            kept += form.is_cxx;
        }
    }
    if (ok && kept)
        note_count(
            notes, PROF_NOTE_WARN, kept,
            "%zu function{s} without a linkage name cannot be demangled again",
            kept);
    free(forms.of);
    vec_free(&forms.v);
    sym_names_free(&forms.wanted);
    sym_names_free(&forms.made);
    return ok;
}
