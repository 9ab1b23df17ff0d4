/* What comes before encoding: the string table, and where to cut. */
#include <stdlib.h>

#include "pb/encoder.h"
#include "pb/put.h"

/* The string gets a place in the table if it has none. */
static bool use(struct pb_encoder *e, uint32_t id)
{
    if (!id || e->index[id])
        return true;
    if (!vec_push(&e->strings, id))
        return false;
    e->index[id] = (uint32_t)e->strings.n;
    return true;
}

static bool use_type(struct pb_encoder *e, const struct prof_value_type *vt)
{
    return use(e, vt->type) && use(e, vt->unit);
}

static bool use_set(struct pb_encoder *e, uint32_t set)
{
    const struct profile *p = e->p;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        if (!use(e, l->key) || !use(e, l->str) || !use(e, l->unit))
            return false;
    }
    return true;
}

/* Label sets are looked into once, however many samples have them. */
static bool use_labels(struct pb_encoder *e)
{
    const struct profile *p = e->p;
    if (p->n_labelsets < 2)
        return true;
    uint8_t *seen = mem_zarray(p->n_labelsets, sizeof *seen);
    bool ok = seen;
    for (size_t i = 0; ok && i < e->layout.n_order; i++) {
        uint32_t set = p->labelset[encode_nth(e, i)];
        if (!seen[set]) {
            seen[set] = 1;
            ok = use_set(e, set);
        }
    }
    free(seen);
    return ok;
}

static bool use_entities(struct pb_encoder *e)
{
    const struct profile *p = e->p;
    for (size_t i = 0; i < p->n_mappings; i++)
        if (!use(e, p->mappings[i].filename) ||
            !use(e, p->mappings[i].build_id))
            return false;
    for (size_t i = 0; i < p->n_functions; i++) {
        const struct prof_function *f = &p->functions[i];
        if (!use(e, f->name) || !use(e, f->system_name) || !use(e, f->filename))
            return false;
    }
    return true;
}

static bool use_header(struct pb_encoder *e)
{
    const struct profile *p = e->p;
    if (!use(e, p->drop_frames) || !use(e, p->keep_frames) ||
        !use_type(e, &p->period_type))
        return false;
    for (size_t i = 0; i < p->n_comments; i++)
        if (!use(e, p->comments[i]))
            return false;
    return use(e, p->default_sample_type) && use(e, p->doc_url);
}

bool encode_string_table(struct pb_encoder *e)
{
    e->index = mem_zarray(e->p->strings.n, sizeof *e->index);
    if (!e->index)
        return false;
    for (size_t i = 0; i < e->p->n_types; i++)
        if (!use_type(e, &e->p->types[i]))
            return false;
    return use_labels(e) && use_entities(e) && use_header(e);
}

/*
 * About how many bytes an item takes: enough to cut pieces of about one
 * size.  id is what an ordinary location's takes.
 */
static size_t about(const struct pb_encoder *e, enum encode_part part, size_t i,
                    unsigned id)
{
    const struct profile *p = e->p;
    switch (part) {
    case ENCODE_SAMPLES:
        i = encode_nth(e, i);
        return 6 + prof_depth(p, i) * id + p->n_types * 2 +
               (p->labelset[i] ? 12 : 0);
    case ENCODE_LOCATIONS:
        return 12 + (size_t)p->locations[i].n_lines * 8;
    case ENCODE_STRINGS:
        return i ? 2 + strtab_len(&p->strings, e->strings.v[i - 1]) : 2;
    case ENCODE_MAPPINGS:
        return 32;
    case ENCODE_HEADER:
        return 32 + 4 * p->n_comments;
    default:
        return 12;
    }
}

bool encode_cut(struct pb_encoder *e)
{
    const struct profile *p = e->p;
    const size_t n[ENCODE_PARTS] = {
        p->n_types,
        e->layout.n_order,
        p->n_mappings,
        p->n_locations,
        p->n_functions,
        e->strings.n + 1,
        1,
    };
    size_t piece = 0;
    uint8_t number[PUT_VARINT_MAX];
    unsigned id = (unsigned)(put_varint(number, p->n_locations / 2) - number);
    if (!vec_push(&e->cuts, 0))
        return false;
    for (int part = 0; part < ENCODE_PARTS; part++) {
        e->first[part + 1] = e->first[part] + n[part];
        for (size_t i = 0; i < n[part]; i++) {
            if (piece >= PB_PIECE) {
                if (!vec_push(&e->cuts, e->first[part] + i))
                    return false;
                e->about += piece;
                piece = 0;
            }
            piece += about(e, (enum encode_part)part, i, id);
        }
    }
    e->about += piece;
    return true;
}
