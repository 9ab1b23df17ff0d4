/* format.c - an input of one of prof2pb's formats */
#include <string.h>

#include "formats/import_formats.h"
#include "fuzz.h"

/* What the last byte chooses, a bit each. */
static struct import_options choose(unsigned c)
{
    return (struct import_options){
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

static bool is_sound(const struct import_format *format, const uint8_t *data,
                     size_t n)
{
    return !format->is_sound || format->is_sound(data, n);
}

void fuzz_format(const char *name, const uint8_t *data, size_t n)
{
    const struct import_options opts = choose(fuzz_choice(data, n));
    const struct import_input in = {
        .data = data, .n = n, .notes = &fuzz_notes, .lookup = &import_lookup};
    const struct import_format *format =
        name ? import_named(name) : import_find("prof2pb", data, n);
    struct prof_err err = {0};
    if (!format)
        return;
    (void)is_sound(format, data, n);
    struct profile *p = name ? import_reader(format)(&in, &opts, &err)
                             : import_read(format, &in, &opts, &err);
    if (p)
        fuzz_sound(p);
    else
        fuzz_refused(&err);
    prof_delete(p);
}
