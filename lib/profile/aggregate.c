#include "profile/aggregate.h"

#include <string.h>

static const char *const names[] = {
    [PROF_ADDRESSES] = "addresses", [PROF_LINES] = "lines",
    [PROF_FUNCTIONS] = "functions", [PROF_FILEFUNCTIONS] = "filefunctions",
    [PROF_FILES] = "files",
};

bool prof_granularity_parse(const char *name, enum prof_granularity *g)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) {
            *g = (enum prof_granularity)i;
            return true;
        }
    return false;
}

struct keep {
    bool address, line, column, file, function, inlines, start_line;
};

static struct keep what_to_keep(const struct prof_detail *d)
{
    enum prof_granularity g = d->granularity;
    struct keep k = {0};
    k.inlines = !d->no_inlines;
    k.address = g == PROF_ADDRESSES;
    k.line = k.address || g == PROF_LINES;
    k.column = k.line && d->show_columns;
    k.file = k.line || g == PROF_FILEFUNCTIONS || g == PROF_FILES;
    k.function = g != PROF_FILES;
    k.start_line = k.line || d->keep_start_lines;
    return k;
}

static void blank_mapping(struct prof_mapping *m, const struct keep *k)
{
    m->has_inline_frames = m->has_inline_frames && k->inlines;
    m->has_functions = m->has_functions && k->function;
    m->has_filenames = m->has_filenames && k->file;
    m->has_line_numbers = m->has_line_numbers && k->line;
}

static void blank_function(struct prof_function *f, const struct keep *k)
{
    if (!k->function)
        f->name = f->system_name = 0;
    if (!k->file)
        f->filename = 0;
    if (!k->start_line)
        f->start_line = 0;
}

static void blank_location(struct prof_location *l, const struct keep *k)
{
    if (!k->inlines && l->n_lines > 1) {
        l->line_off += l->n_lines - 1;
        l->n_lines = 1;
    }
    if (!k->address)
        l->address = 0;
}

static void blank_line(struct prof_line *line, const struct keep *k)
{
    if (!k->line)
        line->line = 0;
    if (!k->column)
        line->column = 0;
}

void prof_aggregate(struct profile *p, const struct prof_detail *detail)
{
    /* Everything is kept, columns included. */
    if (detail->granularity == PROF_ADDRESSES && !detail->no_inlines)
        return;
    struct keep k = what_to_keep(detail);
    for (size_t i = 0; i < p->n_mappings; i++)
        blank_mapping(&p->mappings[i], &k);
    for (size_t i = 0; i < p->n_functions; i++)
        blank_function(&p->functions[i], &k);
    for (size_t i = 0; i < p->n_locations; i++)
        blank_location(&p->locations[i], &k);
    for (size_t i = 0; i < p->n_lines; i++)
        blank_line(&p->lines[i], &k);
}
