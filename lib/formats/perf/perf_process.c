/* perf_process.c - processes, their threads, and what is mapped where */
#include <stdio.h>

#include "formats/perf/private.h"
#include "symbolize/binary.h"

bool perf_processes_init(struct perf *p, struct prof_err *err)
{
    p->processes.trees.seed = p->seed;
    p->processes.kernel = PROF_NONE;
    return perf_process(p, -1, err) != NULL;
}

void perf_processes_free(struct perf_processes *ps)
{
    perf_trees_free(&ps->trees);
    vec_free(&ps->mappings);
    hashidx_free(&ps->mapping_index);
    vec_free(&ps->list);
    perf_ids_free(&ps->by_pid);
    perf_ids_free(&ps->comms);
}

struct perf_process *perf_process(struct perf *p, int32_t pid,
                                  struct prof_err *err)
{
    struct perf_processes *ps = &p->processes;
    /* Most samples are of the process of the sample before. */
    if (ps->last < ps->list.n && ps->list.v[ps->last].pid == pid)
        return &ps->list.v[ps->last];
    if (!perf_ids_add(p, &ps->by_pid, (uint32_t)pid, 0, &ps->last, err))
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

uint32_t perf_comm(const struct perf *p, int32_t tid)
{
    const struct perf_ids *comms = &p->processes.comms;
    uint32_t row = perf_ids_find(p, comms, (uint32_t)tid);
    return row == HASHIDX_NONE ? 0 : comms->v[row].value;
}

static bool set_comm(struct perf *p, int32_t tid, uint32_t comm,
                     struct prof_err *err)
{
    struct perf_ids *comms = &p->processes.comms;
    uint32_t row;
    if (!perf_ids_add(p, comms, (uint32_t)tid, comm, &row, err))
        return false;
    comms->v[row].value = comm;
    return true;
}

bool perf_set_comm(struct perf *p, int32_t pid, int32_t tid,
                   struct prof_slice comm, bool exec, struct prof_err *err)
{
    struct perf_process *process = perf_process(p, pid, err);
    uint32_t name;
    if (!process)
        return false;
    if (exec)
        process->program = PROF_NONE;
    return (strtab_add(&p->names, comm.s, comm.n, &name) || err_nomem(err)) &&
           set_comm(p, tid, name, err);
}

bool perf_fork(struct perf *p, int32_t pid, int32_t parent, int32_t tid,
               int32_t parent_tid, bool share_maps, struct prof_err *err)
{
    struct perf_processes *ps = &p->processes;
    if (!set_comm(p, tid, perf_comm(p, parent_tid), err))
        return false;
    if (pid == parent || !share_maps)
        return true;
    const struct perf_process *found = perf_process(p, parent, err);
    if (!found)
        return false;
    struct perf_process from = *found; /* the list moves when it grows */
    struct perf_process *child = perf_process(p, pid, err);
    if (!child)
        return false;
    perf_tree_drop(&ps->trees, child->maps);
    *child = from;
    child->pid = pid;
    (void)perf_tree_share(&ps->trees, child->maps);
    return true;
}

/* --- what is mapped ------------------------------------------------------- */

/* Memory without a file, as perf knows it (tools/perf/util/map.c). */
static bool is_anonymous(struct prof_slice file)
{
    static const char *const starts[] = {"//anon", "/anon_hugepage",
                                         "/dev/zero", "/SYSV", "[stack"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (slice_begins_with(file, starts[i]))
            return true;
    return slice_is(file, "[heap]");
}

/* The file where a runtime lists the code that it makes (JIT). */
static bool put_jit_file(struct perf *p, int32_t pid, uint32_t *file)
{
    char name[40];
    int n = snprintf(name, sizeof name, "/tmp/perf-%d.map", pid);
    return strtab_add(&p->names, name, (size_t)n, file);
}

static bool is_program(struct prof_slice file)
{
    return slice_begins_with(file, "/") && !slice_begins_with(file, "//") &&
           !is_anonymous(file) && !slice_contains(file, ".so.") &&
           !slice_ends_with(file, ".so") && !slice_ends_with(file, ".ko") &&
           !slice_contains(file, ".so (deleted)");
}

static bool same_mapping(const struct perf_mapping *a,
                         const struct perf_mapping *b, bool same_start)
{
    return a->file == b->file && a->offset == b->offset && a->size == b->size &&
           a->build_id == b->build_id && a->fixed == b->fixed &&
           a->kernel == b->kernel && a->vdso == b->vdso &&
           (!same_start || a->start == b->start);
}

/*
 * Sets *row to that of the mapping, which is added if it is new.  A file that
 * is mapped at several addresses is one mapping.
 */
static bool intern_mapping(struct perf_processes *ps,
                           const struct perf_mapping *want, uint32_t *row,
                           struct prof_err *err)
{
    uint64_t hash =
        mix_pair(ps->trees.seed, want->offset ^ (uint64_t)want->file << 32,
                 want->size ^ (uint64_t)want->build_id << 40);
    if (want->fixed)
        hash = mix_pair(hash, want->start, 1);
    uint32_t folded = mix_fold(hash);
    if (!hashidx_room(&ps->mapping_index))
        return err_nomem(err);
    size_t at = hashidx_start(&ps->mapping_index, folded);
    while ((*row = hashidx_next(&ps->mapping_index, folded, &at)) !=
           HASHIDX_NONE)
        if (same_mapping(&ps->mappings.v[*row], want, want->fixed)) {
            struct perf_mapping *r = &ps->mappings.v[*row];
            r->start = r->start < want->start ? r->start : want->start;
            return true;
        }
    if (!vec_push(&ps->mappings, *want))
        return err_nomem(err);
    *row = (uint32_t)ps->mappings.n - 1;
    hashidx_put(&ps->mapping_index, at, folded, *row);
    return true;
}

/*
 * Old kernels have a mapping that begins at 0 and would hold all programs: its
 * offset says where the kernel begins.
 */
static void correct_kernel_start(uint64_t *start, uint64_t end, uint64_t offset)
{
    const uint64_t half = (uint64_t)1 << 63;
    if (*start < half && end > half && offset > half)
        *start = offset & ~(uint64_t)4095;
}

/* Whether it is the vdso of a 64-bit process: 32-bit ones have another. */
static bool is_vdso(const struct perf_new_map *map)
{
    return map->start > UINT32_MAX && slice_is(map->file, "[vdso]");
}

/*
 * The mapping of the kernel has the name of a symbol behind its own name, which
 * the list of build IDs may lack: "[kernel.kallsyms]_text".
 */
uint32_t perf_build_id_of(const struct perf *p,
                          const struct perf_mapping *mapping)
{
    if (mapping->build_id)
        return mapping->build_id;
    static const char *const kernel[] = {"_text", "_stext"};
    uint32_t file = mapping->file, id;
    struct prof_slice name = strtab_slice(&p->names, file);
    for (size_t i = 0; mapping->kernel && i < 2; i++) {
        size_t k = strlen(kernel[i]);
        if (slice_ends_with(name, kernel[i]) &&
            strtab_find(&p->names, name.s, name.n - k, &id))
            file = id;
    }
    if (file < p->build_ids.n && p->build_ids.v[file])
        return p->build_ids.v[file];
    if (mapping->file < p->build_ids.n && p->build_ids.v[mapping->file])
        return p->build_ids.v[mapping->file];
    return mapping->vdso ? p->processes.vdso_id : 0;
}

bool perf_find_kernel(struct perf *p, struct prof_err *err)
{
    struct perf_processes *ps = &p->processes;
    sym_build_id hex;
    if (ps->kernel == PROF_NONE || !p->host.n || !p->release.n)
        return true;
    struct perf_mapping *kernel = &ps->mappings.v[ps->kernel];
    const struct prof_slice file = strtab_slice(&p->names, kernel->file);
    /* The offset is the address of a symbol: "[kernel.kallsyms]_text". */
    const char *symbol = memchr(file.s, ']', file.n);
    if (!symbol || perf_build_id_of(p, kernel))
        return true;
    const struct sym_kernel recorded = {.host = (const char *)p->host.v,
                                        .release = (const char *)p->release.v,
                                        .symbol = symbol + 1,
                                        .address = kernel->offset};
    return sym_kernel_id(&recorded, hex, err) &&
           (!*hex ||
            strtab_add(&p->names, hex, strlen(hex), &kernel->build_id) ||
            err_nomem(err));
}

bool perf_find_vdso(struct perf *p, struct prof_err *err)
{
    struct perf_processes *ps = &p->processes;
    sym_build_id hex;
    if (ps->has_vdso_id || ps->kernel == PROF_NONE)
        return true;
    uint32_t kernel = perf_build_id_of(p, &ps->mappings.v[ps->kernel]);
    if (!kernel)
        return true;
    ps->has_vdso_id = true;
    return sym_vdso_id(strtab_str(&p->names, kernel), hex, err) &&
           (!*hex || strtab_add(&p->names, hex, strlen(hex), &ps->vdso_id) ||
            err_nomem(err));
}

/*
 * The mapping of the kernel ends with .text. What the kernel runs when it
 * starts, such as the callers of its idle loop, lies behind it.
 */
static void set_kernel(struct perf_processes *ps, const struct perf_map *range)
{
    enum { BEHIND = 64 * 1024 * 1024 };
    ps->kernel = range->row;
    ps->kernel_end = *range;
    ps->kernel_end.start = range->end;
    ps->kernel_end.end += range->end < UINT64_MAX - BEHIND ? BEHIND : 0;
}

bool perf_add_map(struct perf *p, const struct perf_new_map *map,
                  struct prof_err *err)
{
    struct perf_processes *ps = &p->processes;
    uint64_t start = map->start;
    uint64_t end =
        map->size > UINT64_MAX - start ? UINT64_MAX : start + map->size;
    if (map->kernel)
        correct_kernel_start(&start, end, map->offset);
    if (end <= start)
        return true;
    struct perf_mapping mapping = {.start = start,
                                   .size = end - start,
                                   .offset = map->offset,
                                   .build_id = map->build_id,
                                   .recorded = map->recorded,
                                   .fixed = map->kernel,
                                   .kernel = map->kernel,
                                   .vdso = is_vdso(map)};
    struct perf_map range = {.start = start, .end = end, .origin = start};
    bool jit = !map->kernel && map->executable && is_anonymous(map->file);
    if (!(jit ? put_jit_file(p, map->pid, &mapping.file)
              : strtab_add(&p->names, map->file.s, map->file.n, &mapping.file)))
        return err_nomem(err);
    if (jit) {
        mapping.fixed = true;
        mapping.offset = start;
    }
    struct perf_process *process =
        perf_process(p, map->kernel ? -1 : map->pid, err);
    if (!process || (mapping.vdso && !perf_find_vdso(p, err)) ||
        !intern_mapping(ps, &mapping, &range.row, err))
        return false;
    if (map->kernel && slice_begins_with(map->file, "[kernel.kallsyms]"))
        set_kernel(ps, &range);
    process->generation = ++ps->generations;
    /* With --call-graph dwarf there are mappings of its data, too. */
    if (process->program == PROF_NONE && !map->kernel && map->executable &&
        is_program(map->file))
        process->program = range.row;
    return perf_tree_put(&ps->trees, &process->maps, &range, err);
}

const struct perf_map *perf_find_map(struct perf *p,
                                     const struct perf_process *process,
                                     bool kernel, uint64_t address)
{
    const struct perf_processes *ps = &p->processes;
    uint32_t first = kernel ? ps->list.v[0].maps : process->maps;
    uint32_t second = kernel ? process->maps : ps->list.v[0].maps;
    if (process->pid == PERF_NO_PROCESS)
        return NULL;
    const struct perf_map *map = perf_tree_find(&ps->trees, first, address);
    map = map ? map : perf_tree_find(&ps->trees, second, address);
    const struct perf_map *end = &ps->kernel_end;
    return map || !kernel || address < end->start || address >= end->end ? map
                                                                         : end;
}
