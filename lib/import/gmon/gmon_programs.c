#include "import/gmon/gmon_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

static void free_program(struct gmon_program *p)
{
    free(p->path);
    free(p->name);
    free(p->archive);
    gmon_free(&p->sum);
}

/* Null strings are equal, and less than any other. */
static int text_cmp(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static bool copy_text(char **to, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return false;
    free(*to);
    *to = copy;
    return true;
}

/* Calls the program by this name if it is less than what it has. */
static bool call(struct gmon_program *p, const struct gmon_program_id *id)
{
    int c = p->name ? strcmp(id->name, p->name) : -1;
    if (c == 0)
        c = text_cmp(id->archive, p->archive);
    if (c >= 0)
        return true;
    bool ok =
        copy_text(&p->name, id->name) && copy_text(&p->archive, id->archive);
    p->exe.name = p->name;
    return ok;
}

static bool make(struct gmon_program *p, const struct gmon_program_id *id,
                 struct err *err)
{
    if (!copy_text(&p->path, id->path))
        return err_nomem(err);
    if (!gmon_exe_read(&p->exe, p->path, err))
        return err_prefix(err, "%s: ", id->name);
    return call(p, id) || err_nomem(err);
}

struct gmon_program *gmon_programs_get(struct gmon_programs *programs,
                                       const struct gmon_program_id *id,
                                       struct err *err)
{
    while (programs->rows.n <= id->content)
        if (!vec_push(&programs->rows, 0)) {
            err_nomem(err);
            return NULL;
        }
    uint32_t *row = &programs->rows.v[id->content];
    if (!*row) {
        struct gmon_program none = {0};
        if (!vec_push(&programs->v, none)) {
            err_nomem(err);
            return NULL;
        }
        struct gmon_program *last = &programs->v.v[programs->v.n - 1];
        if (!make(last, id, err)) {
            free_program(last);
            programs->v.n--;
            return NULL;
        }
        *row = (uint32_t)programs->v.n;
    }
    struct gmon_program *p = &programs->v.v[*row - 1];
    if (call(p, id))
        return p;
    err_nomem(err);
    return NULL;
}

/* ARCHIVE/NAME */
static bool qualify(struct gmon_program *p)
{
    char *name;
    if (!p->archive)
        return true;
    if (asprintf(&name, "%s/%s", p->archive, p->name) < 0)
        return false;
    free(p->name);
    p->exe.name = p->name = name;
    free(p->archive);
    p->archive = NULL;
    return true;
}

/* The rows of programs that only names tell apart, by names in *names. */
static bool by_name(const struct gmon_programs *programs, struct strtab *names,
                    uint32_t *n_of)
{
    for (size_t i = 0; i < programs->v.n; i++) {
        const struct gmon_program *p = &programs->v.v[i];
        uint32_t id;
        if (*p->exe.build_id)
            continue;
        if (!strtab_add(names, p->name, strlen(p->name), &id))
            return false;
        n_of[id]++;
    }
    return true;
}

static bool is_shared(const struct gmon_program *p, const struct strtab *names,
                      const uint32_t *n_of)
{
    uint32_t id;
    return !*p->exe.build_id &&
           strtab_find(names, p->name, strlen(p->name), &id) && n_of[id] > 1;
}

bool gmon_programs_settle(struct gmon_programs *programs, struct err *err)
{
    bool ok = true;
    for (int round = 0; ok && round < 2; round++) {
        struct strtab names;
        uint32_t *n_of = mem_zarray(programs->v.n + 1, sizeof *n_of);
        ok = (strtab_init(&names) && n_of && by_name(programs, &names, n_of)) ||
             err_nomem(err);
        for (size_t i = 0; ok && i < programs->v.n; i++) {
            struct gmon_program *p = &programs->v.v[i];
            if (!is_shared(p, &names, n_of))
                continue;
            if (round == 0)
                ok = qualify(p) || err_nomem(err);
            else
                ok = err_set(err, ERR_INPUT,
                             "two programs, neither with a build id, are "
                             "both called %s: a profile cannot keep them apart",
                             p->name);
        }
        free(n_of);
        strtab_free(&names);
    }
    return ok;
}

void gmon_programs_free(struct gmon_programs *programs)
{
    for (size_t i = 0; i < programs->v.n; i++)
        free_program(&programs->v.v[i]);
    vec_free(&programs->v);
    vec_free(&programs->rows);
}
