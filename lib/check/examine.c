/* The order of things, and how findings are told. */
#include "check/examine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/examiner.h"
#include "check/split.h"

bool examiner_nomem(struct examiner *x)
{
    x->failed = true;
    return err_nomem(x->err);
}

/* What is to be expected where a part of the message is not there. */
static bool follows(enum doctor_rule rule)
{
    switch (rule) {
    case RULE_STRING_INDEX:
    case RULE_MAPPING_ANONYMOUS:
    case RULE_FLAG_UNFOUNDED:
    case RULE_FUNCTION_UNNAMED:
    case RULE_DANGLING_MAPPING:
    case RULE_DANGLING_FUNCTION:
    case RULE_DANGLING_LOCATION:
    case RULE_LOCATION_UNMAPPED:
    case RULE_UNUSED_MAPPING:
    case RULE_UNUSED_FUNCTION:
    case RULE_UNUSED_LOCATION:
    case RULE_UNUSED_STRING:
        return true;
    default:
        return false;
    }
}

bool examiner_wants(struct examiner *x, enum doctor_rule rule)
{
    uint64_t n = ++x->counts->of[rule];
    uint64_t most = x->lacks_rest && follows(rule) ? 1 : x->opts->most;
    return x->opts->take && !x->failed && (!most || n <= most);
}

void examiner_tell(struct examiner *x, enum doctor_rule rule, uint64_t amount,
                   const struct doctor_place *place, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const struct doctor_finding f = {rule, *place, amount, text};
    if (!x->opts->take(x->opts->ctx, &f, x->err))
        x->failed = true;
}

const char *examiner_quote(const struct examiner *x, int64_t index,
                           char text[EXAMINER_QUOTE])
{
    enum { SHOWN = 100 }; /* bytes, each of which takes four at most */
    const struct loose_string *s = &x->m.strings.v[index];
    const uint8_t *from = x->m.data + s->at;
    char *to = text;
    *to++ = '"';
    for (size_t i = 0; i < s->n && i < SHOWN; i++) {
        uint8_t c = from[i];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
            *to++ = (char)c;
        else
            to += sprintf(to, "\\x%02x", (unsigned)c);
    }
    (void)snprintf(to, 5, "%s\"", s->n > SHOWN ? "..." : "");
    return text;
}

uint32_t examiner_string(struct examiner *x, int64_t index,
                         const struct doctor_place *at, const char *field)
{
    if (!index)
        return 0;
    if (index > 0 && (uint64_t)index < x->m.strings.n) {
        x->string_used[index] = 1;
        return x->string_id[index];
    }
    struct doctor_place place = place_field(*at, field);
    examiner_found(x, RULE_STRING_INDEX, &place,
                   "is string %" PRId64 ", but the string table has %zu", index,
                   x->m.strings.n);
    return 0;
}

bool doctor_tell(const struct doctor_opts *opts, struct doctor_counts *counts,
                 enum doctor_rule rule, const struct doctor_place *place,
                 const char *text, struct err *err)
{
    struct examiner x = {.opts = opts, .counts = counts, .err = err};
    examiner_found(&x, rule, place, "%s", text);
    return !x.failed;
}

uint64_t doctor_count(const struct doctor_counts *counts,
                      enum doctor_severity severity)
{
    uint64_t n = 0;
    for (size_t i = 0; i < DOCTOR_RULES; i++)
        n += doctor_rules[i].severity == severity ? counts->of[i] : 0;
    return n;
}

static void examiner_free(struct examiner *x)
{
    loose_free(&x->m);
    strtab_free(&x->strings);
    free(x->string_id);
    idmap_free(&x->mapping_of);
    idmap_free(&x->function_of);
    idmap_free(&x->location_of);
    free(x->string_used);
    free(x->mapping_used);
    free(x->function_used);
    free(x->location_used);
}

static bool examine_pieces(struct examiner *x, const struct doctor_pieces *all)
{
    for (size_t i = 0; i + 1 < all->ends.n; i++) {
        struct doctor_place p = PLACE_WHOLE;
        p.offset = all->ends.v[i];
        examiner_found(x, RULE_CONCATENATED, &p,
                       "another profile begins here: number %zu of %zu", i + 2,
                       all->ends.n);
    }
    return !x->failed;
}

bool doctor_examine(const uint8_t *data, size_t n,
                    const struct doctor_opts *opts,
                    struct doctor_counts *counts, struct err *err)
{
    struct examiner x = {.opts = opts, .counts = counts, .err = err};
    struct doctor_pieces pieces = {0};
    bool ok = doctor_split(data, n, &pieces, err);
    if (!ok || pieces.ends.n) {
        ok = ok && examine_pieces(&x, &pieces);
        doctor_pieces_free(&pieces);
        return ok;
    }
    doctor_pieces_free(&pieces);
    if (!strtab_init(&x.strings))
        return err_nomem(err);
    if (examine_wire(&x, data, n) && examine_strings(&x) &&
        examine_header(&x) && examine_mappings(&x) && examine_functions(&x) &&
        examine_locations(&x) && examine_flags(&x) && examine_samples(&x))
        examine_unused(&x);
    examiner_free(&x);
    return !x.failed;
}
