/*
 * Focus, ignore, hide, show and show_from; prune and prune_from.  The
 * results follow from the rules that pprof documents with its functions.
 */
#include <string.h>

#include "profile/columns.h"
#include "profile/filter/private.h"
#include "said.h"
#include "stacks.h"
#include "unit.h"

/* Three stacks with inlining, a file, and a mapping without symbols. */
static int build(void **state)
{
    static struct profile p;
    struct prof_err err;
    if (!prof_init(&p, &err))
        return -1;
    stacks_add(&p, "alloc<grow push main@m.c", 1);
    stacks_add(&p, "sort main@m.c", 2);
    stacks_add(&p, "[libz] push main@m.c", 3);
    stacks_add(&p, "", 4);
    *state = &p;
    return 0;
}

static int drop(void **state)
{
    prof_free(*state);
    return 0;
}

static struct regex *regex(const char *pattern)
{
    struct regex *re = NULL;
    struct prof_err err;
    if (pattern && !regex_new(&re, pattern, NULL, PROF_ERR_USAGE, &err))
        fail_msg("%s", err.text);
    return re;
}

/* Each test also runs with stacks that share frames: all that they can, and
 * less than that. */
static enum { SHARE_NOTHING, SHARE_ALL, SHARE_LESS, FORMS } form;

static void share(struct profile *p)
{
    if (form != SHARE_NOTHING && !p->shared)
        stacks_share(p, form == SHARE_ALL);
}

static void filter(struct profile *p, const char *focus, const char *ignore,
                   const char *hide, const char *show, struct frame_matches *m)
{
    struct frame_filter f = {.focus = regex(focus),
                             .ignore = regex(ignore),
                             .hide = regex(hide),
                             .show = regex(show),
                             .threads = 3};
    struct prof_err err;
    share(p);
    if (!prof_filter_frames(p, &f, m, &err))
        fail_msg("%s", err.text);
    regex_free(f.focus);
    regex_free(f.ignore);
    regex_free(f.hide);
    regex_free(f.show);
}

/* What prof_filter_frames() makes of the profile. */
static const char *filtered(struct profile *p, const char *focus,
                            const char *ignore, const char *hide,
                            const char *show, struct frame_matches *m)
{
    filter(p, focus, ignore, hide, show, m);
    return stacks_text(p);
}

static void focus_by_function(void **state)
{
    struct frame_matches m;
    assert_string_equal(filtered(*state, "^grow$", NULL, NULL, NULL, &m),
                        "alloc<grow push main;");
    assert_true(m.focus);
    assert_int_equal(((struct profile *)*state)->values[0], 1);
}

static void focus_by_mapping_keeps_values(void **state)
{
    struct frame_matches m;
    struct profile *p = *state;
    assert_string_equal(filtered(p, "libz", NULL, NULL, NULL, &m),
                        "? push main;");
    assert_int_equal(p->n_samples, 1);
    assert_int_equal(p->values[0], 3);
    assert_int_equal(p->n_frames, 3);
}

static void focus_by_file_and_ignore(void **state)
{
    struct frame_matches m;
    assert_string_equal(filtered(*state, "m\\.c", "sort", NULL, NULL, &m),
                        "alloc<grow push main;? push main;");
    assert_true(m.focus && m.ignore);
}

/* A location that is ignored does not count for focus. */
static void ignored_matches_do_not_focus(void **state)
{
    struct frame_matches m;
    assert_string_equal(filtered(*state, "sort", "sort", NULL, NULL, &m), "");
    assert_false(m.focus);
    assert_true(m.ignore);
}

/* Where samples may stay those that go have no values left. */
static void samples_that_go_may_stay_as_zeros(void **state)
{
    struct profile *p = *state;
    struct frame_filter f = {.focus = regex("m\\.c"),
                             .ignore = regex("sort"),
                             .zero = true,
                             .threads = 2};
    struct frame_matches m;
    struct prof_err err;
    share(p);
    assert_true(prof_filter_frames(p, &f, &m, &err));
    assert_true(m.focus && m.ignore);
    assert_string_equal(stacks_text(p), "alloc<grow push main;sort main;"
                                        "? push main;;");
    const int64_t want[] = {1, 0, 3, 0};
    assert_int_equal(p->n_samples, 4);
    assert_memory_equal(p->values, want, sizeof want);
    f.hide = regex("push"); /* stacks change: they are moved */
    assert_true(prof_filter_frames(p, &f, &m, &err));
    assert_string_equal(stacks_text(p), "alloc<grow main;? main;");
    regex_free(f.focus);
    regex_free(f.ignore);
    regex_free(f.hide);
}

static void hide_takes_lines_and_frames(void **state)
{
    struct frame_matches m;
    assert_string_equal(
        filtered(*state, NULL, NULL, "alloc|push|sort", NULL, &m),
        "grow main;main;? main;");
    assert_true(m.hide);
}

static void hide_takes_samples_without_frames(void **state)
{
    struct frame_matches m;
    assert_string_equal(filtered(*state, NULL, NULL, "sort|m\\.c", NULL, &m),
                        "alloc<grow push;? push;");
}

/* Nothing shows that an address is what was asked for. */
/* More samples than one thread takes at a time: each third has the leaf. */
static void many_samples_in_order(void **state)
{
    enum { MANY = 30000 };
    struct frame_matches m;
    struct profile *p = *state;
    p->n_samples = p->n_frames = 0;
    for (int64_t i = 0; i < MANY; i++)
        stacks_add(p, i % 3 ? "sort main" : "alloc main", i);
    filter(p, "alloc", NULL, "main", NULL, &m);
    assert_int_equal(p->n_samples, MANY / 3);
    assert_int_equal(p->n_frames, MANY / 3);
    for (size_t s = 0; s < p->n_samples; s++) {
        assert_int_equal(p->values[s], 3 * s);
        assert_int_equal(prof_depth(p, s), 1);
    }
}

/* Stacks that share much are judged as if they did not, and share again. */
static void some_of_many(void **state)
{
    enum { MANY = 9000 };
    static const char *const stacks[] = {
        "a b c d", "x b c d", "b c d", "d",       "a b d",
        "a b c d", "e c d",   "c d",   "x e c d", "",
    };
    enum { STACKS = sizeof stacks / sizeof *stacks };
    struct frame_matches m;
    struct profile *p = *state;
    p->n_samples = p->n_frames = 0;
    for (size_t i = 0; i < MANY; i++)
        stacks_add(p, stacks[i % STACKS], (int64_t)i);
    filter(p, "^[be]$", "^a$", NULL, NULL, &m);
    static const size_t kept[] = {1, 2, 6, 8};
    static const size_t depth[] = {4, 3, 3, 4};
    assert_int_equal(p->n_samples, MANY / STACKS * 4);
    assert_true(!p->shared == (form == SHARE_NOTHING));
    assert_true(prof_unshare(p, NULL));
    for (size_t s = 0; s < p->n_samples; s++) {
        assert_int_equal(p->values[s], s / 4 * STACKS + kept[s % 4]);
        assert_int_equal(prof_depth(p, s), depth[s % 4]);
    }
    p->n_samples = 4;
    assert_string_equal(stacks_text(p), "x b c d;b c d;e c d;x e c d;");
}

static void show_takes_what_has_no_lines(void **state)
{
    struct frame_matches m;
    assert_string_equal(
        filtered(*state, NULL, NULL, NULL, "push|alloc|libz", &m),
        "alloc push;push;");
    assert_true(m.show);
}

static void nothing_asked_nothing_done(void **state)
{
    struct frame_matches m;
    assert_string_equal(filtered(*state, NULL, NULL, NULL, NULL, &m),
                        "alloc<grow push main;sort main;? push main;;");
}

static const char *shown_from(struct profile *p, const char *pattern,
                              bool *matched)
{
    struct frame_filter f = {.show_from = regex(pattern)};
    struct frame_matches m;
    struct prof_err err;
    share(p);
    if (!prof_filter_frames(p, &f, &m, &err))
        fail_msg("%s", err.text);
    *matched = m.show_from;
    regex_free(f.show_from);
    return stacks_text(p);
}

static void show_from_cuts_callers(void **state)
{
    bool matched;
    assert_string_equal(shown_from(*state, "alloc|libz", &matched), "alloc;?;");
    assert_true(matched);
}

static void show_from_the_outermost(void **state)
{
    bool matched;
    struct profile *p = *state;
    stacks_add(p, "b a b c", 1);
    assert_string_equal(shown_from(p, "^b$", &matched), "b a b;");
}

static void show_from_without_match(void **state)
{
    bool matched;
    assert_string_equal(shown_from(*state, "nobody", &matched), "");
    assert_false(matched);
}

static const char *pruned(struct profile *p, const char *drop_frames,
                          const char *keep_frames)
{
    struct prof_err err;
    assert_true(prof_str(p, drop_frames, &p->drop_frames, &err));
    assert_true(prof_str(p, keep_frames, &p->keep_frames, &err));
    share(p);
    if (!prof_prune_own(p, &err))
        fail_msg("%s", err.text);
    return stacks_text(p);
}

static void prune_drops_what_matches_and_beneath(void **state)
{
    assert_string_equal(pruned(*state, "push|sor", ""),
                        "main;sort main;main;;");
}

static void prune_matches_lines(void **state)
{
    assert_string_equal(pruned(*state, "alloc", ""),
                        "grow push main;sort main;? push main;;");
}

static void prune_keeps_exceptions(void **state)
{
    assert_string_equal(pruned(*state, "p.*|s.*", "sort"),
                        "main;sort main;main;;");
}

/* Matches outside the first frame that does not match are left alone. */
static void prune_leaves_a_root(void **state)
{
    assert_string_equal(pruned(*state, "main|sort|push", ""),
                        "alloc<grow push main;sort main;? push main;;");
}

static void prune_counts_from_the_root(void **state)
{
    struct profile *p = *state;
    stacks_add(p, "e b d b c", 1);
    assert_string_equal(pruned(p, "b", ""), "alloc<grow push main;sort main;"
                                            "? push main;;c;");
}

static void prune_sees_simple_names(void **state)
{
    struct profile *p = *state;
    p->n_samples = p->n_frames = 0;
    stacks_add(p, "f(int) root", 1);
    stacks_add(p, ".g root", 1);
    stacks_add(p, "(anonymous~namespace)::h(a(b)) root", 1);
    stacks_add(p, "s::operator()(int) root", 1);
    stacks_add(p, "i(int) root", 1);
    const char *drop_frames = "f|g|s::operator\\(\\)|i\\(int\\)|"
                              "\\(anonymous namespace\\)::h";
    assert_string_equal(pruned(p, drop_frames, ""),
                        "root;root;root;root;i(int) root;");
}

static void prune_refuses_a_bad_regexp(void **state)
{
    struct profile *p = *state;
    struct prof_err err;
    assert_true(prof_str(p, "a(", &p->drop_frames, &err));
    assert_false(prof_prune_own(p, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, "drop_frames of the profile: invalid regular "
                          "expression '^(a()$': unclosed '(' at offset 1");
}

static const char *pruned_from(struct profile *p, const char *pattern,
                               bool *matched)
{
    struct regex *re = regex(pattern);
    struct prof_err err;
    share(p);
    if (!prof_prune_from(p, re, matched, &err))
        fail_msg("%s", err.text);
    regex_free(re);
    return stacks_text(p);
}

static void prune_from_keeps_the_match(void **state)
{
    bool matched;
    assert_string_equal(pruned_from(*state, "push|grow", &matched),
                        "grow push main;sort main;push main;;");
    assert_true(matched);
    assert_string_equal(pruned_from(*state, "nobody", &matched),
                        "grow push main;sort main;push main;;");
    assert_false(matched);
}

/* The match next to the leaf counts; parameters are not looked at. */
static void prune_from_counts_from_the_leaf(void **state)
{
    bool matched;
    struct profile *p = *state;
    p->n_samples = p->n_frames = 0;
    stacks_add(p, "a b(x) c b(x) d", 1);
    assert_string_equal(pruned_from(p, "b$|x", &matched), "b(x) c b(x) d;");
}

#define WITH_STACKS(f) cmocka_unit_test_setup_teardown(f, build, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STACKS(focus_by_function),
        WITH_STACKS(focus_by_mapping_keeps_values),
        WITH_STACKS(focus_by_file_and_ignore),
        WITH_STACKS(ignored_matches_do_not_focus),
        WITH_STACKS(samples_that_go_may_stay_as_zeros),
        WITH_STACKS(hide_takes_lines_and_frames),
        WITH_STACKS(hide_takes_samples_without_frames),
        WITH_STACKS(many_samples_in_order),
        WITH_STACKS(some_of_many),
        WITH_STACKS(show_takes_what_has_no_lines),
        WITH_STACKS(nothing_asked_nothing_done),
        WITH_STACKS(show_from_cuts_callers),
        WITH_STACKS(show_from_the_outermost),
        WITH_STACKS(show_from_without_match),
        WITH_STACKS(prune_drops_what_matches_and_beneath),
        WITH_STACKS(prune_matches_lines),
        WITH_STACKS(prune_keeps_exceptions),
        WITH_STACKS(prune_leaves_a_root),
        WITH_STACKS(prune_counts_from_the_root),
        WITH_STACKS(prune_sees_simple_names),
        WITH_STACKS(prune_refuses_a_bad_regexp),
        WITH_STACKS(prune_from_keeps_the_match),
        WITH_STACKS(prune_from_counts_from_the_leaf),
    };
    int failed = 0;
    for (; form < FORMS; form++)
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
