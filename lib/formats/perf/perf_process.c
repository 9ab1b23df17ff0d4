/* perf_process.c - processes, their threads and their mappings */
#include <stdio.h>

#include "formats/perf/private.h"
#include "symbolize/binary.h"

bool perf_processes_init(struct perf_processes *ps, struct perf_about *about,
                         struct prof_err *err)
{
    ps->about = about;
    ps->trees.seed = hash_seed();
    ps->kernel = PROF_NONE;
    return perf_process(ps, -1, err) != NULL;
}

void perf_processes_free(struct perf_processes *ps)
{
    vec_free(&ps->trees.nodes);
    vec_free(&ps->mappings);
    map_free(&ps->mapping_rows);
    vec_free(&ps->list);
    perf_ids_free(&ps->by_pid);
    perf_ids_free(&ps->comms);
}

struct perf_process *perf_process(struct perf_processes *ps, int32_t pid,
                                  struct prof_err *err)
{
    /* Most samples belong to the same process as the previous one. */
    if (ps->last < ps->list.n && ps->list.v[ps->last].pid == pid)
        return &ps->list.v[ps->last];
    if (!perf_ids_add(&ps->by_pid, (uint32_t)pid, 0, &ps->last, err))
        return NULL;
    if (ps->last < ps->list.n)
        return &ps->list.v[ps->last];
    const struct perf_process new = {
        .pid = pid, .generation = ++ps->generations, .program = PROF_NONE};
    if (vec_push(&ps->list, new))
        return &ps->list.v[ps->last];
    (void)err_nomem(err);
    return NULL;
}

const struct perf_process *perf_space(struct perf_processes *ps, int32_t pid,
                                      struct prof_err *err)
{
    struct perf_process *process = perf_process(ps, pid, err);
    const struct perf_process *kernel = &ps->list.v[0];
    if (process && process != kernel &&
        process->kernel_generation != kernel->generation) {
        process->kernel_generation = kernel->generation;
        process->generation = ++ps->generations;
    }
    return process;
}

uint32_t perf_comm(const struct perf_processes *ps, int32_t tid)
{
    uint32_t row = perf_ids_find(&ps->comms, (uint32_t)tid);
    return row == HASHIDX_NONE ? 0 : ps->comms.v[row].value;
}

static bool set_comm(struct perf_processes *ps, int32_t tid, uint32_t comm,
                     struct prof_err *err)
{
    uint32_t row;
    if (!perf_ids_add(&ps->comms, (uint32_t)tid, comm, &row, err))
        return false;
    ps->comms.v[row].value = comm;
    return true;
}

bool perf_set_comm(struct perf_processes *ps, int32_t pid, int32_t tid,
                   struct prof_slice comm, bool exec, struct prof_err *err)
{
    struct perf_process *process = perf_process(ps, pid, err);
    uint32_t name;
    if (!process)
        return false;
    if (exec)
        process->program = PROF_NONE;
    return (strtab_add(&ps->about->names, comm.s, comm.n, &name) ||
            err_nomem(err)) &&
           set_comm(ps, tid, name, err);
}

bool perf_fork(struct perf_processes *ps, const struct perf_new_thread *t,
               bool share_maps, struct prof_err *err)
{
    if (!set_comm(ps, t->tid, perf_comm(ps, t->parent_tid), err))
        return false;
    if (t->pid == t->parent || !share_maps)
        return true;
    const struct perf_process *found = perf_process(ps, t->parent, err);
    if (!found)
        return false;
    const struct perf_process from = *found; /* the list moves when it grows */
    struct perf_process *child = perf_process(ps, t->pid, err);
    if (!child)
        return false;
    perf_tree_drop(&ps->trees, child->maps);
    *child = from;
    child->pid = t->pid;
    (void)perf_tree_share(&ps->trees, child->maps);
    return true;
}

/* --- what is mapped ------------------------------------------------------- */

/* Returns whether a name is that of memory without a file, by perf's rules
 * (tools/perf/util/map.c). */
static bool is_anonymous(struct prof_slice file)
{
    static const char *const starts[] = {"//anon", "/anon_hugepage",
                                         "/dev/zero", "/SYSV", "[stack"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_begins_with(file, starts[i]))
            return true;
    return slice_is(file, "[heap]");
}

static bool is_program(struct prof_slice file)
{
    return slice_begins_with(file, "/") && !slice_begins_with(file, "//") &&
           !is_anonymous(file) && !slice_contains(file, ".so.") &&
           !slice_ends_with(file, ".so") && !slice_ends_with(file, ".ko") &&
           !slice_contains(file, ".so (deleted)");
}

/*
 * Sets *row to the row of the mapping, added if it is new.  Unless it is fixed,
 * the same part of a file at several addresses is one mapping.
 */
static bool intern_mapping(struct perf_processes *ps,
                           const struct perf_mapping *want, uint32_t *row,
                           struct prof_err *err)
{
    const unsigned flags =
        want->fixed | (unsigned)want->kernel << 1 | (unsigned)want->vdso << 2;
    const uint64_t key[] = {want->file,   want->build_id,
                            want->offset, want->size,
                            flags,        want->fixed ? want->start : 0};
    if (!map_push(&ps->mapping_rows, &ps->mappings, key, sizeof key, row,
                  *want))
        return err_nomem(err);
    struct perf_mapping *m = &ps->mappings.v[*row];
    m->start = m->start < want->start ? m->start : want->start;
    return true;
}

/*
 * Looks up the kernel's mapping, such as "[kernel.kallsyms]_text", also without
 * the name of the symbol, which the list of build IDs may lack.
 */
uint32_t perf_build_id_of(const struct perf_processes *ps,
                          const struct perf_mapping *mapping)
{
    if (mapping->build_id)
        return mapping->build_id;
    static const char *const kernel[] = {"_text", "_stext"};
    uint32_t file = mapping->file, id;
    struct prof_slice name = strtab_slice(&ps->about->names, file);
    for (size_t i = 0; mapping->kernel && i < 2; i++) {
        size_t k = strlen(kernel[i]);
        if (slice_ends_with(name, kernel[i]) &&
            strtab_find(&ps->about->names, name.s, name.n - k, &id))
            file = id;
    }
    if (file < ps->about->build_ids.n && ps->about->build_ids.v[file])
        return ps->about->build_ids.v[file];
    if (mapping->file < ps->about->build_ids.n &&
        ps->about->build_ids.v[mapping->file])
        return ps->about->build_ids.v[mapping->file];
    return mapping->vdso ? ps->vdso_id : 0;
}

bool perf_find_kernel(struct perf_processes *ps, struct prof_err *err)
{
    sym_build_id hex;
    if (ps->kernel == PROF_NONE || !ps->about->host.n || !ps->about->release.n)
        return true;
    struct perf_mapping *kernel = &ps->mappings.v[ps->kernel];
    const struct prof_slice file =
        strtab_slice(&ps->about->names, kernel->file);
    /* The offset is the address of the symbol in "[kernel.kallsyms]_text". */
    const char *symbol = memchr(file.s, ']', file.n);
    if (!symbol || perf_build_id_of(ps, kernel))
        return true;
    const struct sym_kernel recorded = {.host = (const char *)ps->about->host.v,
                                        .release =
                                            (const char *)ps->about->release.v,
                                        .symbol = symbol + 1,
                                        .address = kernel->offset};
    return sym_kernel_id(&recorded, hex, err) &&
           (!*hex ||
            strtab_add(&ps->about->names, hex, strlen(hex),
                       &kernel->build_id) ||
            err_nomem(err));
}

bool perf_find_vdso(struct perf_processes *ps, struct prof_err *err)
{
    sym_build_id hex;
    if (ps->has_vdso_id || ps->kernel == PROF_NONE)
        return true;
    uint32_t kernel = perf_build_id_of(ps, &ps->mappings.v[ps->kernel]);
    if (!kernel)
        return true;
    ps->has_vdso_id = true;
    return sym_vdso_id(strtab_str(&ps->about->names, kernel), hex, err) &&
           (!*hex ||
            strtab_add(&ps->about->names, hex, strlen(hex), &ps->vdso_id) ||
            err_nomem(err));
}

bool perf_add_map(struct perf_processes *ps, const struct perf_new_map *map,
                  struct prof_err *err)
{
    const uint64_t half = (uint64_t)1 << 63;
    const bool kernel = map->kernel;
    uint64_t start = map->start;
    const uint64_t end =
        map->size > UINT64_MAX - start ? UINT64_MAX : start + map->size;
    /*
     * The mapping of an old kernel begins at 0 and would cover all programs:
     * the kernel begins at its offset.
     */
    if (kernel && start < half && end > half && map->offset > half)
        start = map->offset & ~(uint64_t)4095;
    if (end <= start)
        return true;
    struct perf_map range = {.start = start, .end = end, .origin = start};
    struct perf_mapping mapping = {.start = start,
                                   .size = end - start,
                                   .offset = map->offset,
                                   .build_id = map->build_id,
                                   .recorded = map->recorded,
                                   .fixed = kernel,
                                   .kernel = kernel,
                                   /* 32-bit processes have another: */
                                   .vdso = map->start > UINT32_MAX &&
                                           slice_is(map->file, "[vdso]")};
    struct prof_slice file = map->file;
    char list[40];
    if (!kernel && map->executable && is_anonymous(file)) {
        /* A runtime lists the functions of its JIT code in this file. */
        file.n =
            (size_t)snprintf(list, sizeof list, "/tmp/perf-%d.map", map->pid);
        file.s = list;
        mapping.fixed = true;
        mapping.offset = start;
    }
    if (!strtab_add(&ps->about->names, file.s, file.n, &mapping.file))
        return err_nomem(err);
    struct perf_process *process =
        perf_process(ps, kernel ? -1 : map->pid, err);
    if (!process || (mapping.vdso && !perf_find_vdso(ps, err)) ||
        !intern_mapping(ps, &mapping, &range.row, err))
        return false;
    if (kernel && slice_begins_with(file, "[kernel.kallsyms]")) {
        /*
         * This mapping ends with .text.  Init code follows it: the callers of
         * the idle loop are there.
         */
        enum { BEHIND = 64 * 1024 * 1024 };
        ps->kernel = range.row;
        ps->kernel_end = range;
        ps->kernel_end.start = end;
        ps->kernel_end.end += end < UINT64_MAX - BEHIND ? BEHIND : 0;
    }
    process->generation = ++ps->generations;
    /* Only executable ones: --call-graph dwarf records data mappings, too. */
    if (process->program == PROF_NONE && !kernel && map->executable &&
        is_program(map->file))
        process->program = range.row;
    return perf_tree_put(&ps->trees, &process->maps, &range, err);
}

const struct perf_map *perf_find_map(const struct perf_processes *ps,
                                     const struct perf_process *process,
                                     bool kernel, uint64_t address)
{
    const uint32_t first = kernel ? ps->list.v[0].maps : process->maps;
    const uint32_t second = kernel ? process->maps : ps->list.v[0].maps;
    if (process->pid == PERF_NO_PROCESS)
        return NULL;
    const struct perf_map *map = perf_tree_find(&ps->trees, first, address);
    map = map ? map : perf_tree_find(&ps->trees, second, address);
    const struct perf_map *end = &ps->kernel_end;
    return map || !kernel || address < end->start || address >= end->end ? map
                                                                         : end;
}
