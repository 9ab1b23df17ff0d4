#include "io/entry_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool entry_name_begin(struct entries *e, struct err *err)
{
    if (e->kind != SNIFF_ZIP && e->kind != SNIFF_7Z)
        return true;
    errno = 0;
    e->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return e->utf8 || err_check_errno(err);
}

void entry_name_end(struct entries *e)
{
    if (e->utf8)
        freelocale(e->utf8);
    e->utf8 = (locale_t)0;
}

static const char unnamed[] = "?";

static char *copy_name(const struct la *la, struct archive_entry *entry)
{
    const char *name = la->archive_entry_pathname(entry);
    if (!name)
        name = la->archive_entry_pathname_utf8(entry);
    return strdup(name ? name : unnamed);
}

bool entry_name_is_gap(const struct entries *e)
{
    const char *text = e->feed.la.archive_error_string(e->feed.a);
    return e->kind == SNIFF_CPIO && text && strstr(text, "Skipped ");
}

/* That the locale has no such characters is of no interest if it has a name. */
static void pass_warning(const struct entries *e, const struct notes *notes)
{
    const char *text = e->feed.la.archive_error_string(e->feed.a);
    if (text && !entry_name_is_gap(e) &&
        (strcmp(e->name, unnamed) == 0 || !strstr(text, "current locale")))
        note_loss(notes, "%s: %s", e->name, text);
}

int entry_name_next(struct entries *e, struct archive_entry **entry,
                    const struct notes *notes)
{
    const struct la *la = &e->feed.la;
    locale_t before = uselocale(e->utf8); /* 0 changes nothing */
    int got = la->archive_read_next_header(e->feed.a, entry);
    if (got == ARCHIVE_OK || got == ARCHIVE_WARN) {
        free(e->name);
        e->name = copy_name(la, *entry);
        e->mtime = 0;
        if (la->archive_entry_mtime_is_set(*entry))
            e->mtime = la_mtime(la, *entry);
    }
    int why = errno;
    if (got == ARCHIVE_WARN && e->name)
        pass_warning(e, notes);
    (void)uselocale(before);
    errno = why;
    return got;
}
