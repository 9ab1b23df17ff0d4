/* write.c - a profile from a profiler's loop: stacks of names and counts
 *
 * Each line of the input is a stack, root first, and a count, as in "main;f 3".
 *
 *      write <stacks >profile.pb.gz
 */
#include <profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 128 };

/* Adds "main;f" with a value. */
static bool add(struct profile *p, struct prof_namemap *names, char *stack,
                int64_t value, struct prof_err *err)
{
    uint32_t frames[DEPTH];
    size_t n = 0;
    for (char *name; n < DEPTH && stack; n++) {
        /* Leaf first: from the end. */
        name = strrchr(stack, ';');
        struct prof_slice text = {name ? name + 1 : stack, 0};
        text.n = strlen(text.s);
        if (!prof_namemap_get(names, p, PROF_NONE, text, &frames[n], err))
            return false;
        if (name)
            *name = 0;
        else
            stack = NULL;
    }
    return prof_add_sample(p, frames, n, &value, 0, err);
}

int main(void)
{
    struct prof_err err;
    struct prof_namemap names = {0};
    struct profile *p = prof_new(&err);
    bool ok = p && prof_add_type(p, "samples", "count", &err);
    char line[4096];
    while (ok && fgets(line, sizeof line, stdin)) {
        char *count = strrchr(line, ' ');
        if (count) {
            *count++ = 0;
            ok = add(p, &names, line, strtoll(count, NULL, 10), &err);
        }
    }
    ok = ok && prof_write_fd(p, 1, 1, &err);
    if (!ok)
        fprintf(stderr, "write: %s\n", err.text);
    prof_namemap_free(&names);
    prof_delete(p);
    return ok ? 0 : 1;
}
