/*
 * Regular expressions: the first line is a pattern, the rest a text.  Ways to
 * write the same pattern match the same, and none takes long.  What a group
 * matches is a part of the text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "profile/columns.h"

/* 1 or 0: whether it matches; -1: that takes too long; -2: no pattern. */
static int match(const char *pattern, const char *text)
{
    struct regex *re;
    struct prof_err err = {0};
    if (!regex_new(&re, pattern, NULL, PROF_ERR_USAGE, &err)) {
        FUZZ_CHECK(!re);
        fuzz_refused(&err);
        return -2;
    }
    int got = regex_match(re, text, strlen(text), &err);
    FUZZ_CHECK(got >= -1 && got <= 1);
    if (got < 0)
        FUZZ_CHECK(strlen(err.text) > 3);
    regex_free(re);
    return got;
}

/* The pattern between two strings. */
static int match_in(const char *before, const char *pattern, const char *after,
                    const char *text)
{
    size_t n = strlen(before) + strlen(pattern) + strlen(after) + 1;
    char *all = malloc(n);
    FUZZ_CHECK(all);
    (void)snprintf(all, n, "%s%s%s", before, pattern, after);
    int got = match(all, text);
    free(all);
    return got;
}

/* What match() returns, but that no pattern is -1 too. */
static int match_group(const char *pattern, const char *text)
{
    struct prof_err err = {0};
    struct prof_slice group, all = {text, strlen(text)};
    int got = prof_regex_group(pattern, all, &group, &err);
    FUZZ_CHECK(got >= -1 && got <= 1);
    if (got < 0)
        FUZZ_CHECK(strlen(err.text) > 3);
    else
        FUZZ_CHECK(!group.n || (group.s >= text && got == 1 &&
                                group.s + group.n <= text + all.n));
    return got;
}

static bool is_utf8(const char *text)
{
    size_t len = 1;
    for (size_t n = strlen(text); n && len; text += len, n -= len)
        len = utf8_char((const uint8_t *)text, n, NULL);
    return len;
}

static bool can_be(int got, int other)
{
    return got == other || got == -1 || other == -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *pattern = fuzz_line(data, n, 0, 1), *text = fuzz_line(data, n, 1, 1);
    const char *subject = text ? text : "";
    int got = match(pattern, subject);
    /* A group is a part of the text as it is, so no text is repaired. */
    FUZZ_CHECK(
        can_be(match_group(pattern, subject), is_utf8(subject) ? got : 0));
    /* What \Q has quoted, and no \E has ended, would quote the bracket. */
    if (got != -2 && !strstr(pattern, "\\Q")) {
        FUZZ_CHECK(can_be(match_in("(?:", pattern, ")", subject), got));
        FUZZ_CHECK(can_be(
            match_in("(", pattern, ")|[^\\x00-\\x{10FFFF}]", subject), got));
        int whole = match_in("\\A(?:", pattern, ")\\z", subject);
        FUZZ_CHECK(whole != -2 && (whole != 1 || got));
    }
    free(pattern);
    free(text);
    return 0;
}
