/*
 * floor.c - what no reader of gzip can do without
 *
 *      floor FILE ...
 *
 * Reads each file and inflates it with libdeflate, and that is all.
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/vec.h"

/* Room for n bytes at *v, which has *cap of it; in large pages, as ours. */
static void *room(void **v, size_t *cap, size_t n)
{
    if (n > *cap) {
        free(*v);
        *v = mem_array(*cap = n, 1);
    }
    return *v;
}

/* The last four bytes of a gzip file: the length of what is in it. */
static size_t length(const unsigned char *end)
{
    return end[-4] | end[-3] << 8 | end[-2] << 16 | (size_t)end[-1] << 24;
}

int main(int argc, char **argv)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    void *in = NULL, *out = NULL;
    size_t in_cap = 0, out_cap = 0;
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        struct stat st;
        if (!d || !f || fstat(fileno(f), &st) != 0 || st.st_size < 18)
            return fprintf(stderr, "floor: cannot open %s\n", argv[i]), 1;
        size_t n = (size_t)st.st_size;
        if (!room(&in, &in_cap, n) || fread(in, 1, n, f) != n)
            return fprintf(stderr, "floor: cannot read %s\n", argv[i]), 1;
        size_t made = length((unsigned char *)in + n);
        if (!room(&out, &out_cap, made + 1) ||
            libdeflate_gzip_decompress(d, in, n, out, made, NULL) !=
                LIBDEFLATE_SUCCESS)
            return fprintf(stderr, "floor: cannot inflate %s\n", argv[i]), 1;
        fclose(f);
    }
    free(in);
    free(out);
    libdeflate_free_decompressor(d);
    return 0;
}
