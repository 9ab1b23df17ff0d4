/* la_time.c - times of entries, compiled with libarchive's time_t */
#include "io/libarchive.h"

#include <time.h>

int64_t la_mtime(struct archive_entry *e)
{
    return la.archive_entry_mtime(e);
}

void la_set_mtime(struct archive_entry *e, int64_t seconds)
{
    time_t t = (time_t)seconds;
    if (seconds < 0)
        t = 0;
    else if (t != seconds)
        t = INT32_MAX;
    la.archive_entry_set_mtime(e, t, 0);
}
