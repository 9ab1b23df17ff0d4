/* Strings, functions and label sets of an input in those of the sum. */
#include "base/hash.h"
#include "profile/merge/merger.h"

enum { GROUP = 16 };

bool merge_strings(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct strtab *from = &in->p->strings;
    if (in->shares_strings)
        return true;
    if (from->n > in->strings.n &&
        !vec_reserve(&in->strings, from->n - in->strings.n))
        return err_nomem(err);
    for (size_t *n = &in->strings.n; *n < from->n; ++*n) {
        uint32_t id = (uint32_t)*n;
        if (!strtab_add_hashed(&m->sum.strings, strtab_str(from, id),
                               strtab_len(from, id), strtab_hash(from, id),
                               &in->strings.v[id]))
            return err_nomem(err);
    }
    return true;
}

static uint32_t function_hash(uint64_t seed, const struct prof_function *f)
{
    uint64_t names = (uint64_t)f->name << 32 | f->system_name;
    return mix_fold(mix_pair(seed, mix_pair(seed, names, f->filename),
                             (uint64_t)f->start_line));
}

static bool find_function(struct merger *m, const struct prof_function *f,
                          uint32_t hash, uint32_t *index, struct err *err)
{
    if (!hashidx_room(&m->function_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->function_index, hash);
    while ((*index = hashidx_next(&m->function_index, hash, &at)) !=
           HASHIDX_NONE) {
        const struct prof_function *g = &m->sum.functions[*index];
        if (g->name == f->name && g->system_name == f->system_name &&
            g->filename == f->filename && g->start_line == f->start_line)
            return true;
    }
    if (!prof_add_function(&m->sum, f, index, err))
        return false;
    hashidx_put(&m->function_index, at, hash, *index);
    return true;
}

/* A group at a time: each place is asked for before it is looked at. */
bool merge_functions(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    struct prof_function f[GROUP];
    uint32_t hash[GROUP];
    for (size_t i = in->functions.n, n; i < p->n_functions; i += n) {
        n = p->n_functions - i < GROUP ? p->n_functions - i : GROUP;
        for (size_t k = 0; k < n; k++) {
            f[k] = p->functions[i + k];
            f[k].id = 0;
            f[k].name = merge_string(in, f[k].name);
            f[k].system_name = merge_string(in, f[k].system_name);
            f[k].filename = merge_string(in, f[k].filename);
            hash[k] = function_hash(prof_seed(&m->sum), &f[k]);
            hashidx_prefetch(&m->function_index, hash[k]);
        }
        for (size_t k = 0; k < n; k++)
            if (!find_function(m, &f[k], hash[k], &in->functions.v[i + k], err))
                return false;
    }
    in->functions.n = p->n_functions;
    return true;
}

bool merge_labelsets(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    for (size_t *n = &in->labelsets.n; *n < p->n_labelsets; ++*n) {
        size_t set = *n;
        uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
        for (in->labels.n = 0; i < end; i++) {
            struct prof_label l = p->labels[i];
            l.key = merge_string(in, l.key);
            l.str = merge_string(in, l.str);
            l.unit = merge_string(in, l.unit);
            if (!vec_push(&in->labels, l))
                return err_nomem(err);
        }
        if (!prof_labelset(&m->sum, in->labels.v, in->labels.n,
                           &in->labelsets.v[set], err))
            return false;
    }
    return true;
}
