/* top.c - prints the functions with the greatest flat values of a profile
 *
 *      top <profile.pb.gz
 */
#include <inttypes.h>
#include <profile.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
    int64_t flat;
    struct prof_slice name;
};

static int by_flat(const void *a, const void *b)
{
    int64_t x = ((const struct row *)a)->flat;
    int64_t y = ((const struct row *)b)->flat;
    return (x < y) - (x > y);
}

int main(void)
{
    struct prof_err err;
    struct profile *p = prof_read_fd(0, NULL, &err);
    int type = p ? prof_default_type(p) : -1;
    if (type < 0) {
        fprintf(stderr, "top: %s\n", p ? "no sample types" : err.text);
        return 1;
    }

    /* The leaf of a stack is the first line of its first location. */
    struct prof_counts count = prof_count(p);
    struct row *rows = calloc(count.functions + 1, sizeof *rows);
    for (size_t i = 0; rows && i < count.samples; i++) {
        struct prof_sample sample = prof_get_sample(p, i);
        size_t n = 0;
        const struct prof_line *line =
            sample.n_frames ? prof_get_lines(p, *sample.frames, &n) : NULL;
        if (n && line->function != PROF_NONE)
            rows[line->function].flat += sample.values[type];
    }

    for (size_t f = 0; rows && f < count.functions; f++)
        rows[f].name = prof_get_string(p, prof_get_function(p, f).name);
    if (rows)
        qsort(rows, count.functions, sizeof *rows, by_flat);
    for (size_t f = 0; rows && f < count.functions && f < 10; f++)
        printf("%12" PRId64 " %.*s\n", rows[f].flat, (int)rows[f].name.n,
               rows[f].name.s);
    free(rows);
    prof_delete(p);
    return 0;
}
