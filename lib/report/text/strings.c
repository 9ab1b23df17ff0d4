/* strings.c - --strings: every string of a profile, by what it is for */
#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"

/* Width of the column before each string, that of the longest kind. */
enum { KIND_WIDTH = 15 };

/* Unused strings are in the file, but nothing refers to them. */
enum { UNUSED = PROF_STRING_KINDS, N_KINDS };

static const char *const kinds[N_KINDS] = {
    [PROF_FUNCTION_NAME] = "function",
    [PROF_SYSTEM_NAME] = "system name",
    [PROF_SOURCE_FILE] = "source file",
    [PROF_MAPPING_FILE] = "binary",
    [PROF_BUILD_ID] = "build ID",
    [PROF_LABEL_KEY] = "label key",
    [PROF_LABEL_VALUE] = "label value",
    [PROF_LABEL_UNIT] = "label unit",
    [PROF_COMMENT] = "comment",
    [PROF_DOC_URL] = "doc_url",
    [PROF_DROP_FRAMES] = "drop_frames",
    [PROF_KEEP_FRAMES] = "keep_frames",
    [PROF_SAMPLE_TYPE] = "sample type",
    [PROF_SAMPLE_UNIT] = "sample unit",
    [PROF_PERIOD_TYPE] = "period type",
    [PROF_PERIOD_UNIT] = "period unit",
    [UNUSED] = "unused",
};

static bool see(void *ctx, enum prof_string_kind kind, size_t index,
                uint32_t *id)
{
    uint32_t *seen = ctx; /* by string id: a bit for each kind */
    (void)index;
    seen[*id] |= 1U << kind;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct prof_slice *x = a, *y = b;
    return slice_compare(*x, *y);
}

/* Writes the strings of a kind, sorted by their bytes. */
static bool put_kind(struct report *r, const uint32_t *seen, unsigned kind,
                     struct prof_slice *room, struct prof_err *err)
{
    size_t n = 0;
    for (uint32_t id = 1; id < r->p->strings.n; id++)
        if (seen[id] & 1U << kind)
            room[n++] = prof_text(r->p, id);
    qsort(room, n, sizeof *room, compare);
    for (size_t i = 0; i < n; i++)
        if (!buf_printf(r->out, "%-*s ", KIND_WIDTH, kinds[kind]) ||
            !utf8_put_line(r->out, room[i].s, room[i].n) ||
            !buf_putc(r->out, '\n'))
            return err_nomem(err);
    return true;
}

static bool print_strings(struct report *r, struct prof_err *err)
{
    const uint32_t function = 1U << PROF_FUNCTION_NAME,
                   system = 1U << PROF_SYSTEM_NAME;
    /* Filters leave unused strings in the profile; merging drops them. */
    if (r->opts->filter && !prof_merge_one(r->p, NULL, err))
        return false;
    size_t n = r->p->strings.n;
    uint32_t *seen = mem_zarray(n, sizeof *seen);
    struct prof_slice *room = mem_array(n, sizeof *room);
    bool ok = (seen && room) || err_nomem(err);
    if (ok)
        (void)prof_visit_strings(r->p, see, seen);
    for (size_t id = 0; ok && id < n; id++) {
        /* Most system names are the names of their functions. */
        if (seen[id] & function)
            seen[id] &= ~system;
        if (!seen[id] && !r->opts->filter)
            seen[id] = 1U << UNUSED;
    }
    for (unsigned kind = 0; ok && kind < N_KINDS; kind++)
        ok = put_kind(r, seen, kind, room, err);
    free(seen);
    free(room);
    return ok;
}

const struct report_format report_strings = {
    .name = "strings",
    .help = "print every string in the profile, by its use",
    .suffixes = "txt",
    .needs = REPORT_NO_VALUES | REPORT_TRIM,
    .ignores = REPORT_IGNORES_ALL &
               ~(REPORT_NO_FILTER | REPORT_NO_LABELS | REPORT_NO_FILES),
    .print = print_strings,
};
