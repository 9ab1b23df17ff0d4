/*
 * gcc.c - the file that gcc reads with -fauto-profile, version 2
 *
 * Words of 32 bits, and counts of two, the low one first, in the byte order of
 * the machine, as gcc reads them:
 *
 *   magic, version, 0
 *   tag of names, bytes that follow, number; each: bytes with the NUL, bytes
 *   tag of functions, bytes that follow, number; each: calls (a count),
 * instance tag of modules, bytes that follow, 0
 *
 *   instance  name, number of places, number of inlined ones;
 *             for each place: position, 0 (targets of indirect calls), count;
 *             for each inlined one: position, instance
 *
 * A position is the offset of a line in the upper half, and a discriminator in
 * the lower, which is unknown here.  gcc asserts that no name has index 0, and
 * takes a string without bytes for none.
 */
#include "pgo/private.h"

enum { MAGIC = 0x67636461, VERSION = 2 };

#define TAG_NAMES 0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES 0xae000000u

static bool put_word(struct buf *to, uint32_t word)
{
    return buf_put(to, &word, sizeof word);
}

static bool put_count(struct buf *to, uint64_t count)
{
    return put_word(to, (uint32_t)count) &&
           put_word(to, (uint32_t)(count >> 32));
}

static bool put_names(struct buf *to, const struct pgo_lines *lines)
{
    bool ok = put_word(to, (uint32_t)lines->names.n + 1) && put_word(to, 1) &&
              buf_putc(to, '\0');
    for (size_t i = 0; ok && i < lines->names.n; i++) {
        const struct prof_slice name = lines->names.v[i];
        ok = put_word(to, (uint32_t)name.n + 1) &&
             buf_put(to, name.s, name.n) && buf_putc(to, '\0');
    }
    return ok;
}

static bool put_instance(struct buf *to, const struct pgo_lines *lines,
                         const struct pgo_instance *in)
{
    bool ok = in->parent == PROF_NONE ? put_count(to, pgo_head_count(lines, in))
                                      : put_word(to, in->offset << 16);
    ok = ok && put_word(to, in->name + 1) && put_word(to, in->n_places) &&
         put_word(to, in->n_children);
    for (uint32_t i = 0; ok && i < in->n_places; i++) {
        const struct pgo_place *place = &lines->places.v[in->first_place + i];
        ok = put_word(to, place->offset << 16) && put_word(to, 0) &&
             put_count(to, place->count);
    }
    return ok;
}

static bool put_functions(struct buf *to, const struct pgo_lines *lines)
{
    struct pgo_walk walk = {0};
    const struct pgo_instance *in;
    bool ok = put_word(to, lines->n_roots) && pgo_walk_begin(&walk, lines);
    while (ok && (ok = pgo_walk_next(&walk, &in)) && in)
        ok = put_instance(to, lines, in);
    pgo_walk_end(&walk);
    return ok;
}

/* Writes a section. */
static bool put_section(struct sink *to, uint32_t tag, const struct buf *body,
                        struct prof_err *err)
{
    if (body->n > UINT32_MAX)
        return err_set(err, PROF_ERR_INPUT,
                       "the profile is larger than gcc's format can be: "
                       "2^32 bytes");
    const uint32_t head[] = {tag, (uint32_t)body->n};
    return sink_write(to, head, sizeof head, err) &&
           sink_write(to, body->v, body->n, err);
}

static bool put_file(const struct pgo_lines *lines, struct sink *to,
                     struct prof_err *err)
{
    static const uint32_t head[] = {MAGIC, VERSION, 0};
    struct buf names = {0}, functions = {0}, modules = {0};
    bool ok = put_names(&names, lines) && put_functions(&functions, lines) &&
              put_word(&modules, 0);
    if (!ok)
        err_nomem(err);
    ok = ok && sink_write(to, head, sizeof head, err) &&
         put_section(to, TAG_NAMES, &names, err) &&
         put_section(to, TAG_FUNCTIONS, &functions, err) &&
         put_section(to, TAG_MODULES, &modules, err);
    buf_free(&names);
    buf_free(&functions);
    buf_free(&modules);
    return ok;
}

bool pgo_gcc_file(const struct profile *p, const struct prof_notes *notes,
                  struct sink *to, struct prof_err *err)
{
    struct pgo_lines lines = {0};
    const bool ok =
        pgo_lines_read(p, notes, &lines, err) && put_file(&lines, to, err);
    pgo_lines_free(&lines);
    return ok;
}
