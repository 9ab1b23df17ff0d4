#include "repair_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "pb_oracle.h"
#include "profile/check/repair.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

/* Types of which sums are compared; more are not told. */
enum { MAX_TYPES = 16 };

struct prof_check_counts count_rules(const uint8_t *data, size_t n)
{
    const struct prof_check_opts opts = {0};
    struct prof_check_counts counts = {0};
    struct prof_err err;
    assert_true(prof_check(data, n, &opts, &counts, &err));
    return counts;
}

static bool decodes(const uint8_t *data, size_t n)
{
    struct profile p;
    struct prof_err err;
    bool ok = pb_decode(data, n, &p, NULL, &err);
    prof_free(&p);
    return ok;
}

/*
 * What our decoder reads although pprof does not: a function or location
 * that has id 0 and that nothing else has, a line without function, a time
 * given twice in what may be two profiles, sums that only a merge makes.
 */
static uint64_t read_all_the_same(const struct prof_check_counts *c)
{
    return c->of[RULE_ID_ZERO] + c->of[RULE_LINE_WITHOUT_FUNCTION] +
           c->of[RULE_DANGLING_FUNCTION] + c->of[RULE_REPEATED_TIME] +
           c->of[RULE_SAMPLE_OVERFLOW];
}

/* --- notes on a repaired message --------------------------------------------
 */

struct told {
    size_t n_repaired, n_types;
    bool accounted, overflown; /* a sum does not fit 64 bits */
    int64_t kept[MAX_TYPES], lost[MAX_TYPES];
};

/* "; NAME/UNIT: 30 kept, 12 lost" for each type; names are any bytes. */
static void say(void *ctx, enum prof_note_level level, const char *text)
{
    struct told *t = ctx;
    if (level == PROF_NOTE_INFO)
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

/* Of the repaired message. */
struct result {
    struct buf bytes;
    int64_t total[MAX_TYPES];
};

static struct result result_of(const struct profile *p)
{
    struct result r = {.bytes = profile_bytes(p)};
    struct prof_err err;
    if (!check_profile(p, &err))
        fail_msg("%s", err.text);
    for (size_t s = 0; s < p->n_samples; s++)
        for (size_t i = 0; i < p->n_types && i < MAX_TYPES; i++)
            r.total[i] = (int64_t)((uint64_t)r.total[i] +
                                   (uint64_t)p->values[s * p->n_types + i]);
    return r;
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
    if (!told->accounted || told->overflown ||
        !totals(data, n, total, &n_types) || told->n_types != n_types)
        return false;
    for (size_t i = 0; i < n_types; i++) {
        assert_true(told->kept[i] == r->total[i]);
        assert_true((uint64_t)told->kept[i] + (uint64_t)told->lost[i] ==
                    (uint64_t)total[i]);
    }
    return true;
}

static enum verdict repair(const uint8_t *data, size_t n, bool *compared)
{
    struct told told = {0};
    const struct prof_notes notes = {.say = say, .ctx = &told};
    struct profile p;
    struct prof_err err;
    bool repaired = repair_message(data, n, &p, &notes, &err);
    if (!repaired) {
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        assert_says(err.text, "cannot be repaired: ");
    } else {
        struct result r = result_of(&p);
        struct prof_check_counts after = count_rules(r.bytes.v, r.bytes.n);
        assert_true(!r.bytes.n ||
                    after.errors == after.of[RULE_SAMPLE_OVERFLOW]);
        *compared = check_totals(data, n, &told, &r);
        buf_free(&r.bytes);
    }
    prof_free(&p);
    return repaired ? VERDICT_REPAIRED : VERDICT_REFUSED;
}

enum verdict decide_message(const uint8_t *data, size_t n, bool *compared)
{
    struct prof_check_counts counts = count_rules(data, n);
    uint64_t errors = counts.errors;
    bool ok = decodes(data, n);
    *compared = false;
    if (!errors)
        assert_true(ok);
    if (ok)
        assert_true(errors == read_all_the_same(&counts));
    enum verdict verdict = repair(data, n, compared);
    assert_true(errors || verdict == VERDICT_REPAIRED);
    return errors ? verdict : VERDICT_SOUND;
}
