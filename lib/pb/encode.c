/* Columns to profile.proto, in the order of the schema. */
#include <stdlib.h>

#include "pb/encoder.h"

struct pb_encoder *pb_encoder_new(const struct profile *p,
                                  const struct prof_layout *layout,
                                  struct err *err)
{
    struct pb_encoder *e = calloc(1, sizeof *e);
    if (e) {
        e->p = p;
        if (layout)
            e->layout = *layout;
        if (!e->layout.order)
            e->layout.n_order = p->n_samples;
        if (encode_string_table(e) && encode_cut(e) && encode_make_ids(e))
            return e;
    }
    pb_encoder_free(e);
    err_nomem(err);
    return NULL;
}

void pb_encoder_free(struct pb_encoder *e)
{
    if (!e)
        return;
    free(e->index);
    free(e->ids);
    vec_free(&e->strings);
    vec_free(&e->cuts);
    free(e);
}

size_t pb_encoder_pieces(const struct pb_encoder *e)
{
    return e->cuts.n;
}

uint64_t pb_encoder_about(const struct pb_encoder *e)
{
    return e->about;
}

bool pb_encode_piece(const struct pb_encoder *e, size_t piece, struct buf *out,
                     struct err *err)
{
    static bool (*const encode[ENCODE_PARTS])(const struct pb_encoder *, size_t,
                                              size_t, struct buf *) = {
        encode_types,     encode_samples, encode_mappings, encode_locations,
        encode_functions, encode_strings, encode_header,
    };
    size_t from = e->cuts.v[piece], to = e->first[ENCODE_PARTS];
    if (piece + 1 < e->cuts.n)
        to = e->cuts.v[piece + 1];
    /* Growing step by step would touch twice the memory. */
    uint64_t about = e->about < PB_PIECE ? e->about : PB_PIECE;
    if (!buf_reserve(out, (size_t)(about + about / 4)))
        return err_nomem(err);
    for (int part = 0; part < ENCODE_PARTS; part++) {
        size_t first = e->first[part], past = e->first[part + 1];
        if (from >= past || to <= first)
            continue;
        if (!encode[part](e, from < first ? 0 : from - first,
                          (to < past ? to : past) - first, out))
            return err_nomem(err);
    }
    return true;
}

bool pb_encode(const struct profile *p, struct sink *to, struct err *err)
{
    return pb_encode_order(p, NULL, to, err);
}

bool pb_encode_order(const struct profile *p, const uint32_t *order,
                     struct sink *to, struct err *err)
{
    const struct prof_layout layout = {.order = order, .n_order = p->n_samples};
    struct buf out = {0};
    struct pb_encoder *e = pb_encoder_new(p, &layout, err);
    bool ok = e;
    for (size_t i = 0; ok && i < e->cuts.n; i++) {
        out.n = 0;
        ok = pb_encode_piece(e, i, &out, err) &&
             sink_write(to, out.v, out.n, err);
    }
    buf_free(&out);
    pb_encoder_free(e);
    return ok;
}
