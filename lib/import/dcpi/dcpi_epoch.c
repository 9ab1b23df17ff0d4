/* The times that DCPI names its epochs by. */
#include "import/dcpi/dcpi_file.h"

/* Days from 1970-01-01 to a day of the Gregorian calendar after it. */
static int64_t days(int64_t year, int64_t month, int64_t day)
{
    /* Years begin in March, so that a leap day is a year's last. */
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day -
           719469;
}

static int64_t days_in(int64_t year, int64_t month)
{
    return month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1);
}

bool dcpi_epoch(struct dcpi_span epoch, int64_t *time_nanos)
{
    uint64_t x;
    if ((epoch.n != 10 && epoch.n != 12 && epoch.n != 14) ||
        !dcpi_decimal(epoch, &x))
        return false;
    int64_t t = (int64_t)x, second = 0;
    if (epoch.n == 14) {
        second = t % 100;
        t /= 100;
    }
    int64_t minute = t % 100, hour = t / 100 % 100, day = t / 10000 % 100;
    int64_t month = t / 1000000 % 100, year = t / 100000000;
    if (epoch.n == 10)
        year += year >= 70 ? 1900 : 2000;
    /* 64 bits of nanoseconds reach into the year 2262. */
    if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 ||
        day > days_in(year, month) || hour > 23 || minute > 59 || second > 59)
        return false;
    int64_t seconds =
        ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    *time_nanos = seconds * 1000000000;
    return true;
}
