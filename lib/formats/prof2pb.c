/* prof2pb.c - the converter of prof2pb: reads, adds and symbolizes profiles */
#include "formats/prof2pb.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/vec.h"
#include "formats/import_formats.h"
#include "formats/snapshots.h"
#include "symbolize/symbol.h"

struct prof2pb_sum {
    const struct prof2pb_options *opts;
    const struct prof_notes *notes;
    struct import_sum profiles;
    struct snapshots snapshots;
    int64_t made; /* time of the newest input; INT64_MAX: unknown */
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
    struct prof2pb_sum *sum = mem_new(sizeof *sum, err);
    if (sum) {
        sum->opts = opts;
        sum->notes = sum->profiles.notes = notes;
    }
    return sum;
}

/*
 * Counts the files NAME_PID that gperftools wrote for child processes next to
 * the file NAME; 0 if the directory cannot be read.
 */
static size_t count_children(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(name - path)) : NULL;
    DIR *d = slash && !directory ? NULL : opendir(slash ? directory : ".");
    const struct dirent *entry;
    size_t n = strlen(name), count = 0;
    while (d && (entry = readdir(d))) {
        const char *file = entry->d_name;
        size_t digits = strncmp(file, name, n) == 0 && file[n] == '_'
                            ? strspn(file + n + 1, "0123456789")
                            : 0;
        count += digits && !file[n + 1 + digits];
    }
    if (d)
        (void)closedir(d);
    free(directory);
    return count;
}

/* Sets *err to the reason why prof2pb cannot read the input.  Returns false. */
static bool refuse(const struct import_input *in, struct prof_err *err)
{
    size_t children = !in->n && in->name ? count_children(in->name) : 0;
    if (children)
        return err_input(
            err,
            "empty file, but child processes wrote %zu profiles: use %s_[0-9]*",
            children, in->name);
    if (!in->n)
        return err_input(err, "empty file (was the program killed, perhaps by "
                              "SIGPROF, or is it still running?)");
    if (in->foreign)
        return err_input(err, "not a profile that prof2pb reads: found %s%s",
                         in->foreign->words,
                         import_program_advice(in->data, in->n));
    char list[IMPORT_NAMES_MAX];
    return err_input(err, "not a profile of %s", import_writers("or", list));
}

bool prof2pb_sum_add(struct prof2pb_sum *sum, const struct import_input *in,
                     struct prof_err *err)
{
    const struct prof2pb_options *o = sum->opts;
    const struct import_format *format = o->format ? o->format : in->format;
    struct import_input input = *in;
    if (!format)
        return refuse(in, err);
    input.lookup = &import_lookup;
    const bool ok = import_sum_add(
        &sum->profiles, import_read(format, &input, &o->import, err), err);
    const int64_t made = in->made ? in->made : INT64_MAX;
    if (ok && sum->made < made)
        sum->made = made;
    return ok && snapshots_add(&sum->snapshots, in->name, err);
}

struct profile *prof2pb_sum_finish(struct prof2pb_sum *sum,
                                   struct prof_err *err)
{
    const struct prof2pb_options *o = sum->opts;
    snapshots_end(&sum->snapshots, sum->notes);
    const struct prof_result_opts to_write = {.threads = o->symbols.threads,
                                              .to_write = true};
    /* Symbols change the order, so samples are sorted after them. */
    const struct prof_result_opts to_change = {.threads = o->symbols.threads,
                                               .keep_order = true};
    /* A merged profile is canonical as long as nothing is added. */
    bool is_last = o->import.no_symbols && !o->build_ids;
    struct profile *p = import_sum_finish(
        &sum->profiles, is_last ? &to_write : &to_change, err);
    if (!p || is_last)
        return p;

    /*
     * Symbolize after the sum, so that each binary is opened once and each
     * address looked up once, for any number of files.  The requested name is
     * used if the main binary has it.
     */
    const struct prof_notes *notes = sum->notes;
    struct sym_opts symbols = o->symbols;
    symbols.made = sum->made;
    if (o->import.binary && prof_count(p).mappings &&
        slice_is(prof_get_string(p, prof_get_mapping(p, 0).filename),
                 o->import.binary))
        symbols.binary = o->import.binary;
    if ((!o->build_ids || sym_read_build_ids(p, sum->made, notes, err)) &&
        (o->import.no_symbols || sym_profile(p, &symbols, notes, err)) &&
        prof_merge_one(p, &to_write, err))
        return p;
    prof_delete(p);
    return NULL;
}

void prof2pb_sum_free(struct prof2pb_sum *sum)
{
    if (!sum)
        return;
    prof_merge_free(sum->profiles.merger);
    snapshots_end(&sum->snapshots, NULL);
    free(sum);
}
