#include "io/input_open.h"

#include <stdlib.h>
#include <unistd.h>

bool input_open(struct input **in, const char *path,
                const struct input_opts *opts, const struct notes *notes,
                struct err *err)
{
    struct input *i = calloc(1, sizeof *i);
    *in = NULL;
    if (!i)
        return err_nomem(err);
    i->opts = *opts;
    i->spilled = -1;
    i->path = path;
    i->notes = notes;
    uint64_t max = opts->max_size ? opts->max_size : INPUT_DEFAULT_MAX_SIZE;
    i->members.threads = opts->threads;
    i->members.salvage = opts->salvage;
    i->max = max < PTRDIFF_MAX ? (size_t)max : PTRDIFF_MAX;
    if (!input_open_file(i, path, err) || !input_begin(i, err)) {
        input_close(i);
        return false;
    }
    *in = i;
    return true;
}

/* What was inflated is not needed any more. */
static void free_packed(struct input *in)
{
    head_free(&in->file);
    head_free(&in->inner);
    buf_free(&in->unpacked);
}

/* What is wrong with a part, or that there is none. */
static int damaged(struct input *in, struct input_part *part)
{
    part->damage = in->damage.text;
    part->trailing = in->trailing;
    return 1;
}

/* What stands where an entry should. */
static int damaged_rest(struct input *in, struct input_part *part)
{
    in->unopened = false;
    part->rest = part->last_member = true;
    return damaged(in, part);
}

/* Adds to *err that there may be more than what was read. */
static void say_unread(struct err *err)
{
    struct err why = *err;
    (void)err_set(err, why.kind, "%s; the archive is not read further",
                  why.text);
}

/* The next entry, be it what there is of it; its place is in *part. */
static int next_entry(struct input *in, struct input_part *part,
                      struct err *err)
{
    struct entries *e = &in->entries;
    in->damage.kind = ERR_NONE;
    int got = entries_next(e, in->max, &in->entry, in->notes, err);
    part->entry = e->name;
    part->mtime = e->mtime;
    bool trailing = e->trailing || in->gunzip.trailing || in->unpack.trailing;
    if (got < 0 && e->damaged && e->unread && !trailing)
        say_unread(err);
    if (got < 0 && e->damaged && input_forgive(in, 0, trailing, err))
        return e->name ? 1 : damaged_rest(in, part);
    return got;
}

int input_next(struct input *in, struct input_part *part, struct err *err)
{
    in->entries.all = in->opts.all_entries;
    for (;;) {
        *part = (struct input_part){.path = in->path,
                                    .entry = in->entries.name,
                                    .mtime = in->entries.mtime};
        int got = members_next(&in->members, part, err);
        if (got > 0 && in->damage.kind && part->last_member)
            (void)damaged(in, part);
        if (!in->is_archive && members_spent(&in->members))
            free_packed(in);
        if (got || !in->is_archive)
            return got;
        got = in->unopened ? damaged_rest(in, part) : next_entry(in, part, err);
        if (got <= 0 || part->rest)
            return got;
        part->irregular = in->entries.irregular;
        part->link = in->entries.link;
        if (part->irregular) {
            part->last_member = true;
            return 1;
        }
        if (!input_take(in, in->entry.v, in->entry.n, err))
            return -1;
    }
}

void input_release(struct input *in)
{
    members_release(&in->members);
}

bool input_is_archive(const struct input *in)
{
    return in->is_archive;
}

void input_position(const struct input *in, uint64_t *at, uint64_t *size)
{
    off_t now = in->size ? lseek(in->fd, 0, SEEK_CUR) : -1;
    *at = now < 0 ? in->raw.total : (uint64_t)now;
    *size = in->size;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    entries_free(&in->entries);
    members_free(&in->members);
    head_free(&in->inner);
    unpack_free(&in->unpack);
    gunzip_free(&in->gunzip);
    head_free(&in->file);
    buf_free(&in->entry);
    buf_free(&in->unpacked);
    if (in->spilled >= 0)
        (void)close(in->spilled);
    if (in->owns_fd)
        (void)close(in->fd);
    free(in);
}

const char *input_library(void)
{
    struct la la;
    return la_load(&la, NULL) ? la.archive_version_string() : "no libarchive";
}
