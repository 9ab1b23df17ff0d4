/*
 * perf_chain.c - call chains, leaf first
 *
 *   source         addresses
 *   CALLCHAIN      the interrupted address, then return addresses; a mark
 *                  precedes the addresses of each context
 *   BRANCH_STACK   (--call-graph lbr) the kernel's part of the chain, the
 *                  target of the last call, then the address of each call
 *   REGS_USER,     (--call-graph dwarf) the kernel's part of the chain, then
 *   STACK_USER     what unwinding the recorded stack gives
 *
 * A location of the profile has the address of the call, which is before the
 * return address.  The first address of a context is exact: it is where the
 * program was interrupted or entered the kernel, not a return address.
 */
#include "base/file.h"
#include "formats/perf/private.h"
#include "symbolize/unwind.h"

/* Marks (PERF_CONTEXT_... of perf_event.h) are greater than all addresses. */
#define MARK(n) (UINT64_MAX - (n) + 1)
#define FIRST_MARK MARK(4095)
#define MARK_HYPERVISOR MARK(32)
#define MARK_KERNEL MARK(128)
#define MARK_USER MARK(512)
#define MARK_USER_DEFERRED MARK(640)

enum {
    MACHINE_386 = 3, /* values of ELF: EM_386 and so on */
    MACHINE_X86_64 = 62,
    MACHINE_AARCH64 = 183,
    AARCH64_PC = 32, /* number of a register */
    ABI_64 = 2,      /* PERF_SAMPLE_REGS_ABI_64 */
};

/* Returns an address inside the call before a return address; 0 for 0. */
static uint64_t inside_call(uint64_t address)
{
    return address ? address - 1 : 0;
}

static bool add_frame(struct perf_chains *c, bool kernel, uint64_t address,
                      struct prof_err *err)
{
    const struct perf_frame frame = {.address = address, .kernel = kernel};
    return vec_push(&c->chain, frame) || err_nomem(err);
}

/* --- what the kernel recorded --------------------------------------------- */

/* Adds frames for the first n numbers of the chain.  Sets *cookie if the user's
 * part is deferred. */
static bool take_callchain(struct perf_chains *c, const struct perf_sample *s,
                           uint64_t n, uint64_t *cookie, struct prof_err *err)
{
    const struct perf_about *about = c->processes->about;
    const bool big = about->big;
    bool kernel = s->mode == PERF_MODE_KERNEL, is_first = true;
    if (!vec_reserve(&c->chain, (size_t)n))
        return err_nomem(err);
    struct perf_frame *to = c->chain.v;
    uint64_t marks = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t address = perf_u64_at(s->chain + 8 * i, big);
        if (address < FIRST_MARK) {
            to->address = is_first ? address : inside_call(address);
            to++->kernel = kernel;
            is_first = false;
        } else if (address == MARK_USER_DEFERRED) {
            if (i + 1 < n)
                *cookie = perf_u64_at(s->chain + 8 * (i + 1), big);
            break;
        } else {
            marks++;
            kernel = address == MARK_KERNEL || address == MARK_HYPERVISOR;
            is_first |= address == MARK_USER;
        }
    }
    c->chain.n = (size_t)(to - c->chain.v);
    perf_count_depth(&c->depths, n - marks,
                     about->events.list.v[s->event].max_chain);
    return true;
}

static bool take_branches(struct perf_chains *c, const struct perf_sample *s,
                          struct prof_err *err)
{
    const bool big = c->processes->about->big;
    for (uint64_t i = 0; i < s->n_branches; i++) {
        const uint8_t *at = s->branches + PERF_BRANCH_BYTES * i;
        if ((!i && !add_frame(c, false, perf_u64_at(at + 8, big), err)) ||
            !add_frame(c, false, perf_u64_at(at, big), err))
            return false;
    }
    return true;
}

/* --- unwinding ------------------------------------------------------------ */

/* The mappings of a thread, for the unwinder. */
struct space {
    const struct perf_chains *chains;
    const struct perf_process *process;
};

static struct prof_slice name_of(struct prof_slice path)
{
    struct prof_slice name;
    name.s = path_base(path.s, path.n, &name.n);
    return name;
}

/*
 * Returns the file of -e if `file` is the program of the process, or null.
 * Without a build ID to check, the names must match, too: other processes may
 * run other programs.
 */
static const char *binary_of(const struct space *space, uint32_t file,
                             const char *build_id)
{
    const struct perf_processes *ps = space->chains->processes;
    const char *binary = space->chains->opts->symbols.binary;
    const uint32_t program = space->process->program;
    if (!binary || program == PROF_NONE || ps->mappings.v[program].file != file)
        return NULL;
    struct prof_slice given = {binary, strlen(binary)};
    struct prof_slice recorded = strtab_slice(&ps->about->names, file);
    bool may_be = *build_id || slice_same(name_of(given), name_of(recorded));
    return may_be ? binary : NULL;
}

static bool find_mapping(void *ctx, uint64_t address, struct unwind_mapping *m)
{
    const struct space *space = ctx;
    const struct perf_processes *ps = space->chains->processes;
    const struct strtab *names = &ps->about->names;
    const struct perf_map *map =
        perf_tree_find(&ps->trees, space->process->maps, address);
    if (!map)
        return false;
    const struct perf_mapping *row = &ps->mappings.v[map->row];
    const char *build_id = strtab_str(names, perf_build_id_of(ps, row));
    *m =
        (struct unwind_mapping){.start = map->origin,
                                .limit = map->end,
                                .offset = row->offset,
                                .file = strtab_str(names, row->file),
                                .build_id = build_id,
                                .binary = binary_of(space, row->file, build_id),
                                .key = map->row};
    return true;
}

/*
 * Returns the machine whose registers a sample has; 0: it is not supported.  If
 * the recording does not name the machine before its data (truncated, or from a
 * pipe), it is guessed from the registers: AArch64 has 33.
 */
static int machine_of(const struct perf_about *about,
                      const struct perf_sample *s, uint64_t mask)
{
    const char *arch = (const char *)about->arch.v;
    const size_t n = about->arch.n ? about->arch.n - 1 : 0;
    if (n && strcmp(arch, "x86_64") != 0 && strcmp(arch, "aarch64") != 0 &&
        (n != 4 || arch[0] != 'i' || strcmp(arch + 2, "86") != 0))
        return 0;
    if (mask >> AARCH64_PC & 1)
        return s->regs_abi == ABI_64 ? MACHINE_AARCH64 : 0;
    return s->regs_abi == ABI_64 ? MACHINE_X86_64 : MACHINE_386;
}

static bool take_unwound(struct perf_chains *c, const struct perf_sample *s,
                         struct prof_err *err)
{
    const struct perf_about *about = c->processes->about;
    const uint64_t mask = about->events.list.v[s->event].regs_user;
    const uint64_t most = c->opts->max_stack;
    const int machine = machine_of(about, s, mask);
    uint64_t regs[64];
    if (!machine) {
        c->not_unwound++;
        return true;
    }
    struct space space = {c, perf_process(c->processes, s->pid, err)};
    if (!space.process)
        return false;
    if (!c->unwinder &&
        !(c->unwinder = unwinder_new(c->opts->symbols.path, c->notes, err)))
        return false;
    for (unsigned i = 0; i < s->n_regs; i++)
        regs[i] = perf_u64_at(s->regs + (size_t)8 * i, about->big);
    const struct unwind_sample u = {.machine = machine,
                                    .mask = mask,
                                    .regs = regs,
                                    .stack = s->stack,
                                    .n_stack = s->n_stack,
                                    .is_big = about->big,
                                    .more = s->stack_is_full,
                                    .max_frames =
                                        most ? (size_t)most : SIZE_MAX,
                                    .space = space.process->generation,
                                    .find = find_mapping,
                                    .ctx = &space};
    struct unwind_stack stack;
    if (!unwind_stack(c->unwinder, &u, &stack, err))
        return false;
    c->depths.cut += stack.cut;
    for (size_t i = 0; i < stack.n; i++)
        if (!add_frame(c, false, stack.frames[i], err))
            return false;
    return true;
}

/* --- chains --------------------------------------------------------------- */

bool perf_set_chain(struct perf_chains *c, const struct perf_sample *s,
                    uint64_t *cookie, struct prof_err *err)
{
    const struct perf_about *about = c->processes->about;
    const uint64_t most = c->opts->flat ? 1 : c->opts->max_stack;
    /* Recorded calls replace the part of the chain after the user mark. */
    const bool has_calls =
        s->n_branches &&
        about->events.list.v[s->event].branch_type & PERF_BRANCH_CALL_STACK;
    uint64_t user = has_calls ? 0 : s->n_chain;
    while (user < s->n_chain &&
           perf_u64_at(s->chain + 8 * user, about->big) != MARK_USER)
        user++;
    c->chain.n = 0;
    *cookie = 0;
    if (c->opts->flat &&
        about->events.list.v[s->event].sample_type & PERF_HAS_IP)
        return add_frame(c, s->mode == PERF_MODE_KERNEL, s->ip, err);
    if (!take_callchain(c, s, user, cookie, err) ||
        (user < s->n_chain && !take_branches(c, s, err)) ||
        (s->regs && s->stack && !take_unwound(c, s, err)))
        return false;
    c->depths.n++;
    if (most && c->chain.n > most)
        c->chain.n = (size_t)most;
    return c->chain.n || *cookie ||
           add_frame(c, s->mode == PERF_MODE_KERNEL, s->ip, err);
}

bool perf_set_deferred_chain(struct perf_chains *c, const uint8_t *chain,
                             uint64_t n, struct prof_err *err)
{
    bool is_first = true;
    c->chain.n = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t address = perf_u64_at(chain + 8 * i, c->processes->about->big);
        if (address >= FIRST_MARK)
            continue;
        if (!is_first)
            address = inside_call(address);
        if (!add_frame(c, false, address, err))
            return false;
        is_first = false;
    }
    return true;
}

void perf_chains_free(struct perf_chains *c)
{
    vec_free(&c->chain);
    unwinder_free(c->unwinder);
}
