/* find_program.h: each profile gets the program that its patterns mean first */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/find_program.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

/* What an archive has: an executable if data begins so, or a profile. */
struct entry {
    const char *name, *data;
    const char *irregular;
};
#define ELF "\177ELF-"
#define MISSING                                                                \
    "not found before the profile, and a pipe is read only once; pass the "    \
    "archive as a file, or specify the program with -e"

struct trial {
    struct find_program *b;
    char log[1024]; /* "PROFILE=EXECUTABLE DATA\n" or "PROFILE: error\n" */
    size_t n_left;  /* entries that were neither */
};

static void log_to(struct trial *t, const char *fmt, ...) ERR_PRINTF(2, 3);

static void log_to(struct trial *t, const char *fmt, ...)
{
    va_list ap;
    size_t n = strlen(t->log);
    va_start(ap, fmt);
    (void)vsnprintf(t->log + n, sizeof t->log - n, fmt, ap);
    va_end(ap);
}

static void look_for(struct trial *t, const char *name,
                     const struct input_part *part)
{
    struct found_program exe;
    struct prof_err err;
    if (find_program(t->b, part, &exe, &err)) {
        char data[16] = "";
        FILE *f = fopen(exe.path, "r");
        assert_non_null(f);
        assert_true(fread(data, 1, sizeof data - 1, f) > 5);
        (void)fclose(f);
        log_to(t, "%s(%.*s)=%s %s\n", name, (int)part->n,
               (const char *)part->data, exe.name, data + 5);
    } else {
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        log_to(t, "%s: %s\n", name, err.text);
    }
}

static void start(struct trial *t, const char *const *patterns)
{
    struct prof_err err;
    *t = (struct trial){.b = find_program_new(&err)};
    assert_non_null(t->b);
    for (; *patterns; patterns++)
        assert_true(find_program_add_pattern(t->b, *patterns, &err));
}

/* The entries as they come from an archive, which was begun. */
static void read_entries(struct trial *t, const struct entry *entries, size_t n)
{
    struct prof_err err;
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];
        const struct input_part part = {.path = "x.tar",
                                        .entry = e->name,
                                        .data = (const uint8_t *)e->data,
                                        .n = e->data ? strlen(e->data) : 0,
                                        .irregular = e->irregular};
        int kept = find_program_keep(t->b, &part, &err);
        assert_true(kept >= 0);
        if (!kept && !e->irregular && strncmp(e->data, "gmon", 4) == 0)
            look_for(t, e->name, &part);
        else
            t->n_left += !kept;
    }
}

/* An archive from a pipe, which is read once. */
static void read_pipe(struct trial *t, const struct entry *entries, size_t n)
{
    struct prof_err err;
    assert_true(find_program_begin(t->b, "/dev/null", 0, &err));
    read_entries(t, entries, n);
}

/* An archive in a file, which is read for programs first. */
static void read_file(struct trial *t, const struct entry *entries, size_t n)
{
    char path[64];
    struct prof_err err;
    assert_int_equal(scratch_dir_make(NULL), 0);
    (void)snprintf(path, sizeof path, "%s/x.tar", scratch_dir);
    struct archive *a = archive_write_new();
    assert_int_equal(archive_write_set_format_ustar(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        size_t size = strlen(entries[i].data);
        archive_entry_set_pathname(e, entries[i].name);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (int64_t)size);
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        assert_int_equal(archive_write_data(a, entries[i].data, size), size);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
    assert_true(find_program_begin(t->b, path, INPUT_DEFAULT_MAX_SIZE, &err));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(scratch_dir_drop(NULL), 0);
    read_entries(t, entries, n);
}

#define ARCHIVE(read, t, ...)                                                  \
    read(t, (const struct entry[]){__VA_ARGS__},                               \
         sizeof(const struct entry[]){__VA_ARGS__} / sizeof(struct entry))

static void finish(struct trial *t, const char *want)
{
    assert_string_equal(t->log, want);
    find_program_free(t->b);
}

/* Those before the profile; names are as they are without "./". */
static void before(void **state)
{
    static const char *const patterns[] = {"{dir}/prog", NULL};
    struct trial t;
    start(&t, patterns);
    ARCHIVE(read_pipe, &t, {"./a/prog", ELF "A", NULL},
            {"a/gmon.out", "gmon1", NULL}, {"b/./prog", ELF "B", NULL},
            {"b/gmon.out", "gmon2", NULL}, {"b/gmon.2", "gmon3", NULL},
            {"README", "text", NULL}, {"c/gmon.out", "gmon", NULL},
            {"/prog", ELF "C", NULL}, {"gmon.out", "gmon4", NULL});
    assert_int_equal(t.n_left, 1);
    finish(&t, "a/gmon.out(gmon1)=a/prog A\nb/gmon.out(gmon2)=b/prog "
               "B\nb/gmon.2(gmon3)=b/prog B\nc/gmon.out: program not found: "
               "c/prog: " MISSING "\n"
               "gmon.out(gmon4)=prog C\n");
}

/* Before and after, in a file. */
static void any_order(void **state)
{
    static const char *const patterns[] = {"{dir}/prog", NULL};
    struct trial t;
    start(&t, patterns);
    ARCHIVE(read_file, &t, {"./a/prog", ELF "A", NULL},
            {"a/gmon.out", "gmon1", NULL}, {"b/gmon.out", "gmon2", NULL},
            {"b/gmon.2", "gmon3", NULL}, {"README", "text", NULL},
            {"b/./prog", ELF "B", NULL}, {"/prog", ELF "C", NULL},
            {"gmon.out", "gmon4", NULL}, {"c/gmon.out", "gmon", NULL});
    assert_int_equal(t.n_left, 1);
    finish(&t,
           "a/gmon.out(gmon1)=a/prog A\nb/gmon.out(gmon2)=b/prog "
           "B\nb/gmon.2(gmon3)=b/prog B\ngmon.out(gmon4)=prog C\nc/gmon.out: "
           "program not found: c/prog: not in the archive\n");
}

/* The first pattern that finds one, though the second's comes earlier. */
static void in_order(void **state)
{
    static const char *const patterns[] = {"{parent}", "{stem}", "/all", NULL};
    static const char want[] = "t/prog.1(gmon1)=t/t T\n"
                               "u/prog.1(gmon2)=u/prog U\n"
                               "prog.2(gmon3)=all L\n";
    struct trial t;
    start(&t, patterns);
    ARCHIVE(read_file, &t, {"t/prog.1", "gmon1", NULL},
            {"t/prog", ELF "x", NULL}, {"all", ELF "L", NULL},
            {"t/t", ELF "T", NULL}, {"u/prog.1", "gmon2", NULL},
            {"prog.2", "gmon3", NULL}, {"u/prog", ELF "U", NULL});
    finish(&t, want);
    start(&t, patterns);
    ARCHIVE(read_pipe, &t, {"all", ELF "L", NULL}, {"t/t", ELF "T", NULL},
            {"t/prog", ELF "x", NULL}, {"t/prog.1", "gmon1", NULL},
            {"u/prog", ELF "U", NULL}, {"u/prog.1", "gmon2", NULL},
            {"prog.2", "gmon3", NULL});
    finish(&t, want);
}

/* Where it was looked for, and what was there. */
static void not_found(void **state)
{
    static const char *const patterns[] = {"prog", "../../bin/{stem}",
                                           "/bin/{stem}", NULL};
    struct trial t;
    start(&t, patterns);
    ARCHIVE(read_pipe, &t, {"a/prog", NULL, "a symbolic link"},
            {"a/gmon.out", "gmon1", NULL}, {"bin/gmon", "#!/bin/sh", NULL});
    assert_int_equal(t.n_left, 2);
    /* Another archive has entries of its own. */
    ARCHIVE(read_pipe, &t, {"bin/gmon", ELF "G", NULL});
    ARCHIVE(read_pipe, &t, {"a/gmon.out", "gmon2", NULL});
    finish(&t,
           "a/gmon.out: program not found: a/prog: a symbolic link; "
           "../../bin/{stem}: leads outside the archive; bin/gmon: " MISSING
           "\na/gmon.out: program not found: a/prog: " MISSING
           "; ../../bin/{stem}: leads outside the archive; bin/gmon: " MISSING
           "\n");
}

/* Names from an archive are never names of files. */
static void hostile_names(void **state)
{
    static const char *const patterns[] = {"{dir}/prog", NULL};
    struct trial t;
    start(&t, patterns);
    ARCHIVE(read_pipe, &t, {"../../../tmp/evil/prog", ELF "E", NULL},
            {"../../../tmp/evil/gmon.out", "gmon1", NULL},
            {"x/prog", ELF "X", NULL},
            {"x/\033[2J/../gmon.out", "gmon2", NULL});
    finish(&t,
           "../../../tmp/evil/gmon.out: program not found: {dir}/prog: leads "
           "outside the archive\nx/\033[2J/../gmon.out(gmon2)=x/prog X\n");
}

/* Equal executables are one content, in archives and files alike. */
static void contents(void **state)
{
    char path[64];
    struct prof_err err;
    struct found_program exe[3];
    struct find_program *b = find_program_new(&err);
    assert_non_null(b);
    assert_int_equal(scratch_dir_make(state), 0);
    (void)snprintf(path, sizeof path, "%s/prog", scratch_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(ELF "same", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_true(find_program_add_pattern(b, "prog", &err));

    const struct input_part part[] = {
        {.entry = "a/prog", .data = (const uint8_t *)(ELF "same"), .n = 9},
        {.entry = "b/prog", .data = (const uint8_t *)(ELF "same"), .n = 9},
        {.entry = "a/gmon.out"},
        {.entry = "b/gmon.out"}};
    assert_true(find_program_begin(b, "/dev/null", 0, &err));
    assert_int_equal(find_program_keep(b, &part[0], &err), 1);
    assert_int_equal(find_program_keep(b, &part[1], &err), 1);
    assert_true(find_program(b, &part[2], &exe[0], &err));
    assert_string_equal(exe[0].name, "a/prog");
    assert_true(find_program(b, &part[3], &exe[1], &err));
    assert_string_equal(exe[1].name, "b/prog");
    assert_int_equal(exe[0].content, exe[1].content);

    (void)snprintf(path, sizeof path, "%s/gmon.out", scratch_dir);
    const struct input_part file = {.path = path};
    assert_true(find_program(b, &file, &exe[2], &err));
    assert_int_equal(exe[2].content, exe[0].content);
    find_program_free(b);

    /* A file that is no program does not count, nor does a directory. */
    b = find_program_new(&err);
    assert_true(find_program_add_pattern(b, "prog", &err));
    assert_true(find_program_add_pattern(b, "../{parent}", &err));
    (void)snprintf(path, sizeof path, "%s/prog", scratch_dir);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("#!/bin/sh\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(path, sizeof path, "%s/gmon.out", scratch_dir);
    assert_false(find_program(b, &file, &exe[2], &err));
    char want[256];
    (void)snprintf(want, sizeof want,
                   "program not found: %s/prog: not an ELF file; %s/../%s: "
                   "not a regular file",
                   scratch_dir, scratch_dir, scratch_dir + 5);
    assert_said(err.text, want);
    find_program_free(b);
    (void)snprintf(path, sizeof path, "%s/prog", scratch_dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(scratch_dir_drop(state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before),        cmocka_unit_test(any_order),
        cmocka_unit_test(in_order),      cmocka_unit_test(not_found),
        cmocka_unit_test(hostile_names), cmocka_unit_test(contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
