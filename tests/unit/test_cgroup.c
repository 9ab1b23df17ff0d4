/*
 * cgroup.h: limits in trees of files as the kernel shows them.  What a line
 * of /proc/self/mountinfo and the limits mean is in the kernel's documents
 * that the header names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cgroup.h"
#include "cli/processors.h"
#include "scratch_dir.h"

#define MOUNT_V2(top, point)                                                   \
    "35 24 0:30 " top " " point                                                \
    " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNT_V1(top, point)                                                   \
    "36 24 0:31 " top " " point                                                \
    " rw,nosuid shared:10 - cgroup cgroup rw,cpu,cpuacct\n"

static int forget(const char *path, const struct stat *st, int kind,
                  struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int drop_root(void **state)
{
    (void)state;
    return nftw(scratch_dir, forget, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file under the root, with the directories above it. */
static void put(const char *path, const char *text)
{
    char full[8192];
    assert_in_range(snprintf(full, sizeof full, "%s%s", scratch_dir, path), 1,
                    sizeof full - 1);
    for (char *at = full + strlen(scratch_dir) + 1; (at = strchr(at, '/'));
         at++) {
        *at = 0;
        (void)mkdir(full, 0700);
        *at = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void put_proc(const char *cgroup, const char *mountinfo)
{
    put("/proc/self/cgroup", cgroup);
    put("/proc/self/mountinfo", mountinfo);
}

static void assert_limit(uint64_t n)
{
    assert_int_equal(cgroup_processors(scratch_dir), n);
}

static void test_v2(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t n;
    } cases[] = {
        {"max 100000\n", 0},
        {"200000 100000\n", 2},
        {"200001 100000\n", 3},
        {"199999 100000\n", 2},
        {"250000 100000\n", 3},
        {"50000 100000\n", 1},
        {"1000 1000000\n", 1},
        {"0 100000\n", 1},
        {"6400000 100000", 64},
        {"18446744073709551615 1\n", UINT64_MAX},
        /* What no kernel writes. */
        {"18446744073709551616 1\n", 0},
        {"100000 0\n", 0},
        {"100000\n", 0},
        {"100000 \n", 0},
        {"-1 100000\n", 0},
        {" 1 1\n", 0},
        {"1  1\n", 0},
        {"1 1x\n", 0},
        {"", 0},
        {"\n", 0},
    };
    put_proc("0::/a\n", MOUNT_V2("/", "/sys/fs/cgroup"));
    assert_limit(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("/sys/fs/cgroup/a/cpu.max", cases[i].text);
        assert_limit(cases[i].n);
    }
}

/* The least of the own group and those above counts, wherever it is. */
static void test_nested(void **state)
{
    (void)state;
    put_proc("0::/a/b/c\n", MOUNT_V2("/", "/sys/fs/cgroup"));
    put("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/a/b/c/d/cpu.max", "100000 100000\n");
    assert_limit(0);
    put("/sys/fs/cgroup/a/cpu.max", "700000 100000\n");
    assert_limit(7);
    put("/sys/fs/cgroup/a/b/cpu.max", "300000 50000\n");
    assert_limit(6);
    put("/sys/fs/cgroup/a/b/c/cpu.max", "900000 100000\n");
    assert_limit(6);
    put("/sys/fs/cgroup/cpu.max", "500000 100000\n");
    assert_limit(5);
    /* What is above the mount point is no group. */
    put("/sys/fs/cpu.max", "100000 100000\n");
    assert_limit(5);
}

static void test_v1(void **state)
{
    (void)state;
    put_proc("5:cpuset:/other\n"
             "4:cpu,cpuacct:/a/b\n"
             "1:name=systemd:/other\n",
             "30 24 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup "
             "rw,cpuset\n" MOUNT_V1("/", "/sys/fs/cgroup/cpu"));
    put("/sys/fs/cgroup/cpuset/a/b/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpuset/a/b/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    assert_limit(0);
    put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "350000\n");
    assert_limit(4);
    put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
    assert_limit(4); /* it has no period */
    put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_limit(3);
}

/* "cpu" may come behind others, and cpuacct is not it. */
static void test_v1_controllers(void **state)
{
    (void)state;
    put("/c/a/cpu.cfs_quota_us", "200000\n");
    put("/c/a/cpu.cfs_period_us", "100000\n");
    put_proc("4:cpuacct,cpu:/a\n",
             "36 24 0:31 / /c rw - cgroup cgroup rw,cpuacct,cpu\n");
    assert_limit(2);
    put_proc("4:cpuacct:/a\n",
             "36 24 0:31 / /c rw - cgroup cgroup rw,cpuacct,cpu\n");
    assert_limit(0);
    put_proc("4:cpu:/a\n", "36 24 0:31 / /c rw - cgroup cgroup rw,cpuacct\n");
    assert_limit(0);
}

/* A system between the two has both; the lesser counts. */
static void test_both(void **state)
{
    (void)state;
    put_proc("4:cpu:/a\n0::/b\n",
             MOUNT_V1("/", "/c/cpu") MOUNT_V2("/", "/c/unified"));
    put("/c/cpu/a/cpu.cfs_quota_us", "300000\n");
    put("/c/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_limit(3);
    put("/c/unified/b/cpu.max", "200000 100000\n");
    assert_limit(2);
    put("/c/unified/b/cpu.max", "800000 100000\n");
    assert_limit(3);
}

/* A container may see its own group, or one above it, as the top. */
static void test_container(void **state)
{
    (void)state;
    put("/c/cpu.max", "200000 100000\n");
    put("/c/x/cpu.max", "100000 100000\n");
    put_proc("0::/docker/1\n", MOUNT_V2("/docker/1", "/c"));
    assert_limit(2);
    put_proc("0::/docker/1/x\n", MOUNT_V2("/docker/1", "/c"));
    assert_limit(1);
    put_proc("0::/\n", MOUNT_V2("/", "/c"));
    assert_limit(2);
    /* These are others' groups. */
    put_proc("0::/docker/12\n", MOUNT_V2("/docker/1", "/c"));
    assert_limit(0);
    put_proc("0::/\n", MOUNT_V2("/docker/1", "/c"));
    assert_limit(0);
    put_proc("0::/../x\n", MOUNT_V2("/", "/c"));
    assert_limit(0);
    put_proc("0::/x/..\n", MOUNT_V2("/", "/c"));
    assert_limit(0);
    put_proc("0::/x..y\n", MOUNT_V2("/", "/c"));
    assert_limit(2);
}

/* mountinfo writes space, tab, newline and backslash as octal numbers. */
static void test_escapes(void **state)
{
    (void)state;
    put("/a b\\c/g/cpu.max", "200000 100000\n");
    put_proc("0::/t p/g\n", MOUNT_V2("/t\\040p", "/a\\040b\\134c"));
    assert_limit(2);
}

static void test_odd(void **state)
{
    (void)state;
    static const char *const cgroups[] = {
        "", "\n\n", "0", "0:", "0::", "::", ":::", "0::a", "x:cpu:/a", "\x01",
    };
    static const char *const mounts[] = {
        "",
        "\n",
        " - \n",
        " - cgroup2",
        "1 2 3 - cgroup2 cgroup2 rw\n",
        "1 2 3 4 - cgroup cgroup\n",
        "1 2 0:3 / /nowhere rw - cgroup\n",
        "1 2 0:3 /\\4 /\\777\\0 rw - cgroup2 cgroup2 rw\n",
        "1 2 0:3 / /proc rw - cgroup2 cgroup2 rw,cpu\n",
    };
    for (size_t i = 0; i < sizeof cgroups / sizeof *cgroups; i++)
        for (size_t k = 0; k < sizeof mounts / sizeof *mounts; k++) {
            put_proc(cgroups[i], mounts[k]);
            assert_limit(0);
        }
}

static void test_missing(void **state)
{
    (void)state;
    assert_limit(0);
    put("/proc/self/cgroup", "0::/a\n");
    put("/c/a/cpu.max", "200000 100000\n");
    assert_limit(0);
    put("/proc/self/mountinfo/is/a/directory", "");
    assert_limit(0);
}

/* A group deeper than a path may be long is not looked for. */
static void test_long(void **state)
{
    (void)state;
    static char line[3 * 4096];
    memcpy(line, "0::", 3);
    for (size_t i = 3; i + 2 < sizeof line; i += 2)
        memcpy(line + i, "/a", 2);
    line[sizeof line - 1] = 0;
    put_proc(line, MOUNT_V2("/", "/c"));
    put("/c/cpu.max", "200000 100000\n");
    assert_limit(0);
}

static void test_available(void **state)
{
    (void)state;
    unsigned n = processors_available();
    assert_in_range(n, 1, (unsigned)sysconf(_SC_NPROCESSORS_CONF));
}

#define IN_ROOT(f)                                                             \
    cmocka_unit_test_setup_teardown(f, scratch_dir_make, drop_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(test_v2),
        IN_ROOT(test_nested),
        IN_ROOT(test_v1),
        IN_ROOT(test_v1_controllers),
        IN_ROOT(test_both),
        IN_ROOT(test_container),
        IN_ROOT(test_escapes),
        IN_ROOT(test_odd),
        IN_ROOT(test_missing),
        IN_ROOT(test_long),
        cmocka_unit_test(test_available),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
