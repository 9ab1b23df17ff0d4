/* resources.h: limits in trees of files as the kernel shows them */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/resources.h"
#include "scratch_dir.h"
#include "unit.h"

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

static void put_group(const char *cgroup)
{
    put("/proc/self/cgroup", cgroup);
}

static void assert_limit(uint64_t n)
{
    assert_int_equal(resources_in_cgroup(scratch_dir).processors, n);
}

static void test_v2(void **state)
{
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
    put_group("0::/a\n");
    assert_limit(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("/sys/fs/cgroup/a/cpu.max", cases[i].text);
        assert_limit(cases[i].n);
    }
}

/* The least of the own group and those above counts, wherever it is. */
static void test_nested(void **state)
{
    put_group("0::/a/b/c\n");
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

/* A container may see its own group as the top. */
static void test_container(void **state)
{
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    put("/sys/fs/cgroup/x/cpu.max", "100000 100000\n");
    put_group("0::/\n");
    assert_limit(2);
    put_group("0::/docker/1\n");
    assert_limit(2);
    put_group("0::/x\n");
    assert_limit(1);
    put_group("5:cpu:/y\n1:name=systemd:/\n0::/x\n");
    assert_limit(1);
    put_group("0::/x..y\n");
    assert_limit(2);
    /* These are others' groups. */
    put_group("0::/../x\n");
    assert_limit(0);
    put_group("0::/x/..\n");
    assert_limit(0);
    /* v1 */
    put_group("4:cpu,cpuacct:/x\n");
    assert_limit(0);
}

static void test_odd(void **state)
{
    static const char *const cgroups[] = {
        "", "\n\n", "0", "0:", "0::", "::", ":::", "0::a", "x:cpu:/a", "\x01",
    };
    put("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    for (size_t i = 0; i < sizeof cgroups / sizeof *cgroups; i++) {
        put_group(cgroups[i]);
        assert_limit(0);
    }
}

static void test_missing(void **state)
{
    assert_limit(0);
    put_group("0::/a\n");
    assert_limit(0);
    put("/sys/fs/cgroup/a/cpu.max/is/a/directory", "");
    assert_limit(0);
}

/* Of a group deeper than a path may be long those above may be found. */
static void test_long(void **state)
{
    static char line[3 * 4096];
    memcpy(line, "0::", 3);
    for (size_t i = 3; i + 2 < sizeof line; i += 2)
        memcpy(line + i, "/a", 2);
    line[sizeof line - 1] = 0;
    put_group(line);
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_limit(2);
}

static void assert_memory(uint64_t n)
{
    assert_int_equal(resources_in_cgroup(scratch_dir).memory, n);
}

static void test_memory(void **state)
{
    put_group("0::/a/b\n");
    assert_memory(0);
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_memory(0);
    put("/sys/fs/cgroup/a/b/memory.max", "268435456\n");
    assert_memory(268435456);
    put("/sys/fs/cgroup/a/memory.max", "134217728\n");
    assert_memory(134217728);
    put("/sys/fs/cgroup/a/memory.max", "134217728k\n");
    assert_memory(268435456);
    put("/sys/fs/cgroup/memory.max", "0\n");
    assert_memory(1);
    assert_limit(0);
}

static void test_memory_v1(void **state)
{
    put("/sys/fs/cgroup/memory.max", "1000\n");
    put("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put_group("11:cpuset:/y\n4:cpu,memory:/x/y\n1:name=systemd:/\n0::/\n");
    assert_memory(4096000);
    put_group("4:memory:/x\n");
    assert_memory(4096000);
    /* A container that sees its own group as the top. */
    put_group("4:memory:/docker/1\n");
    assert_memory(9223372036854771712U);
    /* These are other controllers, or others' groups. */
    put_group("4:memory2,mem:/x\n");
    assert_memory(0);
    put_group("4:memory:/x/..\n");
    assert_memory(0);
}

#define IN_ROOT(f)                                                             \
    cmocka_unit_test_setup_teardown(f, scratch_dir_make, drop_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(test_v2),        IN_ROOT(test_nested),  IN_ROOT(test_container),
        IN_ROOT(test_odd),       IN_ROOT(test_missing), IN_ROOT(test_memory),
        IN_ROOT(test_memory_v1), IN_ROOT(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
