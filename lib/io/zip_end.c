/* zip_end.c - finds the record at the end of a zip archive */
#include "io/private.h"

#include <stdlib.h>

enum {
    END = 22, /* bytes of the end record without its comment */
    LOCATOR = 20,
    END64 = 56,
    COMMENT_MAX = 0xffff,
    TAIL = COMMENT_MAX + END,
};

static bool is_marked(const uint8_t *p, uint8_t third, uint8_t fourth)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == third && p[3] == fourth;
}

bool zip_end_read(struct zip_end *end, const struct seekable *f,
                  struct prof_err *err)
{
    size_t n = f->n < TAIL ? (size_t)f->n : TAIL,
           at = n < END ? 0 : n - END + 1;
    uint8_t *tail = malloc(TAIL), wide[END64 + LOCATOR];
    if (!tail)
        return err_nomem(err);
    if (!seekable_read(f, f->n - n, tail, n, err)) {
        free(tail);
        return false;
    }

    /* Find the last record whose comment fits into the file. */
    bool found = false;
    while (!found && at-- > 0)
        found =
            is_marked(tail + at, 5, 6) && le16(tail + at + 20) <= n - at - END;
    if (!found) {
        free(tail);
        return err_input(err, "the directory at the end of the zip archive is "
                              "missing or corrupt");
    }
    const uint8_t *p = tail + at;
    uint64_t start = f->n - n + at, offset = le32(p + 16),
             after = start + END + le16(p + 20);
    *end = (struct zip_end){.end = start + END,
                            .entries = le16(p + 10),
                            .size = le32(p + 12),
                            .mask = 0xffff};
    free(tail);

    /* The record of zip64, and its locator, precede it. */
    if (start >= sizeof wide) {
        if (!seekable_read(f, start - sizeof wide, wide, sizeof wide, err))
            return false;
        if (is_marked(wide, 6, 6) && is_marked(wide + END64, 6, 7)) {
            start -= sizeof wide;
            offset = le64(wide + 48);
            end->entries = le64(wide + 32);
            end->size = le64(wide + 40);
            end->mask = UINT64_MAX;
        }
    }

    /* The directory ends where the record begins. */
    if (end->size <= start && offset < start - end->size)
        end->before = start - end->size - offset;
    return seekable_trailing(f, after, &end->after, err);
}
