#include "symbol/addr.h"

/*
 * Segments are mapped in whole pages, so that a mapping may begin before
 * its segment does: by less than the page, which is 4 KiB to 64 KiB.
 */
enum { PAGE_MIN = 0x1000, PAGE_MAX = 0x10000 };

static bool inside(const struct sym_segment *s, uint64_t vaddr)
{
    return vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz;
}

static bool in_code(const struct sym_image *im, uint64_t vaddr)
{
    for (size_t i = 0; i < im->n_segments; i++)
        if (im->segments[i].exec && inside(&im->segments[i], vaddr))
            return true;
    return false;
}

/* The mapping lies within the addresses that the image was linked at. */
static bool is_linked_there(const struct sym_image *im,
                            const struct prof_mapping *m)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < im->n_segments; i++) {
        const struct sym_segment *s = &im->segments[i];
        if (s->vaddr < low)
            low = s->vaddr;
        if (s->memsz > UINT64_MAX - PAGE_MIN - s->vaddr)
            return false;
        if (s->vaddr + s->memsz > high)
            high = s->vaddr + s->memsz;
    }
    high = (high + PAGE_MIN - 1) & ~(uint64_t)(PAGE_MIN - 1);
    return m->start >= low && m->start < high && m->limit <= high;
}

/*
 * How well a segment explains the mapping; 0: not at all.  Neighbours share
 * a page of the file, so that more than one may be possible.  What counts
 * most is that the address seen is code.
 */
static int fit(const struct sym_image *im, const struct sym_segment *s,
               const struct prof_mapping *m, uint64_t address)
{
    bool within = m->offset >= s->offset && m->offset - s->offset < s->filesz;
    bool before = m->offset < s->offset && s->offset - m->offset < PAGE_MAX;
    if (!s->filesz || (!within && !before))
        return 0;
    uint64_t bias = m->start - (m->offset - s->offset + s->vaddr);
    int points = 1;
    if (in_code(im, address - bias))
        points += 8;
    if ((s->offset & ~(uint64_t)(PAGE_MIN - 1)) == m->offset)
        points += 4;
    if (s->exec && inside(s, address - bias))
        points += 2;
    return points;
}

/*
 * A separate debug file does not keep the file offsets of what it leaves
 * out.  Linkers mostly give the offset that the address has.
 */
static bool bias_without_code(const struct sym_image *im,
                              const struct prof_mapping *m, uint64_t address,
                              uint64_t *bias)
{
    *bias = m->start - m->offset;
    if (im->n_segments)
        *bias -= im->segments[0].vaddr & ~(uint64_t)(PAGE_MIN - 1);
    return in_code(im, address - *bias);
}

bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias)
{
    *bias = 0;
    if ((m->start == 0 && m->offset == 0) || !im->n_segments ||
        is_linked_there(im, m))
        return true;
    if (im->type == ET_EXEC && in_code(im, address))
        return true;
    if (im->debug_only)
        return bias_without_code(im, m, address, bias);
    int best = 0;
    for (size_t i = 0; i < im->n_segments; i++) {
        const struct sym_segment *s = &im->segments[i];
        int points = fit(im, s, m, address);
        if (points > best) {
            best = points;
            *bias = m->start - (m->offset - s->offset + s->vaddr);
        }
    }
    return best > 0;
}
