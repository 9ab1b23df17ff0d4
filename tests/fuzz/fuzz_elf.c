/*
 * Binaries: symbols, DWARF, procedure linkage tables, and who owns which
 * address for gmon.out.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/gmon/private.h"
#include "fuzz.h"
#include "symbolize/owners.h"
#include "symbolize/private.h"
#include "symbolize/symbol.h"

enum { ADDRESSES = 24 };

/* Addresses that are worth a look: all over segments, and at their ends. */
static void add_locations(struct profile *p, const struct sym_image *im)
{
    struct prof_err err = {0};
    for (size_t i = 0; i < ADDRESSES; i++) {
        const struct sym_segment *s =
            im->n_segments ? &im->segments[i % im->n_segments] : NULL;
        struct prof_location l = {.mapping = PROF_NONE};
        uint32_t index;
        int64_t value = 1;
        if (!s)
            l.address = i << i % 40;
        else if (i % 2)
            l.address = s->vaddr + s->memsz / ADDRESSES * i;
        else
            l.address = s->vaddr + s->memsz - 1 - i;
        FUZZ_CHECK(prof_add_location(p, &l, NULL, 0, &index, &err));
        FUZZ_CHECK(prof_add_sample(p, &index, 1, &value, 0, &err));
    }
}

static void symbolize(const struct sym_image *im, unsigned c)
{
    const struct sym_opts opts = {
        .binary = "prog",
        .binary_at = fuzz_path(),
        .demangle = (enum sym_demangle)(c % 4),
        .symtab_only = c & 4,
        .no_inlines = c & 8,
    };
    struct profile p;
    struct prof_err err = {0};
    FUZZ_CHECK(prof_init(&p, &err) && prof_add_type(&p, "n", "count", &err));
    add_locations(&p, im);
    if (!sym_profile(&p, &opts, &fuzz_notes, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    FUZZ_CHECK(p.n_samples == ADDRESSES);
    fuzz_sound(&p);
    prof_free(&p);
}

static void own(bool as_gprof)
{
    struct code_owners o = {0};
    struct prof_err err = {0};
    if (as_gprof ? !code_owners_read_gprof(&o, fuzz_path(), NULL, &err)
                 : !code_owners_read(&o, fuzz_path(), NULL, NULL, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    for (size_t i = 0; i < o.n; i++) {
        FUZZ_CHECK(o.v[i].lo <= o.v[i].hi && o.v[i].name < o.names.n);
        FUZZ_CHECK(o.v[i].lo <= o.v[i].code && o.v[i].func <= i);
        FUZZ_CHECK(i == 0 || o.v[i - 1].lo < o.v[i].lo);
        FUZZ_CHECK(o.v[i].callee == CODE_NO_OWNER || o.v[i].callee <= i);
    }
    code_owners_free(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct sym_image im;
    struct prof_err err = {0};
    bool absent = false;
    fuzz_file(data, n);
    struct gmon_opts opts = {.program = fuzz_path()};
    if (!gmon_find_program(&opts, NULL, &err))
        fuzz_refused(&err);
    if (sym_image_open(&im, fuzz_path(), false, &absent, &err))
        symbolize(&im, fuzz_choice(data, n));
    else
        fuzz_refused(&err);
    sym_image_close(&im);
    own(true);
    own(false);
    return 0;
}
