#include "cli/each.h"

#include <string.h>

#include "cli/signals.h"
#include "io/outname.h"

static void say_failed(struct cli *cli, const struct err *err)
{
    if (output_is_epipe(err))
        cli_set_status(cli, err->kind);
    else
        cli_error(cli, cli->output, err);
}

bool each_begin(struct each *e, struct cli *cli)
{
    struct err err;
    struct bundle_opts opts = {.output = {.path = cli->output,
                                          .binary = true,
                                          .if_changed = cli->if_changed,
                                          .on_temp = signals_temp},
                               .compressed = cli->level != 0};
    *e = (struct each){.cli = cli};
    if (!strtab_init(&e->names) || !strtab_init(&e->owners) ||
        !vec_push(&e->owner_of, 0)) {
        (void)err_nomem(&err);
        cli_error(cli, NULL, &err);
    } else if (!bundle_open(&e->bundle, &opts, &err)) {
        say_failed(cli, &err);
    }
    if (e->bundle)
        return true;
    (void)each_end(e, false);
    return false;
}

bool each_end(struct each *e, bool ok)
{
    struct err err;
    if (ok && bundle_commit(e->bundle, &err)) {
        e->cli->private->written = true;
    } else if (ok) {
        say_failed(e->cli, &err);
        ok = false;
    } else if (e->bundle) {
        bundle_abort(e->bundle);
    }
    cli_packer_free(&e->packer);
    strtab_free(&e->names);
    strtab_free(&e->owners);
    vec_free(&e->owner_of);
    buf_free(&e->name);
    return ok;
}

/* Takes off what a converted file's name ends in. */
static void drop_suffix(struct buf *b)
{
    static const char *const suffixes[] = {".pb.gz", ".pb"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i]);
        if (b->n > k && b->v[b->n - k - 1] != '/' &&
            memcmp(b->v + b->n - k, suffixes[i], k) == 0) {
            b->n -= k;
            return;
        }
    }
}

static bool stem_of(struct each *e, const struct input_part *part,
                    struct err *err)
{
    size_t stripped = 0;
    if (part->entry)
        return outname_of_entry(&e->name, part->entry, err);
    if (strcmp(part->path, "-") == 0)
        return buf_puts(&e->name, "stdin") || err_nomem(err);
    if (!outname_of_path(&e->name, part->path, &stripped, err))
        return false;
    if (stripped && !e->stripped)
        note_warn(&e->cli->notes, "'%.*s' is left out of names in the output",
                  (int)stripped, part->path);
    e->stripped |= stripped > 0;
    return true;
}

/* The name is the part's from now on. */
static bool claim(struct each *e, const char *part_name, struct err *err)
{
    uint32_t id, owner;
    const char *name = (const char *)e->name.v;
    if (!strtab_add(&e->names, name, strlen(name), &id))
        return err_nomem(err);
    if (id < e->owner_of.n)
        return err_set(err, ERR_INPUT, "%s is the output of %s already", name,
                       strtab_str(&e->owners, e->owner_of.v[id]));
    return (strtab_add(&e->owners, part_name, strlen(part_name), &owner) &&
            vec_push(&e->owner_of, owner)) ||
           err_nomem(err);
}

bool each_name(struct each *e, const struct input_part *part, struct err *err)
{
    e->name.n = 0;
    if (!stem_of(e, part, err))
        return false;
    drop_suffix(&e->name);
    bool ok = !part->member || buf_printf(&e->name, ".%zu", part->member);
    ok = ok && buf_puts(&e->name, e->cli->level ? ".pb.gz" : ".pb") &&
         buf_putc(&e->name, 0);
    return ok || err_nomem(err);
}

bool each_write(struct each *e, const char *part_name,
                const struct input_part *part, const struct profile *p,
                struct err *err)
{
    const struct buf *packed;
    if (!claim(e, part_name, err) ||
        !cli_pack(&e->packer, p, e->cli->level, &packed, err))
        return false;
    return bundle_add(e->bundle, (const char *)e->name.v, part->mtime,
                      packed->v, packed->n, err) ||
           (!output_is_epipe(err) && err_prefix(err, "%s: ", e->cli->output));
}
