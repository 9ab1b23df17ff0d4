/* prof2pb.c - the converter of prof2pb: reads, adds and symbolizes profiles */
#include "formats/prof2pb.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "formats/import_formats.h"
#include "formats/snapshots.h"
#include "profile/merge/merge.h"
#include "profile/model/text.h"
#include "symbolize/symbol.h"

struct prof2pb_sum {
    const struct prof2pb_options *opts;
    const struct prof_notes *notes;
    struct import_sum *profiles;
    struct snapshots snapshots;
    int64_t made; /* of the newest input; INT64_MAX if one is unknown */
};

bool prof2pb_begins(const uint8_t *data, size_t n)
{
    const struct import_format *format = import_find("prof2pb", data, n);
    return format && (!format->is_sound || format->is_sound(data, n));
}

struct prof2pb_sum *prof2pb_sum_new(const struct prof2pb_options *opts,
                                    const struct prof_notes *notes,
                                    struct prof_err *err)
{
    struct prof2pb_sum *sum = calloc(1, sizeof *sum);
    if (!sum) {
        (void)err_nomem(err);
        return NULL;
    }
    sum->opts = opts;
    sum->notes = notes;
    sum->profiles = import_sum_new(notes, err);
    if (sum->profiles)
        return sum;
    free(sum);
    return NULL;
}

/* A file that gperftools made of a child process: its name is NAME_PID. */
static bool is_of_child(const char *file, const char *name, size_t n)
{
    size_t digits = strncmp(file, name, n) == 0 && file[n] == '_'
                        ? strspn(file + n + 1, "0123456789")
                        : 0;
    return digits && !file[n + 1 + digits];
}

/* How many such files are beside a file; 0 if that cannot be found out. */
static size_t count_children(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(name - path)) : NULL;
    DIR *d = slash && !directory ? NULL : opendir(slash ? directory : ".");
    const struct dirent *entry;
    size_t n = 0;
    while (d && (entry = readdir(d)))
        n += is_of_child(entry->d_name, name, strlen(name));
    if (d)
        (void)closedir(d);
    free(directory);
    return n;
}

/* Why the input is no profile that could be read. */
static bool refuse(const struct import_input *in, struct prof_err *err)
{
    size_t children = !in->n && in->name ? count_children(in->name) : 0;
    if (children)
        return err_set(err, PROF_ERR_INPUT,
                       "empty file, but child processes wrote %zu profiles: "
                       "use %s_[0-9]*",
                       children, in->name);
    if (!in->n)
        return err_set(err, PROF_ERR_INPUT,
                       "empty file (was the program killed, perhaps by "
                       "SIGPROF, or is it still running?)");
    if (in->foreign)
        return err_set(err, PROF_ERR_INPUT,
                       "not a profile that prof2pb reads: this is %s%s",
                       in->foreign->words,
                       import_program_advice(in->data, in->n));
    char list[IMPORT_NAMES_MAX];
    return err_set(err, PROF_ERR_INPUT, "not a profile of %s",
                   import_writers("or", list));
}

bool prof2pb_sum_add(struct prof2pb_sum *sum, const struct import_input *in,
                     struct prof_err *err)
{
    const struct prof2pb_options *o = sum->opts;
    const struct import_format *format = o->format ? o->format : in->format;
    struct import_input input = *in;
    struct profile p = {0};
    if (!format)
        return refuse(in, err);
    input.lookup = &import_lookup;
    bool ok = import_read(format, &input, &o->import, &p, err) &&
              import_sum_add(sum->profiles, &p, err);
    prof_free(&p);
    const int64_t made = in->made ? in->made : INT64_MAX;
    if (ok && sum->made < made)
        sum->made = made;
    return ok && snapshots_add(&sum->snapshots, in->name, err);
}

/* True when the main binary could be called so. */
static bool is_named(const struct profile *p, const char *binary)
{
    return binary && p->n_mappings &&
           slice_is(prof_text(p, p->mappings[0].filename), binary);
}

/*
 * Symbols come after the sum: each binary is then opened once, and each
 * address looked up once, however many files have it.
 */
static bool symbolize(const struct prof2pb_sum *sum, struct profile *p,
                      struct prof_err *err)
{
    const struct prof2pb_options *o = sum->opts;
    const struct prof_notes *notes = sum->notes;
    struct sym_opts symbols = o->symbols;
    symbols.made = sum->made;
    if (is_named(p, o->import.binary))
        symbols.binary = o->import.binary;
    return (!o->build_ids || sym_read_build_ids(p, sum->made, notes, err)) &&
           (o->import.no_symbols || sym_profile(p, &symbols, notes, err));
}

struct profile *prof2pb_sum_finish(struct prof2pb_sum *sum,
                                   struct prof_err *err)
{
    const struct prof2pb_options *o = sum->opts;
    snapshots_end(&sum->snapshots, sum->notes);
    struct profile *p = import_sum_finish(sum->profiles, err);
    /* What is merged is canonical until something is added. */
    if (!p || (o->import.no_symbols && !o->build_ids))
        return p;
    if (symbolize(sum, p, err))
        return prof_merge_one(p, NULL, err);
    prof_delete(p);
    return NULL;
}

void prof2pb_sum_free(struct prof2pb_sum *sum)
{
    if (!sum)
        return;
    import_sum_free(sum->profiles);
    snapshots_end(&sum->snapshots, NULL);
    free(sum);
}
