#include "doctor_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/mend.h"
#include "pb/pb.h"
#include "pb_oracle.h"
#include "prof_check.h"
#include "random_profile.h"

/* Types of which sums are compared; more are not told. */
enum { MAX_TYPES = 16 };

struct doctor_counts doctor_counted(const uint8_t *data, size_t n)
{
    const struct doctor_opts opts = {0};
    struct doctor_counts counts = {{0}};
    struct err err;
    assert_true(doctor_examine(data, n, &opts, &counts, &err));
    return counts;
}

static bool decodes(const uint8_t *data, size_t n)
{
    struct profile p;
    struct err err;
    bool ok = pb_decode(data, n, &p, NULL, &err);
    prof_free(&p);
    return ok;
}

/*
 * What our decoder reads although pprof does not: a function or location
 * that has id 0 and that nothing else has, a line without function, a time
 * given twice in what may be two profiles.
 */
static uint64_t read_all_the_same(const struct doctor_counts *c)
{
    return c->of[RULE_ID_ZERO] + c->of[RULE_LINE_WITHOUT_FUNCTION] +
           c->of[RULE_DANGLING_FUNCTION] + c->of[RULE_REPEATED_TIME];
}

/* --- what is told of a mended message ---------------------------------------
 */

struct told {
    size_t n_repaired, n_types;
    bool accounted, overflown; /* a sum does not fit 64 bits */
    int64_t kept[MAX_TYPES], lost[MAX_TYPES];
};

/* "; NAME/UNIT: 30 kept, 12 lost" for each type; names are any bytes. */
static void say(void *ctx, enum note_level level, const char *text)
{
    struct told *t = ctx;
    if (level == NOTE_INFO)
        return;
    if (!strncmp(text, "repaired: ", 10)) {
        t->n_repaired++;
        return;
    }
    if (strncmp(text, "samples: ", 9) != 0)
        return;
    t->accounted = true;
    t->overflown = strstr(text, "more than 64 bits");
    for (const char *at = strstr(text, "; ");
         at && (at = strstr(at, " kept, ")) && t->n_types < MAX_TYPES;
         at += 7) {
        const char *number = at;
        while (number[-1] != ' ')
            number--;
        t->kept[t->n_types] = strtoll(number, NULL, 10);
        t->lost[t->n_types++] = strtoll(at + 7, NULL, 10);
    }
}

/* Of one message. */
struct result {
    struct buf bytes;
    size_t n;
    int64_t total[MAX_TYPES];
};

static bool take(void *ctx, struct profile *p, struct err *err)
{
    struct result *r = ctx;
    if (!prof_check(p, err))
        fail_msg("%s", err->text);
    buf_free(&r->bytes);
    r->bytes = profile_bytes(p);
    r->n++;
    for (size_t s = 0; s < p->n_samples; s++)
        for (size_t i = 0; i < p->n_types && i < MAX_TYPES; i++)
            r->total[i] = (int64_t)((uint64_t)r->total[i] +
                                    (uint64_t)p->values[s * p->n_types + i]);
    return true;
}

/*
 * What protobuf-c reads of the samples that have a value for each type; false
 * where it reads something else than a message.
 */
static bool totals(const uint8_t *data, size_t n, int64_t *total,
                   size_t *n_types)
{
    if (pb_is_no_message(wire_of(data, n),
                         &perftools__profiles__profile__descriptor))
        return false;
    Perftools__Profiles__Profile *m =
        perftools__profiles__profile__unpack(NULL, n, data);
    if (!m)
        return false;
    *n_types = m->n_sample_type;
    bool few = *n_types <= MAX_TYPES;
    for (size_t s = 0; few && s < m->n_sample; s++)
        for (size_t i = 0;
             m->sample[s]->n_value == m->n_sample_type && i < m->n_sample_type;
             i++)
            total[i] = (int64_t)((uint64_t)total[i] +
                                 (uint64_t)m->sample[s]->value[i]);
    perftools__profiles__profile__free_unpacked(m, NULL);
    return few;
}

/* False: they cannot be compared. */
static bool check_totals(const uint8_t *data, size_t n, const struct told *told,
                         const struct result *r)
{
    int64_t total[MAX_TYPES] = {0};
    size_t n_types = 0;
    if (!told->accounted || told->overflown || r->n != 1 ||
        !totals(data, n, total, &n_types) || told->n_types != n_types)
        return false;
    for (size_t i = 0; i < n_types; i++) {
        assert_true(told->kept[i] == r->total[i]);
        assert_true((uint64_t)told->kept[i] + (uint64_t)told->lost[i] ==
                    (uint64_t)total[i]);
    }
    return true;
}

static enum doctor_verdict mend(const uint8_t *data, size_t n, bool *compared)
{
    struct told told = {0};
    const struct notes notes = {.say = say, .ctx = &told};
    struct result r = {.n = 0};
    struct err err;
    bool mended = doctor_mend(data, n, &notes, take, &r, &err);
    if (!mended) {
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, "cannot be repaired: "));
    } else {
        struct doctor_counts after = doctor_counted(r.bytes.v, r.bytes.n);
        assert_true(r.n >= 1);
        assert_true(!r.bytes.n || !doctor_count(&after, DOCTOR_ERROR));
        *compared = check_totals(data, n, &told, &r);
    }
    buf_free(&r.bytes);
    return mended ? DOCTOR_MENDED : DOCTOR_REFUSED;
}

enum doctor_verdict doctor_decide(const uint8_t *data, size_t n, bool *compared)
{
    struct doctor_counts counts = doctor_counted(data, n);
    uint64_t errors = doctor_count(&counts, DOCTOR_ERROR);
    bool ok = decodes(data, n);
    *compared = false;
    if (!errors)
        assert_true(ok);
    if (ok)
        assert_true(errors == read_all_the_same(&counts));
    enum doctor_verdict verdict = mend(data, n, compared);
    assert_true(errors || verdict == DOCTOR_MENDED);
    return errors ? verdict : DOCTOR_SOUND;
}
