/* That the decoder found what protobuf-c found. */
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "pb_oracle.h"
#include "profile/wire/pb.h"
#include "unit.h"

/* Both sides at once. */
struct pair {
    const struct profile *p;
    const Message *m;
    bool twice; /* pb_given_twice() */
};

static void same_string(const struct pair *o, uint32_t id, int64_t index)
{
    const char *s = o->m->n_string_table ? o->m->string_table[index] : "";
    assert_string_equal(prof_cstr(o->p, id), s);
}

static void same_type(const struct pair *o, const struct prof_value_type *vt,
                      const ValueType *t)
{
    same_string(o, vt->type, t ? t->type : 0);
    same_string(o, vt->unit, t ? t->unit : 0);
}

static void same_headers(const struct pair *o)
{
    const struct profile *p = o->p;
    const Message *m = o->m;
    assert_int_equal(p->n_types, m->n_sample_type);
    for (size_t i = 0; i < p->n_types; i++)
        same_type(o, &p->types[i], m->sample_type[i]);
    /* Of two period types protobuf-c takes the last, and does not merge. */
    if (!o->twice)
        same_type(o, &p->period_type, m->period_type);
    assert_int_equal(p->n_comments, m->n_comment);
    for (size_t i = 0; i < p->n_comments; i++)
        same_string(o, p->comments[i], m->comment[i]);
    same_string(o, p->drop_frames, m->drop_frames);
    same_string(o, p->keep_frames, m->keep_frames);
    same_string(o, p->default_sample_type, m->default_sample_type);
    same_string(o, p->doc_url, m->doc_url);
    assert_true(p->time_nanos == m->time_nanos);
    assert_true(p->duration_nanos == m->duration_nanos);
    assert_true(p->period == m->period);
}

static void same_mappings(const struct pair *o)
{
    assert_int_equal(o->p->n_mappings, o->m->n_mapping);
    for (size_t i = 0; i < o->p->n_mappings; i++) {
        const struct prof_mapping *a = &o->p->mappings[i];
        const Perftools__Profiles__Mapping *b = o->m->mapping[i];
        assert_true(a->start == b->memory_start);
        assert_true(a->limit == b->memory_limit);
        assert_true(a->offset == b->file_offset);
        same_string(o, a->filename, b->filename);
        same_string(o, a->build_id, b->build_id);
        assert_int_equal(a->has_functions, b->has_functions);
        assert_int_equal(a->has_filenames, b->has_filenames);
        assert_int_equal(a->has_line_numbers, b->has_line_numbers);
        assert_int_equal(a->has_inline_frames, b->has_inline_frames);
    }
}

static void same_functions(const struct pair *o)
{
    assert_int_equal(o->p->n_functions, o->m->n_function);
    for (size_t i = 0; i < o->p->n_functions; i++) {
        const struct prof_function *a = &o->p->functions[i];
        const Perftools__Profiles__Function *b = o->m->function[i];
        same_string(o, a->name, b->name);
        same_string(o, a->system_name, b->system_name);
        same_string(o, a->filename, b->filename);
        assert_true(a->start_line == b->start_line);
    }
}

/* Index and id; "none" where the id is 0 and nothing is called so. */
static void same_reference(uint32_t index, size_t found)
{
    assert_true(index == PROF_NONE ? found == PB_NOWHERE : index == found);
}

static void same_locations(const struct pair *o)
{
    assert_int_equal(o->p->n_locations, o->m->n_location);
    for (size_t i = 0; i < o->p->n_locations; i++) {
        const struct prof_location *a = &o->p->locations[i];
        const Location *b = o->m->location[i];
        assert_true(a->address == b->address);
        assert_int_equal(a->is_folded, b->is_folded);
        same_reference(a->mapping, b->mapping_id
                                       ? pb_find_mapping(o->m, b->mapping_id, 0)
                                       : PB_NOWHERE);
        assert_int_equal(a->n_lines, b->n_line);
        for (size_t k = 0; k < a->n_lines; k++) {
            const struct prof_line *line = &o->p->lines[a->line_off + k];
            assert_true(line->line == b->line[k]->line);
            assert_true(line->column == b->line[k]->column);
            same_reference(line->function,
                           pb_find_function(o->m, b->line[k]->function_id, 0));
        }
    }
}

static uint32_t string_id(const struct pair *o, int64_t index)
{
    uint32_t id;
    const char *s = o->m->n_string_table ? o->m->string_table[index] : "";
    assert_true(strtab_find(&o->p->strings, s, strlen(s), &id));
    return id;
}

static bool before(const struct prof_label *a, const struct prof_label *b)
{
    return a->key < b->key || (a->key == b->key && a->str && !b->str);
}

/* The labels put in order of key, strings first, otherwise as they stand. */
static void same_labels(const struct pair *o, uint32_t set, const Sample *s)
{
    const struct prof_label *a = o->p->labels + o->p->labelset_off[set];
    struct prof_label *v = calloc(s->n_label + 1, sizeof *v);
    assert_non_null(v);
    assert_int_equal(o->p->labelset_off[set + 1] - o->p->labelset_off[set],
                     s->n_label);
    for (size_t i = 0; i < s->n_label; i++) {
        const Label *l = s->label[i];
        struct prof_label x = {.key = string_id(o, l->key),
                               .str = string_id(o, l->str)};
        if (!x.str) {
            x.num = l->num;
            x.unit = string_id(o, l->num_unit);
        }
        size_t k = i;
        for (; k && before(&x, &v[k - 1]); k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
    for (size_t i = 0; i < s->n_label; i++) {
        assert_int_equal(a[i].key, v[i].key);
        assert_int_equal(a[i].str, v[i].str);
        assert_true(a[i].num == v[i].num);
        assert_int_equal(a[i].unit, v[i].unit);
    }
    free(v);
}

static void same_samples(const struct pair *o)
{
    const struct profile *p = o->p;
    assert_int_equal(p->n_samples, o->m->n_sample);
    for (size_t s = 0; s < p->n_samples; s++) {
        const Sample *b = o->m->sample[s];
        assert_int_equal(prof_depth(p, s), b->n_location_id);
        for (size_t i = 0; i < b->n_location_id; i++)
            assert_int_equal(prof_stack(p, s)[i],
                             pb_find_location(o->m, b->location_id[i], 0));
        assert_int_equal(p->n_types, b->n_value);
        assert_memory_equal(p->values + s * p->n_types, b->value,
                            b->n_value * sizeof *b->value);
        same_labels(o, p->labelset[s], b);
    }
}

void pb_same(const struct profile *p, const Message *m, bool twice)
{
    struct pair o = {p, m, twice};
    same_headers(&o);
    same_mappings(&o);
    same_functions(&o);
    same_locations(&o);
    same_samples(&o);
}

void pb_same_ids(const struct profile *p, const Message *m)
{
    for (size_t i = 0; i < p->n_mappings; i++)
        assert_true(p->mappings[i].id == m->mapping[i]->id);
    for (size_t i = 0; i < p->n_functions; i++)
        assert_true(p->functions[i].id == m->function[i]->id);
    for (size_t i = 0; i < p->n_locations; i++)
        assert_true(p->locations[i].id == m->location[i]->id);
}

/* protobuf-c hands out strings that end at their first NUL. */
static bool has_nul(const struct profile *p)
{
    for (uint32_t i = 0; i < p->strings.n; i++)
        if (strlen(strtab_str(&p->strings, i)) != strtab_len(&p->strings, i))
            return true;
    return false;
}

enum pb_verdict pb_decide(const uint8_t *data, size_t n, uint64_t seed)
{
    const ProtobufCMessageDescriptor *message =
        &perftools__profiles__profile__descriptor;
    struct profile p;
    struct prof_err err = {0};
    Message *m = perftools__profiles__profile__unpack(NULL, n, data);
    const char *why = m ? pb_flaw(m) : "protobuf-c refuses it";
    bool twice = m && pb_given_twice(wire_of(data, n), message);
    bool ok = pb_decode(data, n, &p, NULL, &err);
    bool excused;
    if (ok)
        excused = !m && pb_has_long_number(wire_of(data, n), message);
    else /* what is given twice may be wrong the first time */
        excused = twice || (m && pb_is_no_message(wire_of(data, n), message)) ||
                  pb_nul_first(wire_of(data, n));
    if (ok != !why && !excused)
        fail_msg("seed %llu: taken: %d (%s), though %s",
                 (unsigned long long)seed, ok, err.text,
                 why ? why : "it has no flaw");
    enum pb_verdict verdict = ok ? PB_EXCUSED : m ? PB_FLAWED : PB_WIRE;
    if (ok && m) {
        verdict = PB_TAKEN;
        assert_true(check_profile(&p, &err));
        if (!has_nul(&p))
            pb_same(&p, m, twice);
        pb_same_ids(&p, m);
    } else if (!ok) {
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        assert_true(*err.text);
    }
    if (m)
        perftools__profiles__profile__free_unpacked(m, NULL);
    prof_free(&p);
    return verdict;
}
