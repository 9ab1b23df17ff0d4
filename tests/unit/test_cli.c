/* cli.h: command lines in, what the tool sees out */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "said.h"
#include "unit.h"

enum { OPT_SHOW_FROM = 256, OPT_COLOR, OPT_SHOW, OPT_FUSSY };

static const struct cli_option options[] = {
    {"show", OPT_SHOW, "REGEX", "keep frames that match"},
    {"show-from", OPT_SHOW_FROM, "REGEX", "cut above frames that match"},
    {"exe", 'e', "BINARY", "the main binary"},
    {"color", OPT_COLOR, "[WHEN]", "colors"},
    {"all", 'a', NULL, "everything"},
    {"fussy", OPT_FUSSY, "X", "never content"},
    {0},
};

static struct buf taken; /* "key=value " for each option taken */
static struct cli cli;
static char shown[4096]; /* standard error of the last run */
static char list_path[] = "/tmp/test_cli.XXXXXX";

static bool take(void *ctx, int key, const char *value, struct prof_err *err)
{
    assert_ptr_equal(ctx, &taken);
    if (key == OPT_FUSSY)
        return err_set(err, PROF_ERR_USAGE, "'%s' will not do", value);
    return buf_printf(&taken, key < 256 ? "%c=%s " : "%d=%s ", key,
                      value ? value : "-");
}

enum { ALL = 31 };

static const struct cli_spec spec = {
    .tool = "tool",
    .synopsis = "[option ...] [file ...]",
    .summary = "Test.",
    .options = options,
    .shared = ALL,
    .take = take,
    .ctx = &taken,
};

/* Splits at blanks and runs cli_begin(); its result. */
static int begin(const char *line)
{
    static char words[512];
    static char *argv[32];
    int argc = 0;
    taken.n = 0;
    (void)snprintf(words, sizeof words, "tool %s", line);
    char *rest = words;
    for (char *w; (w = strsep(&rest, " "));)
        if (*w)
            argv[argc++] = w;
    argv[argc] = NULL;

    FILE *f = tmpfile();
    assert_non_null(f);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
    int status = cli_begin(&cli, &spec, argc, argv);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    rewind(f);
    shown[fread(shown, 1, sizeof shown - 1, f)] = 0;
    assert_int_equal(fclose(f), 0);
    assert_true(buf_putc(&taken, 0));
    return status;
}

/* A line that is good: the options taken and the inputs. */
static void good(const char *line, const char *options_taken,
                 const char *inputs)
{
    struct buf b = {0};
    assert_int_equal(begin(line), -1);
    assert_said(shown, "");
    assert_string_equal((const char *)taken.v, options_taken);
    for (size_t i = 0; i < cli.n_inputs; i++)
        assert_true(buf_printf(&b, "%s ", cli.inputs[i]));
    assert_true(buf_putc(&b, 0));
    assert_string_equal((const char *)b.v, inputs);
    buf_free(&b);
}

static void end(void)
{
    assert_int_equal(cli_end(&cli), 0);
}

static void bad(const char *line, int status, const char *message)
{
    char expected[512];
    (void)snprintf(expected, sizeof expected, "tool: %s\n", message);
    assert_int_equal(begin(line), status);
    assert_said(shown, expected);
}

static void test_defaults(void **state)
{
    good("", "", "- ");
    assert_string_equal(cli.tool, "tool");
    assert_null(cli.output);
    assert_int_equal(cli.level, -1);
    assert_in_range(cli.threads, 1, 8);
    assert_int_equal(cli.max_size, (uint64_t)16 << 30);
    assert_false(cli.quiet || cli.verbose || cli.keep_going || cli.if_changed);
    end();
}

static void test_shared(void **state)
{
    good("-o out --if-changed -3 -T 5 -k --max-size=3M -qv f", "", "f ");
    assert_string_equal(cli.output, "out");
    assert_int_equal(cli.level, 3);
    assert_int_equal(cli.threads, 5);
    assert_int_equal(cli.max_size, 3 << 20);
    assert_true(cli.quiet && cli.verbose && cli.keep_going && cli.if_changed);
    end();
    good("--output=- --threads 1 --keep-going -9 f", "", "f ");
    assert_null(cli.output);
    assert_int_equal(cli.level, 9);
    end();
}

static void test_own_options(void **state)
{
    good("--show-from=a --color --color=x -e b -aec --all f",
         "256=a 257=- 257=x e=b a=- e=c a=- ", "f ");
    end();
}

/* '_' is '-' in names of options only, wherever these stand. */
static void test_underscores(void **state)
{
    good("a_b --show_from=x_y --show_from --c_d --max_size 1 -- --show_from",
         "256=x_y 256=--c_d ", "a_b --show_from ");
    assert_int_equal(cli.max_size, 1);
    end();
}

/* None are options, however clear it is what they begin. */
static void test_abbreviations(void **state)
{
    good("--show=x --show-from=y --show_from=z --output f - g",
         "258=x 256=y 256=z ", "- g ");
    assert_string_equal(cli.output, "f");
    end();
    bad("--ou f", 2, "unknown option '--ou'; did you mean '--output'?");
    bad("--show-f=y", 2,
        "unknown option '--show-f'; did you mean '--show-from'?");
    bad("--outptu=y", 2, "unknown option '--outptu'; did you mean '--output'?");
    bad("--shw=y", 2, "unknown option '--shw'; did you mean '--show'?");
    bad("--o", 2, "unknown option '--o'; try 'tool --help'");
    bad("--web", 2,
        "unknown option '--web'; use 'pbcat --svg -o FILE.svg' for a picture "
        "in a browser");
}

static void test_one_dash(void **state)
{
    bad("-output=f", 2,
        "unknown option '-output'; long options have two dashes: --output=f");
    bad("-show_from=f", 2,
        "unknown option '-show_from'; long options have two dashes: "
        "--show-from=f");
    bad("-http=:8080 g", 2,
        "unknown option '-http'; use 'pbcat --flame -o FILE.html' for a page "
        "in a browser");
    good("-ooutput g -q", "", "g "); /* a letter and its argument */
    assert_string_equal(cli.output, "output");
    assert_true(cli.quiet);
    end();
    good("-o -output -- -show", "", "-show ");
    assert_string_equal(cli.output, "-output");
    end();
}

static void test_operands(void **state)
{
    good("a -q b - -- -v c", "", "a b - -v c ");
    assert_false(cli.verbose);
    end();
    bad("a - b -", 2, "standard input ('-') is given twice");
}

static void test_usage_errors(void **state)
{
    bad("--nope", 2, "unknown option '--nope'; try 'tool --help'");
    bad("--nope=x", 2, "unknown option '--nope'; try 'tool --help'");
    bad("-Z", 2, "unknown option '-Z'; try 'tool --help'");
    bad("-aZ", 2, "unknown option '-Z'; try 'tool --help'");
    bad("--s=x", 2, "unknown option '--s'; try 'tool --help'");
    bad("--all=x", 2, "--all takes no argument");
    bad("--show-from", 2, "missing argument: --show-from=REGEX");
    bad("-e", 2, "missing argument: --exe=BINARY");
    bad("--fussy=x", 2, "--fussy: 'x' will not do");
    bad("--if-changed f", 2, "--if-changed requires --output=FILE");
    bad("-o= --if-changed f --output=", 2, "--output: empty file name");
}

static void test_numbers(void **state)
{
    static const char *const junk[] = {
        "0", "-1", "+1", "x", "1x", "1025", "99999999999999999999"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        char line[64], text[128];
        (void)snprintf(line, sizeof line, "-T %s f", junk[i]);
        (void)snprintf(text, sizeof text,
                       "invalid value '%s' for --threads: expected an integer "
                       "from 1 to 1024",
                       junk[i]);
        bad(line, 2, text);
    }
}

static void test_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } sizes[] = {
        {"1", 1},
        {"4096", 4096},
        {"2k", 2048},
        {"2K", 2048},
        {"3M", 3 << 20},
        {"16G", (uint64_t)16 << 30},
        {"16777215T", (uint64_t)16777215 << 40},
        {"16777216T", 0},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551616", 0},
        {"0", 0},
        {"", 0},
        {"K", 0},
        {"1KB", 0},
        {"-1", 0},
        {"1.5G", 0},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t n = 0;
        struct prof_err err = {0};
        bool ok = cli_parse_size(sizes[i].text, &n, &err);
        assert_int_equal(ok, sizes[i].bytes != 0);
        assert_int_equal(n, sizes[i].bytes);
        assert_int_equal(err.kind, ok ? PROF_ERR_NONE : PROF_ERR_USAGE);
    }
}

static void write_list(const char *text, size_t n)
{
    FILE *f = fopen(list_path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void test_lists(void **state)
{
    char line[128], text[256];
    write_list("b\n\nc d\ne", 8);
    (void)snprintf(line, sizeof line, "a --files-from=%s f", list_path);
    good(line, "", "a b c d e f ");
    assert_int_equal(cli.n_inputs, 5);
    end();
    write_list("b\nc\0d", 5);
    (void)snprintf(line, sizeof line, "--files0-from %s", list_path);
    good(line, "", "b\nc d ");
    assert_int_equal(cli.n_inputs, 2);
    end();
    (void)snprintf(line, sizeof line, "--files-from %s", list_path);
    (void)snprintf(text, sizeof text,
                   "--files-from: %s: line 2: NUL in a file name; use "
                   "--files0-from for names separated by NULs",
                   list_path);
    bad(line, 3, text);
    /* An empty list is no input at all, not standard input. */
    write_list("", 0);
    good(line, "", "");
    end();
}

static void test_bad_lists(void **state)
{
    char line[128], text[256];
    bad("--files-from=/nowhere/list", 4,
        "--files-from: /nowhere/list: cannot open: No such file or directory");
    write_list("a\0\0b", 4);
    (void)snprintf(line, sizeof line, "--files0-from=%s", list_path);
    (void)snprintf(text, sizeof text,
                   "--files0-from: %s: name 2: empty file name", list_path);
    bad(line, 2, text);
    write_list("a\n-\n", 4);
    (void)snprintf(line, sizeof line, "- --files-from=%s", list_path);
    (void)snprintf(
        text, sizeof text,
        "--files-from: %s: line 2: standard input ('-') is given twice",
        list_path);
    bad(line, 2, text);
}

static void show(enum prof_note_level level, const char *line)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(begin(line), -1);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
    cli.subject = "a\tb";
    if (level == PROF_NOTE_LOSS)
        note_loss(&cli.notes, "lost");
    else if (level == PROF_NOTE_WARN)
        note_warn(&cli.notes, "odd %c\xff\xc3\xbc", 27);
    else
        note_info(&cli.notes, "so\nit is");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    rewind(f);
    shown[fread(shown, 1, sizeof shown - 1, f)] = 0;
    assert_int_equal(fclose(f), 0);
    end();
}

static void test_notes(void **state)
{
    show(PROF_NOTE_WARN, "f");
    assert_said(shown, "tool: a\\x09b: warning: odd \\x1b\\xff\xc3\xbc\n");
    show(PROF_NOTE_WARN, "-q f");
    assert_said(shown, "");
    show(PROF_NOTE_INFO, "f");
    assert_said(shown, "");
    show(PROF_NOTE_INFO, "-v f");
    assert_said(shown, "tool: a\\x09b: note: so\\x0ait is\n");
    show(PROF_NOTE_LOSS, "-q f");
    assert_said(shown, "tool: a\\x09b: warning: lost\n");
    show(PROF_NOTE_LOSS, "--strict f"); /* it is the error that is shown */
    assert_said(shown, "");
}

static void test_strict(void **state)
{
    struct prof_err err;
    struct cli_notes notes;
    assert_int_equal(begin("--strict f"), -1);
    cli_notes_init(&notes, &cli, "f");
    note_warn(&cli.notes, "odd");
    assert_true(notes_lossless(&cli.notes, &err));
    note_loss(&cli.notes, "one");
    note_loss(&cli.notes, "two");
    assert_true(notes_lossless(&notes.notes, &err)); /* not of those */
    assert_false(notes_lossless(&cli.notes, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, "one (an error with --strict)");
    assert_true(notes_lossless(&cli.notes, &err)); /* it was told */
    note_loss(&notes.notes, "three");
    assert_true(notes_lossless(&cli.notes, &err));
    assert_false(notes_lossless(&notes.notes, &err));
    assert_true(notes_lossless(NULL, &err));
    end();
}

static void test_status_is_the_worst(void **state)
{
    struct prof_err input = {.kind = PROF_ERR_INPUT, .text = "bad"};
    struct prof_err system = {.kind = PROF_ERR_SYSTEM, .text = "worse"};
    good("f", "", "f ");
    int null = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO);
    assert_true(null >= 0 && dup2(null, STDERR_FILENO) >= 0);
    cli_error(&cli, NULL, &input);
    assert_int_equal(cli.status, 3);
    cli_error(&cli, "f", &system);
    cli_error(&cli, "f", &input);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(null);
    (void)close(saved);
    assert_int_equal(cli_end(&cli), 4);
}

static int set_up(void **state)
{
    int fd = mkstemp(list_path), null = open("/dev/null", O_RDONLY);
    /* Were it a terminal, no operand would be an error. */
    return fd >= 0 && close(fd) == 0 && dup2(null, STDIN_FILENO) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    buf_free(&taken);
    return unlink(list_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_own_options),
        cmocka_unit_test(test_underscores),
        cmocka_unit_test(test_abbreviations),
        cmocka_unit_test(test_one_dash),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_status_is_the_worst),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
