/* filter_options.c - the options of filters and of granularity */
#include "cli/filter_options.h"

/* Where the value of an option goes, or null. */
static const char **slot_of(struct filter_opts *o, int key)
{
    switch (key) {
    case CLI_FOCUS:
        return &o->focus;
    case CLI_IGNORE:
        return &o->ignore;
    case CLI_HIDE:
        return &o->hide;
    case CLI_SHOW:
        return &o->show;
    case CLI_SHOW_FROM:
        return &o->show_from;
    case CLI_PRUNE_FROM:
        return &o->prune_from;
    case CLI_TAGFOCUS:
        return &o->tagfocus;
    case CLI_TAGIGNORE:
        return &o->tagignore;
    case CLI_TAGSHOW:
        return &o->tagshow;
    case CLI_TAGHIDE:
        return &o->taghide;
    case CLI_TAGROOT:
        return &o->tagroot;
    case CLI_TAGLEAF:
        return &o->tagleaf;
    case CLI_DROP_FRAMES:
        return &o->drop_frames;
    case CLI_KEEP_FRAMES:
        return &o->keep_frames;
    default:
        return NULL;
    }
}

bool cli_take_filter(struct filter_opts *opts, int key, const char *value)
{
    const char **slot = slot_of(opts, key);
    if (!slot)
        return false;
    *slot = *value ? value : NULL;
    return true;
}

bool cli_take_detail(struct prof_detail *detail, int key, const char *value,
                     bool *ok, struct err *err)
{
    size_t i;
    *ok = true;
    switch (key) {
    case CLI_GRANULARITY:
        *ok = !*value || cli_parse_word(CLI_GRANULARITIES, value, &i, err);
        if (*ok && *value)
            detail->granularity = (enum prof_granularity)i;
        return true;
    case CLI_ADDRESSES:
        detail->granularity = PROF_ADDRESSES;
        return true;
    case CLI_LINES:
        detail->granularity = PROF_LINES;
        return true;
    case CLI_FUNCTIONS:
        detail->granularity = PROF_FUNCTIONS;
        return true;
    case CLI_FILEFUNCTIONS:
        detail->granularity = PROF_FILEFUNCTIONS;
        return true;
    case CLI_NOINLINES:
        return detail->no_inlines = true;
    case CLI_SHOWCOLUMNS:
        return detail->show_columns = true;
    default:
        return false;
    }
}
