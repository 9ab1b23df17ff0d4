#define PCRE2_CODE_UNIT_WIDTH 8
#include "profile/regex.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "profile/re2syntax.h"

enum {
    /* Backtracking steps; far more than any name takes that matches well. */
    MATCH_LIMIT = 1000000,
    NESTING = 1000, /* of groups, as Go allows */
    /* Compiling to machine code takes as long as this many matches. */
    JIT_AFTER = 2000,
    /* Room of the breadth-first matcher, which bounds its time per byte. */
    BROAD_ROOM = 1 << 12,
};

struct regex {
    char *pattern;
    struct buf translated;
    pcre2_code *code;
    pcre2_code *broad; /* for the breadth-first matcher; null until needed */
    pcre2_match_data *data;
    pcre2_match_context *context;
    unsigned n_matches; /* until JIT_AFTER */
};

static bool compile(const struct regex *re, const struct buf *text,
                    pcre2_code **code, struct err *err)
{
    pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
    if (!cc)
        return err_nomem(err);
    pcre2_set_newline(cc, PCRE2_NEWLINE_LF);
    pcre2_set_parens_nest_limit(cc, NESTING);
    int fault;
    PCRE2_SIZE at;
    *code =
        pcre2_compile(text->v, text->n,
                      PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX,
                      &fault, &at, cc);
    pcre2_compile_context_free(cc);
    if (*code)
        return true;
    if (fault == PCRE2_ERROR_HEAP_FAILED)
        return err_nomem(err);
    /* The syntax was good: an unknown property, or too large. */
    PCRE2_UCHAR why[120];
    (void)pcre2_get_error_message(fault, why, sizeof why);
    return err_set(err, ERR_USAGE, "regexp \"%s\": %s", re->pattern, why);
}

static bool init(struct regex *re, struct err *err)
{
    size_t at;
    const char *what;
    if (!buf_reserve(&re->translated, 1))
        return err_nomem(err);
    if (re2_to_pcre2(re->pattern, &re->translated, &at, &what))
        return compile(re, &re->translated, &re->code, err);
    if (!what)
        return err_nomem(err);
    return err_set(err, ERR_USAGE, "regexp \"%s\": %s at offset %zu",
                   re->pattern, what, at);
}

bool regex_new(struct regex **out, const char *pattern, struct err *err)
{
    *out = NULL;
    struct regex *re = calloc(1, sizeof *re);
    if (!re)
        return err_nomem(err);
    re->pattern = strdup(pattern);
    re->data = pcre2_match_data_create(1, NULL);
    re->context = pcre2_match_context_create(NULL);
    bool ok = (re->pattern && re->data && re->context) || err_nomem(err);
    if (!ok || !init(re, err)) {
        regex_free(re);
        return false;
    }
    pcre2_set_match_limit(re->context, MATCH_LIMIT);
    *out = re;
    return true;
}

void regex_free(struct regex *re)
{
    if (!re)
        return;
    pcre2_code_free(re->code);
    pcre2_code_free(re->broad);
    buf_free(&re->translated);
    pcre2_match_data_free(re->data);
    pcre2_match_context_free(re->context);
    free(re->pattern);
    free(re);
}

/*
 * One pass over the text with all ways to match at once: where to begin is
 * made part of the pattern, so that the time grows with the length only.
 */
static int match_broadly(struct regex *re, const char *text, size_t n)
{
    int room[BROAD_ROOM];
    if (!re->broad) {
        struct buf b = {0};
        bool ok = buf_puts(&b, "\\A(?s:.*?)(?:") &&
                  buf_put(&b, re->translated.v, re->translated.n) &&
                  buf_putc(&b, ')') && compile(re, &b, &re->broad, NULL);
        buf_free(&b);
        if (!ok)
            return PCRE2_ERROR_NOMEMORY;
    }
    return pcre2_dfa_match(re->broad, (PCRE2_SPTR)text, n, 0,
                           PCRE2_DFA_SHORTEST, re->data, re->context, room,
                           BROAD_ROOM);
}

static int match(struct regex *re, const char *text, size_t n)
{
    if (re->n_matches < JIT_AFTER && ++re->n_matches == JIT_AFTER)
        /* Where there is no JIT, matching goes on without. */
        (void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
    int rc =
        pcre2_match(re->code, (PCRE2_SPTR)text, n, 0, 0, re->data, re->context);
    switch (rc) {
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        return match_broadly(re, text, n);
    default:
        return rc;
    }
}

static bool is_utf8_error(int rc)
{
    return rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21;
}

/* Matches with U+FFFD for each byte that belongs to no character. */
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

int regex_match(struct regex *re, const char *text, size_t n, struct err *err)
{
    int rc = match(re, text, n);
    if (is_utf8_error(rc))
        rc = match_repaired(re, text, n);
    if (rc >= 0)
        return 1;
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc == PCRE2_ERROR_NOMEMORY) {
        (void)err_nomem(err);
        return -1;
    }
    PCRE2_UCHAR why[120];
    (void)pcre2_get_error_message(rc, why, sizeof why);
    (void)err_set(err, ERR_USAGE,
                  "regexp \"%s\" is too complex to match \"%.*s\": %s",
                  re->pattern, n < 80 ? (int)n : 80, text, why);
    return -1;
}
