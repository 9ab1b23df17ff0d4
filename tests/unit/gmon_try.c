#include "gmon_try.h"
#include "said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void gmon_read_good(struct gmon *g, const struct gmon_file *f,
                    const struct gmon_opts *opts, struct said *said)
{
    struct prof_err err = {0};
    struct prof_notes *notes = said_init(said);
    if (!gmon_read(g,
                   &(struct import_input){
                       .data = f->bytes.v, .n = f->bytes.n, .notes = notes},
                   opts, &err))
        fail_msg("%s", err.text);
}

void gmon_read_bad(const uint8_t *data, size_t n, const struct gmon_opts *opts,
                   const char *text)
{
    struct gmon g;
    struct prof_err err = {0};
    assert_false(gmon_read(&g, &(struct import_input){.data = data, .n = n},
                           opts, &err));
    gmon_free(&g);
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, text);
}

void gmon_read_bad_file(struct gmon_file *f, const struct gmon_opts *opts,
                        const char *text)
{
    gmon_read_bad(f->bytes.v, f->bytes.n, opts, text);
    make_free(f);
}

void gmon_assert_hist(const struct gmon *g, size_t i, uint64_t low,
                      uint64_t high, uint32_t rate, uint32_t n,
                      const uint64_t *bins)
{
    assert_true(i < g->hists.n);
    const struct gmon_hist *h = &g->hists.v[i];
    assert_int_equal(h->low, low);
    assert_int_equal(h->high, high);
    assert_int_equal(h->rate, rate);
    assert_int_equal(h->n_bins, n);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(g->bins.v[h->bin + k], bins[k]);
}

void gmon_assert_arc_of(const struct gmon_arcs *arcs, size_t i, uint64_t from,
                        uint64_t self, uint64_t count)
{
    assert_true(i < arcs->n);
    assert_int_equal(arcs->v[i].from, from);
    assert_int_equal(arcs->v[i].self, self);
    assert_int_equal(arcs->v[i].count, count);
}

void gmon_assert_arc(const struct gmon *g, size_t i, uint64_t from,
                     uint64_t self, uint64_t count)
{
    gmon_assert_arc_of(&g->arcs, i, from, self, count);
}

void gmon_sum_add(struct gmon *sum, struct gmon_file *f,
                  const struct gmon_opts *opts, const char *name)
{
    struct gmon g;
    struct prof_err err = {0};
    if (!gmon_read(&g,
                   &(struct import_input){.data = f->bytes.v, .n = f->bytes.n},
                   opts, &err) ||
        !gmon_add(sum, &g, name, &err))
        fail_msg("%s", err.text);
    gmon_free(&g);
    make_free(f);
}

void gmon_sum_add_fails(struct gmon *sum, struct gmon_file *f,
                        const struct gmon_opts *opts, const char *text)
{
    struct gmon g;
    struct prof_err err = {0};
    assert_true(gmon_read(
        &g, &(struct import_input){.data = f->bytes.v, .n = f->bytes.n}, opts,
        &err));
    assert_false(gmon_add(sum, &g, "new", &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, text);
    gmon_free(&g);
    make_free(f);
}

void gmon_sum_convert(struct gmon *sum, struct profile *p, struct said *said)
{
    struct prof_err err = {0};
    const struct gmon_opts opts = {.blocks = sum->blocks.n};
    const struct gmon_job job = {
        .g = sum, .opts = &opts, .notes = said_init(said)};
    if (!gmon_convert(&job, p, &err))
        fail_msg("%s", err.text);
    gmon_free(sum);
}

/* "TYPE/UNIT ..., default NAME, period N TYPE/UNIT" */
void gmon_assert_types(const struct profile *p, const char *expected)
{
    char text[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < p->n_types; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s/%s ",
                              prof_cstr(p, p->types[i].type),
                              prof_cstr(p, p->types[i].unit));
    (void)snprintf(text + n, sizeof text - n, "default %s period %d %s/%s",
                   prof_cstr(p, p->default_sample_type), (int)p->period,
                   prof_cstr(p, p->period_type.type),
                   prof_cstr(p, p->period_type.unit));
    assert_string_equal(text, expected);
}

void gmon_assert_samples(const struct profile *p, const char *expected)
{
    char text[1024] = "";
    size_t n = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        for (size_t i = 0; i < prof_depth(p, s); i++)
            n += (size_t)snprintf(
                text + n, sizeof text - n, "%s%llx", i ? "<" : "",
                (unsigned long long)p->locations[prof_stack(p, s)[i]].address);
        n += (size_t)snprintf(text + n, sizeof text - n, ":");
        for (size_t i = 0; i < p->n_types; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, " %lld",
                                  (long long)p->values[s * p->n_types + i]);
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    assert_string_equal(text, expected);
}
