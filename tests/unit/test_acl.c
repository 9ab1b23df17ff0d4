/* acl.h: a file that is replaced is open to nobody who could not use it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <linux/posix_acl_xattr.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/output.h"
#include "scratch_dir.h"

/* acl(5): the rights of the owner, a user, the group, at most, of others. */
enum {
    OWNER = 1,
    USER = 2,
    GROUP = 4,
    MASK = 16,
    OTHER = 32,
    ENTRIES = 5,
    SOMEBODY = 1234,
    NOBODY_IN_PARTICULAR = -1,
};

static const char of_file[] = "system.posix_acl_access";
static const char of_new_files[] = "system.posix_acl_default";

/* As it is on disk, little-endian. */
struct list {
    uint8_t bytes[4 + 8 * ENTRIES];
};

static int set_up(void **state)
{
    (void)umask(022);
    return scratch_dir_enter(state);
}

static int tear_down(void **state)
{
    return unlink("file") == 0 ? scratch_dir_drop(state) : -1;
}

static struct list list_of(unsigned user, unsigned group, unsigned mask)
{
    const struct {
        unsigned tag, rights;
        int id;
    } entries[ENTRIES] = {{OWNER, 6, NOBODY_IN_PARTICULAR},
                          {USER, user, SOMEBODY},
                          {GROUP, group, NOBODY_IN_PARTICULAR},
                          {MASK, mask, NOBODY_IN_PARTICULAR},
                          {OTHER, 0, NOBODY_IN_PARTICULAR}};
    struct list list = {{POSIX_ACL_XATTR_VERSION}};
    for (size_t i = 0; i < ENTRIES; i++) {
        uint8_t *at = list.bytes + 4 + 8 * i;
        at[0] = (uint8_t)entries[i].tag;
        at[2] = (uint8_t)entries[i].rights;
        for (int k = 0; k < 4; k++)
            at[4 + k] = (uint8_t)((uint32_t)entries[i].id >> 8 * k);
    }
    return list;
}

static void write_file(void)
{
    struct output *out;
    struct output_opts opts = {.path = "file"};
    struct err err;
    assert_true(output_open(&out, &opts, &err));
    assert_true(sink_write(output_sink(out), "new\n", 4, &err));
    assert_true(output_commit(out, &err));
}

static void expect_mode(mode_t mode)
{
    struct stat st;
    assert_int_equal(stat("file", &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void expect_list(const struct list *list)
{
    struct list got;
    assert_int_equal(getxattr("file", of_file, &got, sizeof got), sizeof got);
    assert_memory_equal(&got, list, sizeof got);
}

/* The group has nothing, but the user has: stat() says 0660. */
static void test_list_is_kept(void **state)
{
    (void)state;
    struct list list = list_of(6, 0, 6);
    write_file();
    assert_int_equal(setxattr("file", of_file, &list, sizeof list, 0), 0);
    expect_mode(0660);
    write_file();
    expect_mode(0660);
    expect_list(&list);
}

/* What the directory gives to new files is not for one that is there. */
static void test_none_is_kept(void **state)
{
    (void)state;
    struct list list = list_of(7, 5, 7);
    struct list got;
    assert_int_equal(unlink("file"), 0);
    write_file();
    assert_int_equal(chmod("file", 0640), 0);
    assert_int_equal(setxattr(".", of_new_files, &list, sizeof list, 0), 0);
    write_file();
    expect_mode(0640);
    assert_int_equal(getxattr("file", of_file, &got, sizeof got), -1);
    assert_int_equal(unlink("file"), 0);
    /* A new one has it, as far as its mode goes, that would be 0666. */
    write_file();
    expect_mode(0660);
    list = list_of(7, 5, 6);
    expect_list(&list);
    assert_int_equal(removexattr(".", of_new_files), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_is_kept),
        cmocka_unit_test(test_none_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
