/*
 * without_elfutils.c - what the functions of symbol.h and binary.h do in a
 * build without elfutils: no binary is read, so that addresses stay without
 * names
 */
#include <stdlib.h>

#include "base/vec.h"
#include "symbolize/binary.h"
#include "symbolize/owners.h"
#include "symbolize/symbol.h"
#include "symbolize/unwind.h"

/* Functions that do nothing ignore their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

const struct library_about sym_library = {
    .name = "elfutils", .lacking = TEXT("symbols (built with ELFUTILS=no)")};

static bool fail(struct prof_err *err)
{
    return err_set(err, PROF_ERR_SYSTEM,
                   "cannot read binaries: built without elfutils");
}

/* Objects without content. */
struct sym_cache {
    char none;
};
struct unwinder {
    char none;
};

struct sym_cache *sym_cache_new(struct prof_err *err)
{
    return mem_new(sizeof(struct sym_cache), err);
}

void sym_cache_free(struct sym_cache *cache)
{
    free(cache);
}

enum sym_found sym_cache_find(struct sym_cache *cache,
                              const struct sym_wanted *wanted,
                              const struct sym_files **files,
                              struct prof_err *err)
{
    *files = NULL;
    (void)fail(err);
    return SYM_NOT_FOUND;
}

/* Fails if the user named a binary, rather than ignore it. */
bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err)
{
    size_t n = 0;
    if (opts->binary)
        return fail(err);
    for (size_t i = 0; i < prof_count(p).locations; i++)
        n += !prof_get_location(p, i).n_lines || opts->force;
    if (n)
        note_warn(notes,
                  "no function names for %zu address%s: built without elfutils",
                  n, n == 1 ? "" : "es");
    return true;
}

struct profile *sym_places(const char *binary, const struct sym_opts *opts,
                           struct prof_err *err)
{
    (void)fail(err);
    return NULL;
}

bool sym_redemangle(struct profile *p, enum sym_demangle how,
                    const struct prof_notes *notes, struct prof_err *err)
{
    return fail(err);
}

bool sym_read_build_ids(struct profile *p, int64_t made,
                        const struct prof_notes *notes, struct prof_err *err)
{
    return fail(err);
}

bool sym_vdso_id(const char *kernel, sym_build_id id, struct prof_err *err)
{
    id[0] = 0;
    return true;
}

bool sym_kernel_id(const struct sym_kernel *k, sym_build_id id,
                   struct prof_err *err)
{
    id[0] = 0;
    return true;
}

bool sym_has_no_file(const char *file)
{
    return false;
}

bool sym_program_read(struct sym_program *p, int fd, struct prof_err *err)
{
    *p = (struct sym_program){0};
    return fail(err);
}

bool sym_image_open(struct sym_image *im, const char *path, bool any,
                    bool *absent, struct prof_err *err)
{
    *im = (struct sym_image){0};
    *absent = false;
    return fail(err);
}

void sym_image_close(struct sym_image *im)
{
}

bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias)
{
    *bias = 0;
    return false;
}

bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct prof_err *err)
{
    *l = (struct sym_labels){0};
    return fail(err);
}

bool code_owners_read(struct code_owners *o, const char *file, const char *path,
                      const struct prof_notes *notes, struct prof_err *err)
{
    return code_owners_read_gprof(o, file, path, err);
}

bool code_owners_read_gprof(struct code_owners *o, const char *file,
                            const char *path, struct prof_err *err)
{
    *o = (struct code_owners){0};
    return fail(err);
}

struct unwinder *unwinder_new(const char *path, const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct unwinder *u = mem_new(sizeof *u, err);
    if (u)
        note_warn(notes,
                  "cannot unwind recorded stacks: built without elfutils");
    return u;
}

void unwinder_free(struct unwinder *u)
{
    free(u);
}

bool unwind_stack(struct unwinder *u, const struct unwind_sample *s,
                  struct unwind_stack *stack, struct prof_err *err)
{
    *stack = (struct unwind_stack){0};
    return true;
}
