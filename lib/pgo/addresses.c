/*
 * addresses.c - writes samples by address in a binary, for AutoFDO and BOLT
 *
 *   AutoFDO   the number of ranges, which is 0; the number of addresses, and a
 *             line `OFFSET:SAMPLES` for each; the number of branches, 0.
 *             OFFSET counts from the beginning of the file.
 *   BOLT      `E EVENT`, and a line `S [BUILD-ID:]ADDRESS SAMPLES` for each
 *             address, as the linker set it.
 *
 * Numbers of samples are decimal, others hexadecimal.  Both formats describe a
 * single binary: AutoFDO's does not name it, and BOLT reads build IDs but
 * treats all addresses as those of its binary.
 */
#include <string.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "pgo/private.h"
#include "symbolize/binary.h"

struct place {
    uint64_t address;
    uint64_t count;
};

struct reader {
    const struct pgo_binary *from;
    bool offsets; /* write offsets in the file, not addresses of the linker */
    struct sym_cache *cache;
    const struct sym_image *image; /* null: it was not found */
    size_t mapping;                /* the one that was chosen for the binary: */
    struct prof_mapping chosen;
    const char *file, *build_id; /* of `chosen`; not owned */
    size_t type;
    int64_t all, used; /* values: of all samples, of those in the binary */
    struct map rows;
    VEC(struct place) places;
};

static void choose(struct reader *r, size_t mapping)
{
    const struct profile *p = r->from->p;
    r->mapping = mapping;
    r->chosen = prof_get_mapping(p, mapping);
    r->file = prof_plain(p, r->chosen.filename);
    r->build_id = prof_plain(p, r->chosen.build_id);
}

/* Opens the file that the user named, or else that of the chosen mapping. */
static bool open_binary(struct reader *r, struct prof_err *err)
{
    const char *named = r->from->opts->binary;
    const struct sym_wanted wanted = {
        .file = named ? named : r->file,
        .build_id = named ? "" : r->build_id,
        .path = r->from->opts->path,
        .named_only = named,
        .notes = r->from->notes,
    };
    const struct sym_files *files;
    struct prof_err why;
    switch (sym_cache_find(r->cache, &wanted, &files, &why)) {
    case SYM_FOUND:
        r->image = &files->image;
        return true;
    case SYM_NOT_FOUND:
        /* Without the binary, the mapping still gives offsets in the file. */
        if (!named && r->offsets && r->chosen.start)
            return true;
        return err_input(
            err,
            "%s: %s; specify the binary with -e, or its directory with --path",
            *wanted.file ? wanted.file : "a binary without a name", why.text);
    default:
        *err = why;
        return false;
    }
}

/* Returns how well a mapping fits the binary that the user named, or 0 if it
 * does not. */
static int rate_mapping(const struct reader *r, size_t i)
{
    const struct profile *p = r->from->p;
    const struct prof_mapping m = prof_get_mapping(p, i);
    const struct prof_slice id = prof_get_string(p, m.build_id);
    const char *named = r->from->opts->binary;
    if (id.n)
        return slice_is(id, r->image->build_id) ? 3 : 0;
    return slice_same(path_after_slash(prof_get_string(p, m.filename)),
                      path_after_slash(slice_of(named)))
               ? 2
               : !i;
}

static bool find_mapping(struct reader *r, struct prof_err *err)
{
    const size_t n = prof_count(r->from->p).mappings;
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (rate_mapping(r, i) > rate_mapping(r, best))
            best = i;
    if (rate_mapping(r, best)) {
        choose(r, best);
        return true;
    }
    return err_input(err, "%s: no mapping of the profile has its build ID (%s)",
                     r->from->opts->binary,
                     *r->image->build_id ? r->image->build_id : "none");
}

static bool find_binary(struct reader *r, struct prof_err *err)
{
    if (!prof_count(r->from->p).mappings)
        return err_input(
            err,
            "the profile has no mappings, which are needed to find addresses "
            "in a binary; use a profile of perf2pb, prof2pb or gmon2pb");
    if (!(r->cache = sym_cache_new(err)))
        return false;
    if (r->from->opts->binary)
        return open_binary(r, err) && find_mapping(r, err);
    choose(r, 0);
    return open_binary(r, err);
}

/* Returns whether a mapping is of the chosen binary, which may be mapped in
 * several pieces. */
static bool is_of_binary(const struct reader *r, const struct prof_mapping *m)
{
    if (m->build_id && r->chosen.build_id)
        return m->build_id == r->chosen.build_id;
    return m->filename == r->chosen.filename;
}

/* Converts an address of the process to an address or offset in the binary.
 * Returns false if it is not in the binary's code. */
static bool locate(const struct reader *r, const struct prof_mapping *m,
                   uint64_t *address)
{
    uint64_t bias;
    /* A separate debug file does not have the binary's offsets: use the
     * mapping. */
    if (!r->image || (r->offsets && r->image->debug_only)) {
        *address += m->offset - m->start;
        return true;
    }
    if (!sym_bias(r->image, m, *address, &bias))
        return false;
    *address -= bias;
    /* If the binary is not the one that was mapped, the address may be outside
     * its code. */
    for (size_t i = 0; i < r->image->n_segments; i++) {
        const struct sym_segment *s = &r->image->segments[i];
        if (s->exec && *address - s->vaddr < s->memsz) {
            if (r->offsets)
                *address += s->offset - s->vaddr;
            return true;
        }
    }
    return false;
}

static bool add_sample(struct reader *r, size_t i, struct prof_err *err)
{
    const struct profile *p = r->from->p;
    const struct prof_sample s = prof_get_sample(p, i);
    const int64_t value = s.values[r->type];
    if (!pgo_add_value(&r->all, i, value, err))
        return false;
    if (!value || !s.n_frames)
        return true;
    const struct prof_location l = prof_get_location(p, s.frames[0]);
    if (l.mapping == PROF_NONE)
        return true;
    const struct prof_mapping m = prof_get_mapping(p, l.mapping);
    struct place place = {.address = l.address};
    if (!is_of_binary(r, &m) || l.address < m.start ||
        (m.limit && l.address >= m.limit) || !locate(r, &m, &place.address))
        return true;
    uint32_t row;
    if (!map_push(&r->rows, &r->places, &place.address, sizeof place.address,
                  &row, place))
        return err_nomem(err);
    r->places.v[row].count += (uint64_t)value;
    r->used += value;
    return true;
}

static bool read_places(struct reader *r, struct prof_err *err)
{
    const size_t n = prof_count(r->from->p).samples;
    if (!pgo_pick_samples(r->from->p, &r->type, err) || !find_binary(r, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!add_sample(r, i, err))
            return false;
    const char *file = r->from->opts->binary ? r->from->opts->binary : r->file;
    if (!r->used)
        return err_input(err,
                         "no sample was taken in the binary '%s'; specify "
                         "another binary of the profile with -e",
                         file);
    if (r->used < r->all)
        note_info(r->from->notes,
                  "%.2f%% of the samples skipped: they were not taken in the "
                  "binary '%s'",
                  100 - 100.0 * (double)r->used / (double)r->all, file);
    return vec_sort_rows(&r->places) || err_nomem(err);
}

/* --- formats --- */

static bool put_autofdo(const struct reader *r, struct buf *to)
{
    bool ok = buf_printf(to, "0\n%zu\n", r->places.n);
    for (size_t i = 0; ok && i < r->places.n; i++)
        ok = buf_printf(to, "%llx:%llu\n",
                        (unsigned long long)r->places.v[i].address,
                        (unsigned long long)r->places.v[i].count);
    return ok && buf_puts(to, "0\n");
}

/* Returns the name of the event that perf2pb counted, or "" if it is unknown or
 * has blanks. */
static struct prof_slice event_name(const struct reader *r)
{
    const struct profile *p = r->from->p;
    const struct prof_slice type =
        prof_get_string(p, prof_get_type(p, r->type).type);
    struct prof_slice event = slice_to(type, 0);
    if (slice_ends_with(type, PGO_SAMPLE_SUFFIX))
        event = slice_to(type, type.n - strlen(PGO_SAMPLE_SUFFIX));
    for (size_t i = 0; i < event.n; i++)
        if ((unsigned char)event.s[i] <= ' ')
            event.n = 0;
    return event;
}

static bool put_bolt(const struct reader *r, struct buf *to)
{
    const struct prof_slice event = event_name(r);
    const struct prof_slice id =
        prof_get_string(r->from->p, r->chosen.build_id);
    bool ok = !event.n || (buf_puts(to, "E ") &&
                           buf_put(to, event.s, event.n) && buf_putc(to, '\n'));
    for (size_t i = 0; ok && i < r->places.n; i++)
        ok = buf_puts(to, "S ") &&
             (!slice_is_hex(id) ||
              (buf_put(to, id.s, id.n) && buf_putc(to, ':'))) &&
             buf_printf(to, "%llx %llu\n",
                        (unsigned long long)r->places.v[i].address,
                        (unsigned long long)r->places.v[i].count);
    return ok;
}

static void free_reader(struct reader *r)
{
    map_free(&r->rows);
    vec_free(&r->places);
    sym_cache_free(r->cache);
}

bool pgo_name_binary(struct profile *p, const struct pgo_binary *from,
                     uint32_t *mapping, struct prof_err *err)
{
    struct reader r = {.from = from};
    const size_t n = prof_count(p).mappings;
    uint32_t name;
    *mapping = 0;
    if (!n)
        return true;
    const bool ok =
        find_binary(&r, err) && prof_str(p, from->opts->binary, &name, err);
    for (size_t i = 0; ok && i < n; i++) {
        struct prof_mapping m = prof_get_mapping(p, i);
        if (is_of_binary(&r, &m))
            m.filename = name;
        prof_set_mapping(p, i, &m);
    }
    *mapping = (uint32_t)r.mapping;
    free_reader(&r);
    return ok;
}

bool pgo_addresses_text(const struct pgo_binary *from, enum pgo_by_address how,
                        struct sink *to, struct prof_err *err)
{
    struct reader r = {.from = from, .offsets = how == PGO_AUTOFDO};
    struct buf text = {0};
    const bool ok =
        read_places(&r, err) &&
        ((how == PGO_AUTOFDO ? put_autofdo(&r, &text) : put_bolt(&r, &text)) ||
         err_nomem(err)) &&
        sink_write(to, text.v, text.n, err);
    buf_free(&text);
    free_reader(&r);
    return ok;
}
