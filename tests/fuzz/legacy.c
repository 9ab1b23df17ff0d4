#include <string.h>

#include "fuzz.h"
#include "import/legacy.h"

/* What the last byte chooses, a bit each. */
static struct gperf_opts choose(unsigned c)
{
    return (struct gperf_opts){
        .strip_signal_frames = c & 1,
        .zero_ends = c & 2,
        .first_only = c & 4,
        .no_inherited = c & 8,
        .threads = c & 16,
        .no_symbols = c & 32,
        .binary = c & 64 ? "/bin/prog" : NULL,
        .period = c & 128 ? 10000000 : 0,
    };
}

void fuzz_legacy(const char *name, const uint8_t *data, size_t n)
{
    const struct gperf_opts opts = choose(fuzz_choice(data, n));
    const struct legacy_kind *kind =
        name ? legacy_named(name) : legacy_find(data, n);
    struct profile p;
    struct err err = {0};
    if (!kind)
        return;
    /* One that begins soundly begins like its kind. */
    FUZZ_CHECK(!legacy_begins(data, n) || legacy_find(data, n));
    memset(&p, 0, sizeof p);
    if (name ? kind->read(data, n, &opts, &p, &fuzz_notes, &err)
             : legacy_read(kind, data, n, &opts, &p, &fuzz_notes, &err))
        fuzz_sound(&p);
    else
        fuzz_refused(&err);
    prof_free(&p);
}
