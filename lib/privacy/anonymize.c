/* anonymize.c - replaces the names of a profile by pseudonyms */
#include "privacy/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

enum {
    BASE32_CHARS = 16,   /* in a pseudonym: 80 bits */
    BUILD_ID_BYTES = 20, /* as those of GNU ld */
    SUFFIX_DIGITS = 4,   /* in a copy's number; longer ones are hashes */
    PSEUDONYM_ROOM = 48, /* for the longest, without its suffix */
};

static const struct {
    const char *word;   /* in a map, and before the name that is hashed */
    const char *prefix; /* of the pseudonym */
} kinds[NAME_KINDS] = {
    [NAME_FUNCTION] = {"function", "fn_"},
    [NAME_FILE] = {"file", "file_"},
    [NAME_BINARY] = {"binary", "bin_"},
    [NAME_BUILD_ID] = {"build_id", ""},
    [NAME_LABEL_KEY] = {"label_key", "key_"},
    [NAME_LABEL_VALUE] = {"label_value", "val_"},
};

const char *name_kind_word(enum name_kind kind)
{
    return kinds[kind].word;
}

enum name_kind name_kind_of(enum prof_string_kind kind)
{
    static const enum name_kind names[] = {
        [PROF_FUNCTION_NAME] = NAME_FUNCTION,
        [PROF_SYSTEM_NAME] = NAME_FUNCTION,
        [PROF_SOURCE_FILE] = NAME_FILE,
        [PROF_MAPPING_FILE] = NAME_BINARY,
        [PROF_BUILD_ID] = NAME_BUILD_ID,
        [PROF_LABEL_KEY] = NAME_LABEL_KEY,
        [PROF_LABEL_VALUE] = NAME_LABEL_VALUE,
    };
    return kind < sizeof names / sizeof *names ? names[kind] : NAME_NONE;
}

struct anonymizer {
    struct pseudonyms *all; /* not owned */
    struct keyed_hash *hash;
    struct regex *keep_names, *keep_mappings; /* or null */
};

struct anonymizer *anonymizer_new(struct pseudonyms *all, struct prof_err *err)
{
    const struct pseudonyms_opts *o = &all->opts;
    struct anonymizer *a = mem_new(sizeof *a, err);
    if (!a)
        return NULL;
    a->all = all;
    if ((a->hash = keyed_hash_new(all->key.v, all->key.n, err)) &&
        (!o->keep_names || regex_new(&a->keep_names, o->keep_names,
                                     "--keep-names", PROF_ERR_USAGE, err)) &&
        (!o->keep_mappings ||
         regex_new(&a->keep_mappings, o->keep_mappings, "--keep-mappings",
                   PROF_ERR_USAGE, err)))
        return a;
    anonymizer_free(a);
    return NULL;
}

void anonymizer_free(struct anonymizer *a)
{
    if (!a)
        return;
    keyed_hash_free(a->hash);
    regex_free(a->keep_names);
    regex_free(a->keep_mappings);
    free(a);
}

/* --- one name ------------------------------------------------------------- */

static void put_base32(char text[BASE32_CHARS], const uint8_t *bytes)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    for (size_t i = 0; i < BASE32_CHARS; i++) {
        /* The 5 bits from bit 5 * i on, the highest first. */
        size_t at = 5 * i / 8, shift = 5 * i % 8;
        unsigned two = (unsigned)bytes[at] << 8 | bytes[at + 1];
        text[i] = digits[two >> (11 - shift) & 31];
    }
}

/* Returns where the suffix begins that a compiler added to the name of a copy,
 * such as ".part.0", which may stay readable; name.n if there is none. */
static size_t suffix_start(struct prof_slice name)
{
    size_t base = prof_base_length(name), digits = 0;
    for (size_t i = base; i < name.n; i++) {
        digits = ascii_is_digit(name.s[i]) ? digits + 1 : 0;
        if (digits > SUFFIX_DIGITS)
            return name.n;
    }
    return base;
}

static bool put_pseudonym(struct anonymizer *a, enum name_kind kind,
                          struct prof_slice name, struct buf *to)
{
    const char *word = kinds[kind].word;
    size_t n = kind == NAME_FUNCTION ? suffix_start(name) : name.n;
    const struct prof_slice parts[] = {{word, strlen(word) + 1},
                                       slice_to(name, n)};
    uint8_t digest[KEYED_HASH_BYTES];
    char text[PSEUDONYM_ROOM];
    keyed_hash_make(a->hash, parts, 2, digest);
    if (kind == NAME_BUILD_ID) {
        bytes_to_hex(text, digest, BUILD_ID_BYTES);
        return buf_puts(to, text);
    }
    put_base32(text, digest);
    return buf_puts(to, kinds[kind].prefix) &&
           buf_put(to, text, BASE32_CHARS) &&
           buf_put(to, name.s + n, name.n - n);
}

static bool is_one_of(struct prof_slice s, const char *const *words)
{
    while (*words && !slice_is(s, *words))
        words++;
    return *words;
}

/* Returns whether profilers give this name to any program and other tools rely
 * on it, so that it stays. */
static bool is_common(enum name_kind kind, struct prof_slice name)
{
    static const char *const places[] = {"[unknown]",
                                         "<unknown>",
                                         "[kernel.kallsyms]",
                                         "[guest.kernel.kallsyms]",
                                         "[vdso]",
                                         "[vsyscall]",
                                         "[heap]",
                                         "[stack]",
                                         "[anon]",
                                         "//anon",
                                         NULL};
    static const char *const keys[] = {
        "alignment",    "bytes",       "cgroup",       "comm",
        "cpu",          "event",       "host",         "parallelism",
        "pid",          "pprof::base", "process_comm", "execution_mode",
        "request",      "thread",      "thread_id",    "tid",
        "timestamp_ns", NULL};
    switch (kind) {
    case NAME_FUNCTION:
    case NAME_FILE:
    case NAME_BINARY:
        return is_one_of(name, places);
    case NAME_LABEL_KEY:
        return is_one_of(name, keys);
    default:
        return false;
    }
}

/* --- the binaries that are kept ------------------------------------------- */

/* A profile while its names are replaced. */
struct work {
    struct anonymizer *a;
    struct profile *p;
    struct prof_err *err;
    bool *keep_mapping, *keep_function; /* by index: whether its name is kept */
    uint32_t n_strings;                 /* before any was added */
    /* By kind and id: the string that replaces it, or PROF_NONE. */
    uint32_t *instead;
    struct buf text;
    size_t replaced[NAME_KINDS], kept[NAME_KINDS];
};

static bool find_mappings(struct work *w)
{
    const struct profile *p = w->p;
    struct regex *re = w->a->keep_mappings;
    for (size_t i = 0; re && i < p->n_mappings; i++) {
        struct prof_slice file = prof_text(p, p->mappings[i].filename);
        int found = regex_match(re, file.s, file.n, w->err);
        if (found < 0)
            return false;
        w->keep_mapping[i] = found;
    }
    return true;
}

/* The binaries that have a function: kept ones, others, or both. */
enum { IN_KEPT = 1, IN_OTHERS = 2 };

static bool is_kept(const struct work *w, const struct prof_location *l)
{
    return l->mapping != PROF_NONE && w->keep_mapping[l->mapping];
}

/*
 * Sets w->keep_function[], which has room for a copy of each function.
 * Functions of kept binaries keep their names; those of the same name elsewhere
 * do not.
 */
static bool find_functions(struct work *w)
{
    struct profile *p = w->p;
    size_t n = p->n_functions;
    uint8_t *where = mem_zarray(n, 1);
    uint32_t *copy = mem_array(n, sizeof *copy);
    bool ok = (where && copy) || err_nomem(w->err);
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; k < l->n_lines; k++) {
            uint32_t f = p->lines[l->line_off + k].function;
            if (f != PROF_NONE)
                where[f] |= is_kept(w, l) ? IN_KEPT : IN_OTHERS;
        }
    }
    for (size_t f = 0; ok && f < n; f++) {
        const struct prof_function function = p->functions[f];
        if (where[f] == IN_KEPT)
            w->keep_function[f] = true;
        else if (where[f] == (IN_KEPT | IN_OTHERS))
            ok = prof_add_function(p, &function, &copy[f], w->err);
    }
    for (size_t f = n; ok && f < p->n_functions; f++)
        w->keep_function[f] = true;
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; is_kept(w, l) && k < l->n_lines; k++) {
            uint32_t *f = &p->lines[l->line_off + k].function;
            if (*f < n && where[*f] == (IN_KEPT | IN_OTHERS))
                *f = copy[*f];
        }
    }
    free(where);
    free(copy);
    return ok;
}

/* --- all names ------------------------------------------------------------ */

/* Sets *to to the id of the name's pseudonym, or of the name itself. */
static bool find_instead(struct work *w, enum name_kind kind, uint32_t id,
                         uint32_t *to)
{
    struct prof_slice name = prof_text(w->p, id);
    struct regex *re = w->a->keep_names;
    *to = id;
    if (is_common(kind, name))
        return true;
    int keep = re ? regex_match(re, name.s, name.n, w->err) : 0;
    if (keep < 0)
        return false;
    (keep ? w->kept : w->replaced)[kind]++;
    if (keep)
        return true;
    w->text.n = 0;
    return (put_pseudonym(w->a, kind, name, &w->text) || err_nomem(w->err)) &&
           prof_strn(w->p, (const char *)w->text.v, w->text.n, to, w->err);
}

/* Returns whether the place keeps its name, whatever the name is. */
static bool stays(const struct work *w, enum prof_string_kind kind,
                  size_t index)
{
    const struct profile *p = w->p;
    switch (kind) {
    case PROF_FUNCTION_NAME:
    case PROF_SYSTEM_NAME:
    case PROF_SOURCE_FILE:
        return w->keep_function[index];
    case PROF_MAPPING_FILE:
    case PROF_BUILD_ID:
        return w->keep_mapping[index];
    case PROF_LABEL_VALUE:
        /* Samples that a difference subtracted keep their label. */
        return slice_is(prof_text(p, p->labels[index].key), "pprof::base");
    default:
        return false;
    }
}

static bool replace(void *ctx, enum prof_string_kind kind, size_t index,
                    uint32_t *id)
{
    struct work *w = ctx;
    enum name_kind name = name_kind_of(kind);
    if (kind == PROF_DOC_URL || kind == PROF_DROP_FRAMES ||
        kind == PROF_KEEP_FRAMES)
        *id = 0;
    if (name == NAME_NONE || !*id || stays(w, kind, index))
        return true;
    uint32_t *to = &w->instead[(size_t)name * w->n_strings + *id];
    if (*to == PROF_NONE && !find_instead(w, name, *id, to))
        return false;
    *id = *to;
    return true;
}

static bool add_pair(struct pseudonyms *all, const struct work *w,
                     enum name_kind kind, uint32_t id, uint32_t pseudonym)
{
    struct prof_slice name = prof_text(w->p, id);
    struct prof_slice text = prof_text(w->p, pseudonym);
    struct name_pair pair = {.kind = kind};
    uint32_t row;
    bool is_new;
    return map_add(&all->known, text.s, text.n, &row, &is_new) &&
           (!is_new || (strtab_add(&all->names, name.s, name.n, &pair.name) &&
                        vec_push(&all->pairs, pair)));
}

/* Records what the profile has besides names: it stays as it is. */
static bool see_rest(struct unchanged *u, struct strtab *types,
                     const struct profile *p)
{
    uint32_t id;
    u->times |= p->time_nanos || p->duration_nanos;
    for (size_t i = 0; i < p->n_locations; i++)
        u->addresses |= p->locations[i].address != 0;
    for (size_t i = 0; i < p->n_lines; i++)
        u->lines |= p->lines[i].line != 0;
    /* Dropped labels are still in the table, but no sample has them. */
    bool labels = false;
    for (size_t s = 0; s < p->n_samples && !labels; s++)
        labels = p->labelset[s] != 0;
    for (size_t i = 0; labels && i < p->n_labels; i++)
        u->numbers |= !p->labels[i].str;
    for (size_t i = 0; i < p->n_types; i++) {
        struct prof_shown type = prof_show_type(p, p->types[i]);
        if (!strtab_add(types, type.text, strlen(type.text), &id))
            return false;
    }
    return true;
}

/* Adds the counts and names of this profile to what all threads share. */
static bool share(struct work *w)
{
    struct pseudonyms *all = w->a->all;
    for (size_t i = 0; i < w->p->n_mappings; i++)
        w->kept[NAME_BINARY] += w->keep_mapping[i];
    for (size_t i = 0; i < w->p->n_functions; i++)
        w->kept[NAME_FUNCTION] += w->keep_function[i];
    (void)pthread_mutex_lock(&all->lock);
    bool ok = see_rest(&all->unchanged, &all->types, w->p);
    for (size_t k = 0; k < NAME_KINDS; k++) {
        const uint32_t *to = w->instead + k * w->n_strings;
        all->replaced[k] += w->replaced[k];
        all->kept[k] += w->kept[k];
        for (uint32_t id = 0; ok && all->opts.map && id < w->n_strings; id++)
            if (to[id] != PROF_NONE && to[id] != id)
                ok = add_pair(all, w, (enum name_kind)k, id, to[id]);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return ok || err_nomem(w->err);
}

bool anonymize(struct anonymizer *a, struct profile *p, struct prof_err *err)
{
    struct work w = {.a = a, .p = p, .err = err, .n_strings = p->strings.n};
    w.instead = mem_none((size_t)w.n_strings * NAME_KINDS);
    w.keep_mapping = mem_zarray(p->n_mappings, sizeof *w.keep_mapping);
    /* Functions that kept binaries and others have are duplicated. */
    w.keep_function = mem_zarray(2 * p->n_functions, sizeof *w.keep_function);
    bool ok =
        (w.instead && w.keep_mapping && w.keep_function) || err_nomem(err);
    p->n_comments = 0;
    ok = ok && find_mappings(&w) && (!a->keep_mappings || find_functions(&w)) &&
         prof_visit_strings(p, replace, &w) && prof_sort_labels(p, err) &&
         share(&w);
    buf_free(&w.text);
    free(w.instead);
    free(w.keep_mapping);
    free(w.keep_function);
    return ok;
}
