/*
 * Tag ranges and expressions, labels taken off, labels as frames.  What is
 * expected follows from pprof's documentation of -tagfocus and -tagroot.
 */
#include <stdio.h>
#include <string.h>

#include "profile/columns.h"
#include "profile/filter/private.h"
#include "said.h"
#include "stacks.h"
#include "unit.h"

struct range_case {
    const char *range;
    int64_t value;
    const char *unit;
    bool in;
};

static const struct range_case ranges[] = {
    {"32kb", 32768, "bytes", true},
    {"32kb", 32769, "bytes", false},
    {"32kb", 32, "kilobytes", true},
    {":64kb", 65536, "bytes", true},
    {":64kb", 65537, "bytes", false},
    {":64kb", -1, "bytes", true},
    {"4mb:", 4194304, "bytes", true},
    {"4mb:", 4194303, "bytes", false},
    {"12kb:64mb", 12288, "bytes", true},
    {"12kb:64mb", 67108864, "bytes", true},
    {"12kb:64mb", 12287, "bytes", false},
    {"12kb:5", 5120, "bytes", false},
    {"1kb:5", 5120, "bytes", true},
    {"-5:+5", -5, "level", true},
    {"-5:5", 6, "level", false},
    {"2s", 2000, "ms", true},
    /* units that do not scale to the range's */
    {"2s", 2, "bytes", false},
    {"7", 7, "bytes", false},
    {"7", 7, "level", true},
    {"7things", 7, "level", true},
};

static struct tag_filter *tag_filter(const char *expr)
{
    struct tag_filter *f = NULL;
    struct prof_err err;
    if (expr && !tag_filter_new(&f, expr, "--tagfocus", &err))
        fail_msg("%s", err.text);
    return f;
}

/* The last note on a range. */
static void say(void *ctx, enum prof_note_level level, const char *text)
{
    char *to = ctx;
    if (level == PROF_NOTE_INFO)
        (void)snprintf(to, 100, "%s", text);
}

/* How many samples are left of one with that label. */
static size_t left(const char *expr, int64_t value, const char *unit,
                   char note[100])
{
    const struct prof_notes notes = {.say = say, .ctx = note};
    struct tag_filter *f = tag_filter(expr);
    struct tag_choice choice = {.focus = f};
    struct profile p;
    struct prof_err err;
    assert_true(prof_init(&p, &err));
    stacks_add_label(&p, "a", "key", NULL, value, unit);
    note[0] = 0;
    if (!prof_filter_tags(&p, &choice, &notes, &err))
        fail_msg("%s", err.text);
    size_t n = p.n_samples;
    prof_free(&p);
    tag_filter_free(f);
    return n;
}

static void ranges_hold_their_ends(void **state)
{
    char note[100];
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct range_case *c = &ranges[i];
        if (left(c->range, c->value, c->unit, note) != c->in)
            fail_msg("%s: %lld%s", c->range, (long long)c->value, c->unit);
        assert_true(note[0]);
    }
}

static void what_is_no_range(void **state)
{
    static const char *const texts[] = {
        "",     ":",   "kb",  "a12",   "12 ",    "1:2:3",
        "5kb5", "1-2", "a+",  "1:2mb", "1kb:2s", "0x10",
        "1.5",  "::1", "1,2", "1kb :", "1kb:x",
    };
    char note[100];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        (void)left(texts[i], 1, "bytes", note);
        if (note[0])
            fail_msg("'%s' is a range", texts[i]);
    }
}

static void a_number_too_large(void **state)
{
    struct tag_filter *f;
    struct prof_err err;
    assert_false(
        tag_filter_new(&f, "1:9223372036854775808b", "--tagfocus", &err));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    assert_said(err.text, "--tagfocus: number too large: 9223372036854775808");
}

static bool shares; /* whether stacks share frames */

/* a: job=import; b: job=export; c: bytes=2048; d: user=import; e: none. */
static int build(void **state)
{
    static struct profile p;
    struct prof_err err;
    if (!prof_init(&p, &err))
        return -1;
    stacks_add_label(&p, "a", "job", "import", 0, NULL);
    stacks_add_label(&p, "b", "job", "export", 0, NULL);
    stacks_add_label(&p, "c", "bytes", NULL, 2048, NULL);
    stacks_add_label(&p, "d", "user", "import", 0, NULL);
    stacks_add(&p, "e", 1);
    if (shares)
        stacks_share(&p, true);
    *state = &p;
    return 0;
}

static int drop(void **state)
{
    prof_free(*state);
    return 0;
}

static const char *filtered(struct profile *p, const char *focus,
                            const char *ignore, bool *focused, bool *ignored)
{
    struct tag_filter *f = tag_filter(focus), *i = tag_filter(ignore);
    struct prof_err err;
    struct tag_choice choice = {.focus = f, .ignore = i};
    if (!prof_filter_tags(p, &choice, NULL, &err))
        fail_msg("%s", err.text);
    *focused = choice.focused;
    *ignored = choice.ignored;
    tag_filter_free(f);
    tag_filter_free(i);
    return stacks_text(p);
}

static void focus_by_key_and_text(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "job=import", NULL, &f, &i), "a;");
    assert_true(f);
    assert_false(i);
}

static void focus_by_text_of_any_key(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "import", NULL, &f, &i), "a;d;");
}

static void focus_sees_key_and_text(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "^user:", NULL, &f, &i), "d;");
}

/* A list with a key is any of, without one it is all of. */
static void lists(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "job=imp,exp", "import,user", &f, &i),
                        "a;b;");
    assert_string_equal(filtered(*state, "imp,exp", NULL, &f, &i), "");
    assert_false(f);
}

static void ignore_keeps_what_has_no_label(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, NULL, ".", &f, &i), "c;e;");
    assert_true(i);
}

static void focus_by_range(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "2kb", NULL, &f, &i), "c;");
    assert_string_equal(filtered(*state, NULL, "bytes=1kb:", &f, &i), "");
    assert_true(i);
}

static void ranges_of_another_key(void **state)
{
    bool f, i;
    assert_string_equal(filtered(*state, "size=2kb", NULL, &f, &i), "");
    assert_false(f);
}

static void a_bad_expression_is_refused(void **state)
{
    struct tag_filter *f;
    struct prof_err err;
    assert_false(tag_filter_new(&f, "job=a,(", "--tagfocus", &err));
    assert_null(f);
    assert_said(
        err.text,
        "--tagfocus: invalid regular expression '(': unclosed '(' at offset 0");
    char note[100];
    assert_int_equal(left("key=1kb:", 1024, "bytes", note), 1);
    assert_said(
        note,
        "--tagfocus: '1kb:' is read as a range, not as a regular expression");
}

static size_t n_labels(const struct profile *p, size_t sample)
{
    uint32_t set = p->labelset[sample];
    return (size_t)(p->labelset_off[set + 1] - p->labelset_off[set]);
}

static void labels_are_taken_off(void **state)
{
    struct profile *p = *state;
    struct regex *show, *hide;
    struct prof_err err;
    assert_true(regex_new(&show, "^(job|bytes)$", NULL, PROF_ERR_USAGE, &err));
    assert_true(regex_new(&hide, "y", NULL, PROF_ERR_USAGE, &err));
    struct label_choice both = {.show = show, .hide = hide};
    assert_true(prof_filter_labels(p, &both, &err));
    assert_true(both.shown && both.hidden);
    assert_int_equal(n_labels(p, 0), 1);
    assert_int_equal(n_labels(p, 2), 0);
    assert_int_equal(n_labels(p, 3), 0);
    assert_int_equal(p->labelset[2], p->labelset[4]);
    struct label_choice one = {.show = hide};
    assert_true(prof_filter_labels(p, &one, &err));
    assert_false(one.shown || one.hidden);
    assert_int_equal(n_labels(p, 0), 0);
    regex_free(show);
    regex_free(hide);
}

static void all_labels_are_dropped(void **state)
{
    const struct prof_filter_opts opts = {.drop_labels = true};
    struct profile *p = *state;
    struct prof_filter *f;
    struct prof_err err;
    f = prof_filter_new(&opts, &err);
    assert_non_null(f);
    assert_true(prof_filter_apply(f, p, NULL, &err));
    prof_filter_free(f);
    for (size_t s = 0; s < p->n_samples; s++)
        assert_int_equal(p->labelset[s], 0);
}

static void labels_become_frames(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    size_t n = p->n_locations;
    struct label_frames frames = {
        .root_keys = "job,,user", .leaf_keys = "bytes", .unit = "minimum"};
    assert_true(prof_label_frames(p, &frames, &err));
    assert_true(frames.rooted && frames.leafed);
    assert_string_equal(stacks_text(p),
                        " a  import; b  export;2048 c  ; d import ;"
                        " e  ;");
    /* "" of three keys, two texts of job, one of user and bytes each. */
    assert_int_equal(p->n_locations - n, 7);
    const struct prof_location *l = &p->locations[prof_stack(p, 0)[3]];
    const struct prof_function *f =
        &p->functions[p->lines[l->line_off].function];
    assert_string_equal(prof_cstr(p, f->filename), "job");
}

static void frames_of_numbers_have_units(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    stacks_add_label(p, "f", "size", NULL, 2048, "bytes");
    stacks_add_label(p, "g", "size", NULL, 1536, "bytes");
    struct label_frames frames = {.leaf_keys = "size", .unit = "kb"};
    assert_true(prof_label_frames(p, &frames, &err));
    assert_true(frames.leafed);
    assert_false(frames.rooted);
    assert_string_equal(stacks_text(p), " a; b; c; d; e;2kB f;1.50kB g;");
}

static void keys_that_nobody_has(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    struct label_frames frames = {
        .root_keys = "x", .leaf_keys = ",", .unit = "auto"};
    assert_true(prof_label_frames(p, &frames, &err));
    assert_false(frames.rooted || frames.leafed);
    assert_string_equal(stacks_text(p), "a ;b ;c ;d ;e ;");
}

#define WITH_LABELS(f) cmocka_unit_test_setup_teardown(f, build, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_hold_their_ends),
        cmocka_unit_test(what_is_no_range),
        cmocka_unit_test(a_number_too_large),
        WITH_LABELS(focus_by_key_and_text),
        WITH_LABELS(focus_by_text_of_any_key),
        WITH_LABELS(focus_sees_key_and_text),
        WITH_LABELS(lists),
        WITH_LABELS(ignore_keeps_what_has_no_label),
        WITH_LABELS(focus_by_range),
        WITH_LABELS(ranges_of_another_key),
        cmocka_unit_test(a_bad_expression_is_refused),
        WITH_LABELS(labels_are_taken_off),
        WITH_LABELS(all_labels_are_dropped),
        WITH_LABELS(labels_become_frames),
        WITH_LABELS(frames_of_numbers_have_units),
        WITH_LABELS(keys_that_nobody_has),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shares = true;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
