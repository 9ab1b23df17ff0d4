/* A label that all samples get. */
#include "profile/model/build.h"
#include "unit.h"

static struct prof_label text(struct profile *p, const char *key,
                              const char *value)
{
    struct prof_label l = {0};
    struct prof_err err;
    assert_true(prof_str(p, key, &l.key, &err));
    assert_true(prof_str(p, value, &l.str, &err));
    return l;
}

static void add(struct profile *p, struct prof_label *labels, size_t n)
{
    static const int64_t value = 1;
    struct prof_err err;
    uint32_t set;
    assert_true(prof_labelset(p, labels, n, &set, &err));
    assert_true(prof_add_sample(p, NULL, 0, &value, set, &err));
}

/* The labels of a sample. */
static const struct prof_label *labels_of(const struct profile *p, size_t s,
                                          size_t *n)
{
    const uint64_t *off = p->labelset_off + p->labelset[s];
    *n = (size_t)(off[1] - off[0]);
    return p->labels + off[0];
}

/*
 * Samples without labels, with another one, with two of the key, and with a
 * number under it, which is something else.
 */
static void one_label_for_all(void **state)
{
    struct profile p;
    struct prof_err err;
    assert_true(prof_init(&p, &err));
    assert_true(prof_add_type(&p, "n", "count", &err));
    struct prof_label other = text(&p, "other", "x");
    struct prof_label two[] = {text(&p, "side", "a"), text(&p, "side", "b")};
    struct prof_label number = {.key = two[0].key, .num = 7};
    add(&p, NULL, 0);
    add(&p, &other, 1);
    add(&p, two, 2);
    add(&p, &number, 1);
    add(&p, NULL, 0);
    assert_true(prof_set_label(&p, "side", "base", &err));

    static const size_t counts[] = {1, 2, 1, 2, 1};
    for (size_t s = 0; s < 5; s++) {
        size_t n, found = 0;
        const struct prof_label *v = labels_of(&p, s, &n);
        assert_int_equal(n, counts[s]);
        for (size_t i = 0; i < n; i++)
            if (v[i].key == two[0].key && v[i].str) {
                assert_string_equal(prof_cstr(&p, v[i].str), "base");
                found++;
            }
        assert_int_equal(found, 1);
    }
    size_t n;
    const struct prof_label *v = labels_of(&p, 3, &n);
    assert_int_equal(v[0].num + v[1].num, 7);
    assert_int_equal(p.labelset[0], p.labelset[4]);
    assert_int_equal(p.labelset[0], p.labelset[2]);
    prof_free(&p);
}

static void no_samples(void **state)
{
    struct profile p;
    struct prof_err err;
    assert_true(prof_init(&p, &err));
    assert_true(prof_set_label(&p, "side", "base", &err));
    assert_int_equal(p.n_samples, 0);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_label_for_all),
        cmocka_unit_test(no_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
