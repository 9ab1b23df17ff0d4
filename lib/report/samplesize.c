/* samplesize.c - estimates how long the text of a sample is going to be */
#include "report/samplesize.h"

enum {
    ENOUGH = 1 << 16, /* less is not added up */
    VALUE = 24,       /* a number and what is around it */
};

static size_t product(size_t a, size_t b)
{
    size_t n;
    return __builtin_mul_overflow(a, b, &n) ? SIZE_MAX : n;
}

static size_t sum(size_t a, size_t b)
{
    size_t n;
    return __builtin_add_overflow(a, b, &n) ? SIZE_MAX : n;
}

static size_t label_size(const struct profile *p, const struct prof_label *l)
{
    return strtab_len(&p->strings, l->key) + strtab_len(&p->strings, l->str) +
           strtab_len(&p->strings, l->unit) + VALUE;
}

struct samplesize samplesize_of(const struct profile *p,
                                const struct stacktext *stacks)
{
    struct samplesize z = {.p = p, .stacks = stacks};
    bool named = stacks->off || stacks->piece; /* else a frame is a piece */
    size_t n_frames = named ? p->n_locations : stacks->at.n;
    for (uint32_t l = 0; l < n_frames; l++) {
        size_t n = stacktext_length(stacks, l);
        z.frame = n > z.frame ? n : z.frame;
    }
    for (size_t i = 0; i < p->n_labels; i++) {
        size_t n = label_size(p, &p->labels[i]);
        z.label = n > z.label ? n : z.label;
    }
    for (size_t i = 0; i < p->n_types; i++)
        z.values =
            sum(z.values, VALUE + strtab_len(&p->strings, p->types[i].type) +
                              strtab_len(&p->strings, p->types[i].unit));
    return z;
}

static size_t stack_size(const struct samplesize *z, size_t s)
{
    size_t depth = prof_depth(z->p, s), n = product(depth, z->frame);
    if (n <= ENOUGH)
        return n;
    n = 0;
    for (size_t i = 0; i < depth; i++)
        n = sum(n, stacktext_length(z->stacks, prof_stack(z->p, s)[i]));
    return n;
}

static size_t labels_size(const struct samplesize *z, size_t s)
{
    const struct profile *p = z->p;
    uint64_t i = p->labelset_off[p->labelset[s]];
    uint64_t end = p->labelset_off[p->labelset[s] + 1];
    size_t n = product((size_t)(end - i), z->label);
    if (n <= ENOUGH)
        return n;
    for (n = 0; i < end; i++)
        n = sum(n, label_size(p, &p->labels[i]));
    return n;
}

size_t samplesize(const struct samplesize *z, size_t sample)
{
    return sum(z->values, sum(stack_size(z, sample), labels_size(z, sample)));
}
