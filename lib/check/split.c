#include "check/split.h"

#include <string.h>

#include "pb/fields.h"
#include "pb/pb.h"
#include "pb/scan.h"

enum way { AT_DROP, AT_TABLE_END, WAYS };

/* The fields of the message as they pass by. */
struct walk {
    struct wire w;
    uint32_t key, number; /* of the field at hand */
    const uint8_t *at;    /* where it begins */
    uint64_t length;      /* of its bytes */
};

static bool next(struct walk *k)
{
    k->at = k->w.at;
    if (wire_done(&k->w))
        return false;
    const uint8_t *p =
        scan_field(k->at, &k->w, k->w.end, &k->key, &k->length, NULL);
    if (!p)
        return false;
    k->number = k->key >> 3;
    k->w.at = p + scan_rest(k->key, k->length);
    return true;
}

static bool is_string(const struct walk *k)
{
    return k->key == SCAN_BYTES(PROFILE_STRING_TABLE);
}

/* Of several single numbers or types one would be lost. */
static bool has_twice(const uint8_t *data, size_t n)
{
    struct walk k = {.w = wire_of(data, n)};
    uint32_t seen = 0;
    while (next(&k)) {
        if (k.number < PROFILE_DROP_FRAMES || k.number > PROFILE_DOC_URL ||
            k.number == PROFILE_COMMENT)
            continue;
        if (seen >> k.number & 1)
            return true;
        seen |= (uint32_t)1 << k.number;
    }
    return false;
}

static bool is_sound(const uint8_t *data, size_t n, struct err *err)
{
    struct profile p;
    if (!n || has_twice(data, n))
        return err_set(err, ERR_INPUT, "this is not one profile");
    bool ok = pb_decode(data, n, &p, NULL, err) &&
              (p.n_types || err_set(err, ERR_INPUT, "nothing is measured"));
    prof_free(&p);
    return ok;
}

/*
 * Where the message at `data` ends, before the table of the next one begins;
 * n if there is none.
 */
static size_t end_of_message(const uint8_t *data, size_t n, enum way way)
{
    struct walk k = {.w = wire_of(data, n)};
    const uint8_t *table_end = NULL, *drop = NULL;
    uint32_t before = 0;
    while (next(&k)) {
        if (is_string(&k) && !k.length && table_end)
            return (size_t)((way == AT_DROP && drop ? drop : table_end) - data);
        if (table_end && !drop && k.number < before)
            drop = k.at;
        if (is_string(&k)) {
            table_end = k.w.at;
            drop = NULL;
        }
        before = k.number;
    }
    return n;
}

/* Cuts all of it in this way; without ends where that makes no profiles. */
static bool cut(const uint8_t *data, size_t n, enum way way,
                struct doctor_pieces *pieces, struct err *err)
{
    struct err why;
    pieces->ends.n = 0;
    for (size_t from = 0; from < n;) {
        size_t to = from + end_of_message(data + from, n - from, way);
        if (to == from || (!from && to == n) ||
            !is_sound(data + from, to - from, &why)) {
            pieces->ends.n = 0;
            return to == from || (!from && to == n) || !err_is_nomem(&why) ||
                   err_nomem(err);
        }
        if (!vec_push(&pieces->ends, to))
            return err_nomem(err);
        from = to;
    }
    return true;
}

static bool are_equal(const struct doctor_pieces *a,
                      const struct doctor_pieces *b)
{
    return a->ends.n == b->ends.n &&
           !memcmp(a->ends.v, b->ends.v, a->ends.n * sizeof *a->ends.v);
}

bool doctor_split(const uint8_t *data, size_t n, struct doctor_pieces *pieces,
                  struct err *err)
{
    struct doctor_pieces other = {0};
    bool ok = cut(data, n, AT_DROP, pieces, err) &&
              cut(data, n, AT_TABLE_END, &other, err);
    if (!pieces->ends.n) {
        struct doctor_pieces none = *pieces;
        *pieces = other;
        other = none;
    } else if (other.ends.n && !are_equal(pieces, &other)) {
        pieces->ends.n = 0;
    }
    doctor_pieces_free(&other);
    /* One profile may have the empty string twice. */
    if (ok && pieces->ends.n && is_sound(data, n, NULL))
        pieces->ends.n = 0;
    return ok;
}

void doctor_pieces_free(struct doctor_pieces *pieces)
{
    vec_free(&pieces->ends);
}
