/* regex.c - matches regular expressions with PCRE2, in limited time */
#include "profile.h"
#include "profile/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/library.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/filter/private.h"

enum {
    /*
     * Backtracking steps for each text and for each of its bytes, as many as
     * ordinary patterns need for names.
     */
    STEPS = 5000,
    STEPS_PER_BYTE = 100,
    MOST_STEPS = 4000000,
    /*
     * Longest text for machine code, in bytes.  Machine code counts a whole
     * repetition as one step, so that the limit does not bound quadratic
     * scans; longer texts are interpreted.
     */
    SHORT = 256,
    HEAP_LIMIT = 64 * 1024, /* KiB for backtracking */
    NESTING = 1000,         /* depth of groups, as in Go */
    /* Compiling to machine code takes as long as this many matches. */
    JIT_AFTER = 2000,
    /* Workspace of the breadth-first matcher, which limits its states. */
    BROAD_ROOM = 1 << 12,
    /* Work of the breadth-first matcher: in total, and for each byte. */
    BROAD_WORK = 100000000,
    BROAD_WORK_PER_BYTE = 1500,
    SHOWN = 80, /* bytes of patterns and names in messages */
};

/* --- PCRE2, loaded for the first regular expression ----------------------- */

#define PCRE_FUNCTIONS(X)                                                      \
    X(pcre2_config)                                                            \
    X(pcre2_compile_context_create)                                            \
    X(pcre2_compile_context_free)                                              \
    X(pcre2_set_newline)                                                       \
    X(pcre2_set_parens_nest_limit)                                             \
    X(pcre2_compile)                                                           \
    X(pcre2_code_free)                                                         \
    X(pcre2_jit_compile)                                                       \
    X(pcre2_match_data_create)                                                 \
    X(pcre2_match_data_free)                                                   \
    X(pcre2_match_context_create)                                              \
    X(pcre2_match_context_free)                                                \
    X(pcre2_set_heap_limit)                                                    \
    X(pcre2_set_match_limit)                                                   \
    X(pcre2_set_callout)                                                       \
    X(pcre2_match)                                                             \
    X(pcre2_dfa_match)                                                         \
    X(pcre2_get_ovector_pointer)                                               \
    X(pcre2_pattern_info)                                                      \
    X(pcre2_get_error_message)

struct pcre {
    PCRE_FUNCTIONS(LIBRARY_MEMBER)
};

static struct pcre pcre = LIBRARY_TABLE(PCRE_FUNCTIONS);
static struct library libpcre2 =
    LIBRARY("PCRE2", "libpcre2-8.so.0", "libpcre2-8-0", PCRE_FUNCTIONS, pcre);

static bool pcre_load(struct prof_err *err)
{
    return library_load(&libpcre2, err);
}

bool prof_regex_version(char text[LIBRARY_VERSION_MAX], struct prof_err *err)
{
    /* PCRE2's manual says that 24 bytes suffice. */
    char version[LIBRARY_VERSION_MAX];
    if (!pcre_load(err))
        return false;
    if (pcre.pcre2_config(PCRE2_CONFIG_VERSION, NULL) > LIBRARY_VERSION_MAX ||
        pcre.pcre2_config(PCRE2_CONFIG_VERSION, version) < 0)
        return err_set(err, PROF_ERR_SYSTEM, "unknown PCRE2 version");
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%s", version);
    return true;
}

struct regex {
    char *pattern;
    const char *what; /* what and kind are as given to regex_new() */
    enum prof_err_kind kind;
    bool groups; /* whether the text of the first group is wanted */
    struct buf translated;
    pcre2_code *code;
    pcre2_code *broad; /* for the breadth-first matcher; null until needed */
    pcre2_match_data *data;
    pcre2_match_context *context;
    bool too_large;     /* too large for PCRE2, but valid */
    uint64_t work;      /* that the breadth-first matcher may do */
    size_t ways, place; /* ways tried so far at this offset of the text */
    unsigned n_matches; /* up to JIT_AFTER */
};

/* Copies text to `shown`, cut to what a message shows. */
static const char *cut(char shown[SHOWN + 4], const char *text, size_t n)
{
    if (n > SHOWN) {
        for (n = SHOWN; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--; /* do not cut a character */
        memcpy(shown + n, "...", 4);
    } else {
        shown[n] = 0;
    }
    memcpy(shown, text, n);
    return shown;
}

static bool compile(struct regex *re, const struct buf *text, uint32_t options,
                    pcre2_code **code, struct prof_err *err)
{
    pcre2_compile_context *cc = pcre.pcre2_compile_context_create(NULL);
    if (!cc)
        return err_nomem(err);
    pcre.pcre2_set_newline(cc, PCRE2_NEWLINE_LF);
    pcre.pcre2_set_parens_nest_limit(cc, NESTING);
    int fault;
    PCRE2_SIZE at;
    *code = pcre.pcre2_compile(text->v, text->n,
                               PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
                                   PCRE2_ALT_CIRCUMFLEX | options,
                               &fault, &at, cc);
    pcre.pcre2_compile_context_free(cc);
    if (*code)
        return true;
    if (fault == PCRE2_ERROR_HEAP_FAILED)
        return err_nomem(err);
    re->too_large = fault == PCRE2_ERROR_PATTERN_TOO_LARGE ||
                    fault == PCRE2_ERROR_PATTERN_TOO_COMPLICATED;
    /* The syntax is valid: a property is unknown or a limit is exceeded. */
    PCRE2_UCHAR why[120] = TEXT("groups are nested too deeply");
    if (fault != PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP &&
        fault != PCRE2_ERROR_QUERY_BARJX_NEST_TOO_DEEP)
        (void)pcre.pcre2_get_error_message(fault, why, sizeof why);
    char shown[SHOWN + 4];
    return err_set(err, re->kind, "invalid regular expression '%s': %s",
                   cut(shown, re->pattern, strlen(re->pattern)), why);
}

static bool compile_pattern(struct regex *re, struct prof_err *err)
{
    size_t at;
    const char *what;
    if (!buf_reserve(&re->translated, 1))
        return err_nomem(err);
    if (re2_to_pcre2(re->pattern, re->groups, &re->translated, &at, &what))
        /* Without possessive repetitions, all backtracking counts as steps. */
        return compile(re, &re->translated, PCRE2_NO_AUTO_POSSESS, &re->code,
                       err);
    if (!what)
        return err_nomem(err);
    char shown[SHOWN + 4];
    return err_set(err, re->kind,
                   "invalid regular expression '%s': %s at offset %zu",
                   cut(shown, re->pattern, strlen(re->pattern)), what, at);
}

/*
 * Counts the work of the breadth-first matcher, which calls this before each
 * step.  A step compares a way to match with all others at the same place of
 * the text, so it costs as many.
 */
static int count_work(pcre2_callout_block *block, void *ctx)
{
    struct regex *re = ctx;
    if (block->current_position != re->place)
        re->ways = 0;
    re->place = block->current_position;
    if (++re->ways > re->work)
        return PCRE2_ERROR_MATCHLIMIT;
    re->work -= re->ways;
    return 0;
}

/* Makes a regex after pcre_load().  Returns null if *err is set. */
static struct regex *regex_make(const char *pattern, bool groups,
                                enum prof_err_kind kind, struct prof_err *err)
{
    struct regex *re = mem_new(sizeof *re, err);
    if (!re)
        return NULL;
    re->kind = kind;
    re->groups = groups;
    re->pattern = strdup(pattern);
    re->data = pcre.pcre2_match_data_create(groups ? 2 : 1, NULL);
    re->context = pcre.pcre2_match_context_create(NULL);
    bool ok = (re->pattern && re->data && re->context) || err_nomem(err);
    if (!ok || !compile_pattern(re, err)) {
        regex_free(re);
        return NULL;
    }
    pcre.pcre2_set_heap_limit(re->context, HEAP_LIMIT);
    pcre.pcre2_set_callout(re->context, count_work, re);
    re->work = BROAD_WORK;
    return re;
}

bool regex_new(struct regex **out, const char *pattern, const char *what,
               enum prof_err_kind kind, struct prof_err *err)
{
    *out = NULL;
    if (!pcre_load(err))
        return false;
    *out = regex_make(pattern, false, kind, err);
    if (!*out)
        return what ? err_prefix(err, "%s: ", what) : false;
    (*out)->what = what;
    return true;
}

bool regex_check(const char *pattern, struct prof_err *err)
{
    if (!pcre_load(err))
        return false;
    struct regex *re = calloc(1, sizeof *re);
    if (!re || !(re->pattern = strdup(pattern))) {
        regex_free(re);
        return err_nomem(err);
    }
    re->kind = PROF_ERR_USAGE;
    bool ok = compile_pattern(re, err) || re->too_large;
    regex_free(re);
    return ok;
}

void regex_free(struct regex *re)
{
    if (!re)
        return;
    pcre.pcre2_code_free(re->code);
    pcre.pcre2_code_free(re->broad);
    buf_free(&re->translated);
    pcre.pcre2_match_data_free(re->data);
    pcre.pcre2_match_context_free(re->context);
    free(re->pattern);
    free(re);
}

/*
 * Follows all ways to match at once in one pass over the text.  The pattern
 * itself skips to where a match begins, so the time grows only with the length
 * and with the number of ways, which is counted.
 */
static int match_broadly(struct regex *re, const char *text, size_t n)
{
    int room[BROAD_ROOM];
    if (!re->broad) {
        struct buf b = {0};
        bool ok = buf_puts(&b, "\\A(?s:.*?)(?:") &&
                  buf_put(&b, re->translated.v, re->translated.n) &&
                  buf_putc(&b, ')') &&
                  compile(re, &b, PCRE2_AUTO_CALLOUT, &re->broad, NULL);
        buf_free(&b);
        if (!ok) /* too large with callouts */
            return PCRE2_ERROR_DFA_WSSIZE;
    }
    re->work += (uint64_t)n * BROAD_WORK_PER_BYTE;
    re->ways = 0;
    return pcre.pcre2_dfa_match(re->broad, (PCRE2_SPTR)text, n, 0,
                                PCRE2_DFA_SHORTEST, re->data, re->context, room,
                                BROAD_ROOM);
}

/* Returns whether PCRE2 reached a limit of steps or memory. */
static bool is_limit(int rc)
{
    return rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT ||
           rc == PCRE2_ERROR_HEAPLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT ||
           rc == PCRE2_ERROR_DFA_WSSIZE;
}

/* Matches by backtracking. */
static int match_steps(struct regex *re, const char *text, size_t n)
{
    if (re->n_matches < JIT_AFTER && ++re->n_matches == JIT_AFTER)
        /* Without a JIT, matching goes on as before. */
        (void)pcre.pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
    uint32_t steps = MOST_STEPS;
    if (n < (MOST_STEPS - STEPS) / STEPS_PER_BYTE)
        steps = STEPS + (uint32_t)n * STEPS_PER_BYTE;
    pcre.pcre2_set_match_limit(re->context, steps);
    uint32_t options = n > SHORT ? PCRE2_NO_JIT : 0;
    /* PCRE2 takes longer to check most texts than to match them. */
    if (utf8_plain((PCRE2_SPTR)text, n) == n)
        options |= PCRE2_NO_UTF_CHECK;
    return pcre.pcre2_match(re->code, (PCRE2_SPTR)text, n, 0, options, re->data,
                            re->context);
}

/* Matches by backtracking, or breadth-first if that reaches a limit. */
static int match(struct regex *re, const char *text, size_t n)
{
    int rc = match_steps(re, text, n);
    if (!is_limit(rc))
        return rc;
    rc = match_broadly(re, text, n);
    return is_limit(rc) ? PCRE2_ERROR_MATCHLIMIT : rc;
}

/* Matches with U+FFFD for each byte that is not valid UTF-8. */
static int match_repaired(struct regex *re, const char *text, size_t n)
{
    struct buf repaired = {0};
    bool ok = true;
    for (size_t at = 0; ok && at < n;) {
        size_t len = utf8_char((const uint8_t *)text + at, n - at, NULL);
        ok = len ? buf_put(&repaired, text + at, len)
                 : buf_puts(&repaired, "\xef\xbf\xbd");
        at += len ? len : 1;
    }
    int rc = PCRE2_ERROR_NOMEMORY;
    if (ok)
        rc = match(re, (const char *)repaired.v, repaired.n);
    buf_free(&repaired);
    return rc;
}

/* Returns what regex_match() returns for PCRE2's `rc`. */
static int result_of(const struct regex *re, int rc, const char *text, size_t n,
                     struct prof_err *err)
{
    if (rc >= 0)
        return 1;
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc == PCRE2_ERROR_NOMEMORY) {
        (void)err_nomem(err);
        return -1;
    }
    PCRE2_UCHAR why[120];
    (void)pcre.pcre2_get_error_message(rc, why, sizeof why);
    char pattern[SHOWN + 4], shown[SHOWN + 4];
    (void)err_set(
        err, re->kind,
        "%s%sregular expression '%s' is too complex to match '%s': %s",
        re->what ? re->what : "", re->what ? ": " : "",
        cut(pattern, re->pattern, strlen(re->pattern)), cut(shown, text, n),
        why);
    return -1;
}

static bool is_not_utf8(int rc)
{
    return rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21;
}

int regex_match(struct regex *re, const char *text, size_t n,
                struct prof_err *err)
{
    int rc = match(re, text, n);
    if (is_not_utf8(rc))
        rc = match_repaired(re, text, n);
    return result_of(re, rc, text, n, err);
}

int prof_regex_group(const char *pattern, struct prof_slice text,
                     struct prof_slice *group, struct prof_err *err)
{
    if (!pcre_load(err))
        return -1;
    struct regex *re = regex_make(pattern, true, PROF_ERR_USAGE, err);
    if (!re)
        return -1;
    /* The breadth-first matcher does not capture groups. */
    int rc = match_steps(re, text.s, text.n);
    /* Where a group was in a repaired text says nothing about this one. */
    if (is_not_utf8(rc))
        rc = PCRE2_ERROR_NOMATCH;
    int found = result_of(re, rc, text.s, text.n, err);
    uint32_t n_groups = 0;
    (void)pcre.pcre2_pattern_info(re->code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
    *group = (struct prof_slice){"", 0};
    if (found == 1) {
        const PCRE2_SIZE *at = pcre.pcre2_get_ovector_pointer(re->data);
        at += n_groups ? 2 : 0;
        if (at[0] != PCRE2_UNSET) /* else the group is not part of the match */
            *group = (struct prof_slice){text.s + at[0], at[1] - at[0]};
    }
    regex_free(re);
    return found;
}
