#include "profile/trimpath.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The length of the directory with its slash, if the name lies in it. */
static size_t inside(const char *name, size_t len, const char *dir, size_t n)
{
    while (n && dir[n - 1] == '/')
        n--;
    if (len <= n || memcmp(name, dir, n) != 0 || name[n] != '/')
        return 0;
    return n + 1;
}

static size_t to_trim(const char *name, size_t len, const char *dirs)
{
    static const char *const always[] = {"/proc/self/cwd/.", "/proc/self/cwd"};
    while (*dirs) {
        size_t n = strcspn(dirs, ":");
        size_t trim = inside(name, len, dirs, n);
        if (trim)
            return trim;
        dirs += n + (dirs[n] == ':');
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        size_t trim = inside(name, len, always[i], strlen(always[i]));
        if (trim)
            return trim;
    }
    return 0;
}

bool prof_trim_paths(struct profile *p, const char *dirs, struct err *err)
{
    /* Once per file name; PROF_NONE is for those not met yet. */
    uint32_t n = p->strings.n;
    uint32_t *instead = mem_array(n, sizeof *instead);
    if (!instead)
        return err_nomem(err);
    memset(instead, 0xff, n * sizeof *instead);
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_functions; i++) {
        uint32_t *name = &p->functions[i].filename, *to = &instead[*name];
        if (*to == PROF_NONE) {
            const char *text = prof_cstr(p, *name);
            size_t len = strtab_len(&p->strings, *name);
            size_t trim = to_trim(text, len, dirs);
            ok = prof_strn(p, text + trim, len - trim, to, err);
        }
        *name = *to;
    }
    free(instead);
    return ok;
}
