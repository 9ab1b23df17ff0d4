#include "scratch_dir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define TEMPLATE "/tmp/test_unit.XXXXXX"

char scratch_dir[] = TEMPLATE;

int scratch_dir_make(void **state)
{
    memcpy(scratch_dir, TEMPLATE, sizeof TEMPLATE);
    return mkdtemp(scratch_dir) ? 0 : -1;
}

int scratch_dir_enter(void **state)
{
    return scratch_dir_make(state) == 0 && chdir(scratch_dir) == 0 ? 0 : -1;
}

int scratch_dir_drop(void **state)
{
    return chdir("/") == 0 && rmdir(scratch_dir) == 0 ? 0 : -1;
}

/* rmdir() works on an empty directory only. */
void scratch_dir_assert_empty(void)
{
    assert_int_equal(rmdir(scratch_dir), 0);
    assert_int_equal(mkdir(scratch_dir, 0700) | chdir(scratch_dir), 0);
}
