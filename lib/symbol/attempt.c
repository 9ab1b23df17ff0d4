#include "symbol/attempt.h"

#include <string.h>

const char attempt_system_root[] = "/usr/lib/debug";

bool attempt_next_dir(const char **list, const char **dir, int *n)
{
    while (*list) {
        size_t length = strcspn(*list, ":");
        *dir = *list;
        *n = (int)length;
        *list = (*list)[length] ? *list + length + 1 : NULL;
        if (length && length < INT32_MAX)
            return true;
    }
    return false;
}

bool attempt_failed(struct attempt *a, const char *name, const char *why)
{
    (void)err_set(a->err, ERR_SYSTEM, "%s: %s", name, why);
    a->failed = true;
    return true;
}

bool attempt_no_memory(struct attempt *a)
{
    (void)err_nomem(a->err);
    a->failed = true;
    return true;
}

enum attempt_result attempt_image(struct attempt *a, struct sym_image *im,
                                  bool any, const char *owner,
                                  const char *build_id,
                                  const struct notes *notes)
{
    struct err why;
    bool absent;
    if (!buf_putc(&a->name, 0)) {
        (void)attempt_no_memory(a);
        return ATTEMPT_FAILED;
    }
    const char *name = (const char *)a->name.v;
    if (strcmp(name, owner) == 0)
        return ATTEMPT_ABSENT;
    if (any ? sym_image_open_any(im, name, &absent, &why)
            : sym_image_open(im, name, &absent, &why)) {
        if (sym_same_build_id(build_id, im->build_id))
            return ATTEMPT_OPEN;
        note_warn(
            notes,
            "%s: its build id %s is not the one that %s asks for: not used",
            name, im->build_id, owner);
        sym_image_close(im);
        return ATTEMPT_OTHER;
    }
    if (why.kind == ERR_SYSTEM) {
        (void)attempt_failed(a, name, why.text);
        return ATTEMPT_FAILED;
    }
    if (absent)
        return ATTEMPT_ABSENT;
    note_warn(notes, "%s: debug file: %s", name, why.text);
    return ATTEMPT_OTHER;
}
