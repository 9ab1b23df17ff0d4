/* Names of functions, as gprof gives them. */
#include "import/gmon/gmon_flat.h"

#include <stdlib.h>
#include <string.h>

/* What a function is called. */
struct name {
    uint32_t function; /* of the profile, or PROF_NONE: not yet */
    uint32_t line;     /* of the profile: the function and no line */
    uint32_t dwarf;    /* what symbolization says its entry is in, or
                          PROF_NONE */
};

struct namer {
    struct profile *p;
    const struct gmon_frames *frames;
    const struct sym_owners *owners;
    struct name *names; /* of the owners */
    enum sym_demangle demangle;
};

/* The function that the location is in, not one inlined there. */
static uint32_t outermost(const struct profile *p,
                          const struct prof_location *l)
{
    return l->n_lines ? p->lines[l->line_off + l->n_lines - 1].function
                      : PROF_NONE;
}

static bool push_line(struct profile *p, const struct prof_line *line,
                      uint32_t *index, struct err *err)
{
    *index = (uint32_t)p->n_lines;
    return prof_push_line(p, line, err);
}

/* A function named by its symbol, in the file that its entry is in. */
static bool add_name(struct namer *n, uint32_t func, uint32_t dwarf,
                     struct err *err)
{
    struct name *name = &n->names[func];
    const char *raw = sym_owner_name(n->owners, func);
    struct prof_function f = {0};
    struct prof_line line = {0};
    if (dwarf != PROF_NONE)
        f = n->p->functions[dwarf];
    char *shown = sym_demangle(raw, n->demangle);
    bool ok = prof_str(n->p, raw, &f.system_name, err) &&
              prof_str(n->p, shown ? shown : raw, &f.name, err) &&
              prof_add_function(n->p, &f, &line.function, err) &&
              push_line(n->p, &line, &name->line, err);
    free(shown);
    name->function = line.function;
    name->dwarf = dwarf;
    return ok;
}

/* Every function that is met has an entry among the locations. */
static bool add_names(struct namer *n, struct err *err)
{
    for (size_t i = 0; i < n->owners->n; i++)
        n->names[i].function = PROF_NONE;
    for (size_t i = 0; i < n->frames->n; i++) {
        const struct gmon_frame *f = &n->frames->v[i];
        if (f->kind == GMON_FRAME_ENTRY &&
            !add_name(n, f->func, outermost(n->p, &n->p->locations[i]), err))
            return false;
    }
    return true;
}

/* True when both are one function, maybe with code in several files. */
static bool is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    if (a == PROF_NONE || b == PROF_NONE)
        return false;
    const struct prof_function *x = &p->functions[a], *y = &p->functions[b];
    return x->system_name == y->system_name && x->start_line == y->start_line;
}

/* The line is of the function, in the file that it is in already. */
static bool name_line(struct namer *n, struct prof_line *line,
                      const struct name *name, struct err *err)
{
    struct prof_function f = n->p->functions[name->function];
    uint32_t file = n->p->functions[line->function].filename;
    line->function = name->function;
    if (f.filename == file)
        return true;
    f.filename = file;
    return prof_add_function(n->p, &f, &line->function, err);
}

static bool name_frame(struct namer *n, size_t i, struct err *err)
{
    const struct gmon_frame *f = &n->frames->v[i];
    struct profile *p = n->p;
    struct prof_location *l = &p->locations[i];
    if (f->kind == GMON_FRAME_OTHER)
        return true;
    if (f->func == SYM_NO_OWNER) {
        l->n_lines = 0;
        return true;
    }
    const struct name *name = &n->names[f->func];
    p->mappings[l->mapping].has_functions = true;
    if (f->kind == GMON_FRAME_LEAF &&
        is_same(p, outermost(p, l), name->dwarf)) {
        return name_line(n, &p->lines[l->line_off + l->n_lines - 1], name, err);
    }
    l->line_off = name->line;
    l->n_lines = 1;
    return true;
}

bool gmon_name_frames(struct profile *p, const struct gmon_frames *frames,
                      const struct sym_owners *owners,
                      enum sym_demangle demangle, struct err *err)
{
    struct namer n = {
        .p = p, .frames = frames, .owners = owners, .demangle = demangle};
    n.names = mem_array(owners->n, sizeof *n.names);
    bool ok = n.names ? add_names(&n, err) : err_nomem(err);
    for (size_t i = 0; ok && i < frames->n; i++)
        ok = name_frame(&n, i, err);
    free(n.names);
    return ok;
}
