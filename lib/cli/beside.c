#include "cli/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "cli/aside.h"
#include "cli/exefrom.h"
#include "cli/signals.h"
#include "io/spool.h"

/* An entry that patterns may mean. */
struct kept {
    const char *irregular; /* what it is if no file; null */
    uint32_t content;
};

/* A profile that was put aside. */
struct waiting {
    uint64_t at;
    uint32_t next; /* in its list, row + 1; 0: the last */
};

struct list {
    uint32_t first, last; /* rows + 1 */
};

struct beside {
    VEC(const char *) patterns;
    const char *otherwise; /* or null */
    struct spool spool;
    struct buf name;  /* what a pattern made */
    struct buf found; /* beside_exe.name */

    /* Of the present archive: */
    struct strtab entries; /* names of `kept`: id - 1 is the row */
    VEC(struct kept) kept;
    struct strtab wanted; /* what profiles wait for: id - 1 is the row of */
    VEC(struct list) lists;
    VEC(struct waiting) waiting;
    struct list ready;
    bool over;

    struct aside aside;
};

struct beside *beside_new(struct err *err)
{
    struct beside *b = mem_zarray(1, sizeof *b);
    if (!b || !strtab_init(&b->entries) || !strtab_init(&b->wanted)) {
        beside_free(b);
        err_nomem(err);
        return NULL;
    }
    b->spool.on_files = signals_spool;
    return b;
}

void beside_free(struct beside *b)
{
    if (!b)
        return;
    aside_free(&b->aside);
    spool_free(&b->spool);
    vec_free(&b->patterns);
    buf_free(&b->name);
    buf_free(&b->found);
    strtab_free(&b->entries);
    vec_free(&b->kept);
    strtab_free(&b->wanted);
    vec_free(&b->lists);
    vec_free(&b->waiting);
    free(b);
}

bool beside_pattern(struct beside *b, const char *pattern, struct err *err)
{
    return exefrom_check(pattern, err) &&
           (vec_push(&b->patterns, pattern) || err_nomem(err));
}

void beside_otherwise(struct beside *b, const char *path)
{
    b->otherwise = path;
}

static bool forget_names(struct strtab *t)
{
    strtab_free(t);
    return strtab_init(t);
}

bool beside_begin(struct beside *b, struct err *err)
{
    b->kept.n = b->lists.n = b->waiting.n = 0;
    b->ready = (struct list){0};
    b->over = false;
    aside_clear(&b->aside);
    return (forget_names(&b->entries) && forget_names(&b->wanted)) ||
           err_nomem(err);
}

/* --- executables --------------------------------------------------------- */

static bool is_elf(const uint8_t *data, size_t n)
{
    return n > 4 && memcmp(data, "\177ELF", 4) == 0;
}

static bool may_be(const struct beside *b, const char *entry)
{
    for (size_t i = 0; i < b->patterns.n; i++)
        if (exefrom_may_be(b->patterns.v[i], entry))
            return true;
    return false;
}

/* Puts list b at the end of list a. */
static void append(struct beside *b, struct list *a, struct list *from)
{
    if (!from->first)
        return;
    if (a->first)
        b->waiting.v[a->last - 1].next = from->first;
    else
        a->first = from->first;
    a->last = from->last;
    *from = (struct list){0};
}

/*
 * The executable that a hard link is another name of, if it was kept: of those
 * that no pattern can mean nothing is.
 */
static bool follow(struct beside *b, const char *link, struct kept *kept,
                   struct err *err)
{
    uint32_t id;
    if (!exefrom_entry(link, &b->name))
        return err_nomem(err);
    if (strtab_find(&b->entries, (char *)b->name.v, b->name.n - 1, &id))
        *kept = b->kept.v[id - 1];
    else if (!may_be(b, link))
        kept->irregular = "a hard link to an entry that no pattern means";
    return true;
}

int beside_keep(struct beside *b, const struct input_part *part,
                struct err *err)
{
    struct kept kept = {.irregular = part->irregular};
    uint32_t id;
    if (!part->entry || !may_be(b, part->entry) ||
        (!part->irregular && !is_elf(part->data, part->n)))
        return 0;
    bool ok = true;
    if (!part->irregular)
        ok = spool_add(&b->spool, part->data, part->n, &kept.content, err);
    else if (part->link)
        ok = follow(b, part->link, &kept, err);
    if (!ok)
        return -1;
    ok = exefrom_entry(part->entry, &b->name) &&
         strtab_add(&b->entries, (char *)b->name.v, b->name.n - 1, &id) &&
         (id <= b->kept.n || vec_push(&b->kept, kept));
    if (!ok) {
        err_nomem(err);
        return -1;
    }
    b->kept.v[id - 1] = kept;
    if (kept.irregular)
        return 0;
    if (strtab_find(&b->wanted, (char *)b->name.v, b->name.n - 1, &id))
        append(b, &b->ready, &b->lists.v[id - 1]);
    return 1;
}

/* --- profiles put aside -------------------------------------------------- */

/* Puts a profile aside until b->name is there. */
static bool put_aside(struct beside *b, const char *name,
                      const struct input_part *part, struct err *err)
{
    struct waiting w = {0};
    struct list none = {0};
    uint32_t id;
    if (!aside_put(&b->aside, name, part, &w.at, err))
        return false;
    if (!strtab_add(&b->wanted, (char *)b->name.v, b->name.n - 1, &id) ||
        (id > b->lists.n && !vec_push(&b->lists, none)) ||
        !vec_push(&b->waiting, w))
        return err_nomem(err);
    struct list one = {(uint32_t)b->waiting.n, (uint32_t)b->waiting.n};
    append(b, &b->lists.v[id - 1], &one);
    return true;
}

void beside_end(struct beside *b)
{
    for (size_t i = 0; i < b->lists.n; i++)
        append(b, &b->ready, &b->lists.v[i]);
    b->over = true;
}

int beside_next(struct beside *b, const char **name, struct input_part *part,
                struct err *err)
{
    if (!b->ready.first)
        return 0;
    struct waiting w = b->waiting.v[b->ready.first - 1];
    b->ready.first = w.next;
    if (!aside_get(&b->aside, w.at, name, part, err))
        return -1;
    if (!b->aside.n)
        b->waiting.n = 0;
    return 1;
}

/* --- looking ------------------------------------------------------------- */

enum look {
    LOOK_FOUND,
    LOOK_WAIT, /* it may be still to come */
    LOOK_NOT,
    LOOK_FAILED,
};

/* Looks for b->name; of what is not found *text says why. */
static enum look look_in_archive(struct beside *b, uint32_t *content,
                                 const char **text)
{
    uint32_t id;
    *text = "not in the archive";
    if (!strtab_find(&b->entries, (char *)b->name.v, b->name.n - 1, &id))
        return b->over ? LOOK_NOT : LOOK_WAIT;
    const struct kept *k = &b->kept.v[id - 1];
    *content = k->content;
    *text = k->irregular;
    return k->irregular ? LOOK_NOT : LOOK_FOUND;
}

static enum look look_in_files(struct beside *b, uint32_t *content,
                               const char **text, struct err *err)
{
    const char *path = (char *)b->name.v;
    uint8_t magic[5];
    struct stat st;
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ssize_t k = fd < 0 || fstat(fd, &st) != 0 ? -1 : 0;
    if (k == 0 && S_ISREG(st.st_mode))
        k = file_read(fd, magic, sizeof magic);
    int why = errno;
    if (fd >= 0)
        (void)close(fd);
    if (k < 0 && !file_is_refused(why)) {
        err_errno(err, why, "cannot read %s", path);
        return LOOK_FAILED;
    }
    *text = k < 0                       ? strerror(why)
            : !S_ISREG(st.st_mode)      ? "not a regular file"
            : !is_elf(magic, (size_t)k) ? "not an ELF file"
                                        : NULL;
    if (*text)
        return LOOK_NOT;
    return spool_take(&b->spool, path, content, err) ? LOOK_FOUND : LOOK_FAILED;
}

static enum look look(struct beside *b, const char *pattern,
                      const struct input_part *part, uint32_t *content,
                      struct buf *why, struct err *err)
{
    bool entry = part->entry != NULL;
    const char *path = entry ? part->entry : part->path, *text = NULL;
    if (!entry && strcmp(path, "-") == 0)
        path = NULL;
    if (entry && !exefrom_entry(path, &b->found)) {
        err_nomem(err);
        return LOOK_FAILED;
    }
    int got = exefrom_expand(pattern, entry ? (char *)b->found.v : path, entry,
                             &b->name, &text);
    enum look found = LOOK_NOT;
    if (got < 0) {
        err_nomem(err);
        found = LOOK_FAILED;
    } else if (got > 0 && entry) {
        found = look_in_archive(b, content, &text);
    } else if (got > 0) {
        found = look_in_files(b, content, &text, err);
    }
    if (found == LOOK_NOT &&
        !buf_printf(why, "%s%s: %s", why->n ? "; " : "",
                    got ? (char *)b->name.v : pattern, text)) {
        err_nomem(err);
        found = LOOK_FAILED;
    }
    return found;
}

/* b->name was found, or in its place the one that is always there. */
static bool tell_found(struct beside *b, const struct input_part *part,
                       struct beside_exe *exe, struct err *err)
{
    b->found.n = 0;
    if (!buf_put(&b->found, b->name.v, b->name.n))
        return err_nomem(err);
    exe->path = spool_path(&b->spool, exe->content);
    exe->name = exe->otherwise ? b->otherwise : (char *)b->found.v;
    exe->archive = part->entry && !exe->otherwise ? part->path : NULL;
    return true;
}

int beside_find(struct beside *b, const char *name,
                const struct input_part *part, struct beside_exe *exe,
                struct err *err)
{
    struct buf why = {0};
    enum look found = LOOK_NOT;
    *exe = (struct beside_exe){0};
    for (size_t i = 0; found == LOOK_NOT && i < b->patterns.n; i++)
        found = look(b, b->patterns.v[i], part, &exe->content, &why, err);
    if (found == LOOK_NOT && b->otherwise) {
        exe->otherwise = true;
        found = spool_take(&b->spool, b->otherwise, &exe->content, err)
                    ? LOOK_FOUND
                    : LOOK_FAILED;
    }
    if (found == LOOK_NOT)
        err_set(err, ERR_INPUT, "no executable found: %.*s", (int)why.n,
                (char *)why.v);
    buf_free(&why);
    if (found == LOOK_FOUND)
        return tell_found(b, part, exe, err) ? 1 : -1;
    if (found == LOOK_WAIT)
        return put_aside(b, name, part, err) ? 0 : -1;
    return -1;
}
