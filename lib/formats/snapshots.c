/* snapshots.c - warns of heap profiles of one process that are added up */
#include "formats/snapshots.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Returns where the digits that end at `end` begin. */
static size_t digits_before(const char *name, size_t end)
{
    while (end && ascii_is_digit(name[end - 1]))
        end--;
    return end;
}

/* Returns the length of the part of a file name that names the process, or 0.
 */
static size_t process_length(const char *name)
{
    const char *suffix = NULL;
    for (const char *s = name; (s = strstr(s, ".heap")); s++)
        suffix = s;
    if (!suffix)
        return 0;
    size_t end = (size_t)(suffix - name), at = digits_before(name, end);
    /* jemalloc appends a letter and a number to the number of the dump. */
    if (at > 1 && ascii_is_one_of(name[at - 1], "fimu") &&
        name[at - 2] == '.') {
        end = at - 2;
        at = digits_before(name, end);
    }
    return at < end && at > 1 && name[at - 1] == '.' ? at - 1 : 0;
}

bool snapshots_add(struct snapshots *s, const char *name, struct prof_err *err)
{
    uint32_t row;
    bool is_new;
    size_t n = process_length(name);
    if (!n || s->again)
        return true;
    if (!map_add(&s->processes, name, n, &row, &is_new) ||
        !vec_reserve(&s->first, 1))
        return err_nomem(err);
    char *copy = strdup(name);
    if (!copy)
        return err_nomem(err);
    if (is_new) {
        s->first.v[s->first.n++] = copy;
    } else if (strcmp(s->first.v[row], name) != 0) {
        s->again = copy;
        s->process = row;
    } else {
        free(copy);
    }
    return true;
}

void snapshots_end(struct snapshots *s, const struct prof_notes *notes)
{
    if (s->again)
        note_warn(notes,
                  "%s and %s are snapshots of the same process, so their sum "
                  "counts memory twice; use only the later one, or subtract "
                  "the earlier one with pbmerge --base",
                  s->first.v[s->process], s->again);
    vec_free_all(&s->first);
    map_free(&s->processes);
    free(s->again);
    memset(s, 0, sizeof *s);
}
