/* each.c - names and writes the output files of --each */
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"
#include "cli/signals.h"

bool each_end(struct each *e, bool ok)
{
    struct prof_err err;
    if (ok && bundle_commit(e->bundle, &err)) {
        e->cli->private->written = true;
    } else if (ok) {
        ok = cli_output_failed(e->cli, &err);
    } else if (e->bundle) {
        bundle_abort(e->bundle);
    }
    pack_free(e->packer);
    buf_free(&e->packed);
    map_free(&e->names);
    strtab_free(&e->parts);
    vec_free(&e->part_of);
    buf_free(&e->name);
    return ok;
}

bool each_begin(struct each *e, struct cli *cli)
{
    struct prof_err err;
    struct bundle_opts opts = {.output = {.path = cli->output,
                                          .binary = true,
                                          .if_changed = cli->if_changed,
                                          .on_temp = signals_temp},
                               .compressed = cli->level != 0};
    *e = (struct each){.cli = cli, .packer = pack_new(1)};
    if (!e->packer || !strtab_init(&e->parts)) {
        (void)err_nomem(&err);
        cli_error(cli, NULL, &err);
    } else if (!bundle_open(&e->bundle, &opts, &err)) {
        (void)cli_output_failed(cli, &err);
    }
    if (e->bundle)
        return true;
    (void)each_end(e, false);
    return false;
}

static bool set_stem(struct each *e, const struct input_part *part,
                     struct prof_err *err)
{
    size_t stripped = 0;
    if (part->entry)
        return bundle_name_of_entry(&e->name, part->entry, err);
    if (strcmp(part->path, "-") == 0)
        return buf_puts(&e->name, "stdin") || err_nomem(err);
    if (!bundle_name_of_path(&e->name, part->path, &stripped, err))
        return false;
    if (stripped && !e->stripped)
        note_warn(&e->cli->notes, "leading '%.*s' removed from output names",
                  (int)stripped, part->path);
    e->stripped |= stripped > 0;
    return true;
}

bool each_claim(struct each *e, const char *name, const char *part_name,
                struct prof_err *err)
{
    uint32_t row, part;
    bool is_new;
    if (!vec_reserve(&e->part_of, 1) ||
        !strtab_add(&e->parts, part_name, strlen(part_name), &part) ||
        !map_add(&e->names, name, strlen(name), &row, &is_new))
        return err_nomem(err);
    if (!is_new)
        return err_input(err,
                         "%s is also the output name of %s; convert the two "
                         "inputs to separate outputs",
                         name, strtab_str(&e->parts, e->part_of.v[row]));
    e->part_of.v[e->part_of.n++] = part;
    return true;
}

size_t each_suffix(struct prof_slice name)
{
    return slice_ends_with(name, ".pb.gz") ? strlen(".pb.gz")
           : slice_ends_with(name, ".pb")  ? strlen(".pb")
                                           : 0;
}

bool each_name(struct each *e, const struct input_part *part,
               const struct buf *more, struct prof_err *err)
{
    struct buf *b = &e->name;
    b->n = 0;
    if (!set_stem(e, part, err))
        return false;
    const size_t suffix = each_suffix(buf_slice(b));
    if (b->n > suffix && b->v[b->n - suffix - 1] != '/')
        b->n -= suffix;
    bool ok = !part->member || buf_printf(&e->name, ".%zu", part->member);
    ok = ok && (!more || buf_put(&e->name, more->v, more->n));
    ok = ok && buf_puts(&e->name, e->cli->level ? ".pb.gz" : ".pb") &&
         buf_putc(&e->name, 0);
    return ok || err_nomem(err);
}

bool each_add(struct each *e, const struct bundle_file *file,
              struct prof_err *err)
{
    const char *output = e->cli->output;
    return bundle_add(e->bundle, file, err) ||
           (!output_is_epipe(err) &&
            err_prefix(err, "%s: ", output ? output : "(standard output)"));
}
