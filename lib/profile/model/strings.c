/* strings.c - visits every reference to a string in a profile */
#include "profile/columns.h"

/* The arguments of prof_visit_strings(). */
struct visit {
    prof_string_fn *fn;
    void *ctx;
};

static bool visit_mappings(const struct visit *v, struct profile *p)
{
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        if (!v->fn(v->ctx, PROF_MAPPING_FILE, i, &m->filename) ||
            !v->fn(v->ctx, PROF_BUILD_ID, i, &m->build_id))
            return false;
    }
    return true;
}

static bool visit_functions(const struct visit *v, struct profile *p)
{
    for (size_t i = 0; i < p->n_functions; i++) {
        struct prof_function *f = &p->functions[i];
        if (!v->fn(v->ctx, PROF_FUNCTION_NAME, i, &f->name) ||
            !v->fn(v->ctx, PROF_SYSTEM_NAME, i, &f->system_name) ||
            !v->fn(v->ctx, PROF_SOURCE_FILE, i, &f->filename))
            return false;
    }
    return true;
}

static bool visit_labels(const struct visit *v, struct profile *p)
{
    for (size_t i = 0; i < p->n_labels; i++) {
        struct prof_label *l = &p->labels[i];
        if (!v->fn(v->ctx, PROF_LABEL_KEY, i, &l->key) ||
            !v->fn(v->ctx, PROF_LABEL_VALUE, i, &l->str) ||
            !v->fn(v->ctx, PROF_LABEL_UNIT, i, &l->unit))
            return false;
    }
    return true;
}

static bool visit_header(const struct visit *v, struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        if (!v->fn(v->ctx, PROF_COMMENT, i, &p->comments[i]))
            return false;
    for (size_t i = 0; i < p->n_types; i++)
        if (!v->fn(v->ctx, PROF_SAMPLE_TYPE, i, &p->types[i].type) ||
            !v->fn(v->ctx, PROF_SAMPLE_UNIT, i, &p->types[i].unit))
            return false;
    return v->fn(v->ctx, PROF_DOC_URL, 0, &p->doc_url) &&
           v->fn(v->ctx, PROF_DROP_FRAMES, 0, &p->drop_frames) &&
           v->fn(v->ctx, PROF_KEEP_FRAMES, 0, &p->keep_frames) &&
           v->fn(v->ctx, PROF_SAMPLE_TYPE, 0, &p->default_sample_type) &&
           v->fn(v->ctx, PROF_PERIOD_TYPE, 0, &p->period_type.type) &&
           v->fn(v->ctx, PROF_PERIOD_UNIT, 0, &p->period_type.unit);
}

bool prof_visit_strings(struct profile *p, prof_string_fn *fn, void *ctx)
{
    const struct visit v = {fn, ctx};
    return visit_functions(&v, p) && visit_mappings(&v, p) &&
           visit_labels(&v, p) && visit_header(&v, p);
}
