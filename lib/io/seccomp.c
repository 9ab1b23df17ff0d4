#include "io/seccomp.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#if defined __has_include
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#define HAVE_HEADERS
#endif
#endif

/*
 * How the kernel calls this machine: <linux/audit.h> makes it of the number
 * in ELF, the size of addresses and the byte order.
 */
#if defined __x86_64__ && defined __LP64__
#define MACHINE (EM_X86_64 | 0xc0000000)
#elif defined __i386__
#define MACHINE (EM_386 | 0x40000000)
#elif defined __aarch64__ && defined __LP64__ && !defined __AARCH64EB__
#define MACHINE (EM_AARCH64 | 0xc0000000)
#elif defined __arm__ && !defined __ARMEB__
#define MACHINE (EM_ARM | 0x40000000)
#elif defined __riscv && __riscv_xlen == 64
#define MACHINE (EM_RISCV | 0xc0000000)
#elif defined __s390x__
#define MACHINE (EM_S390 | 0x80000000)
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define MACHINE (EM_PPC64 | 0xc0000000)
#elif defined __powerpc64__
#define MACHINE (EM_PPC64 | 0x80000000)
#endif

#if !defined HAVE_HEADERS || !defined MACHINE

bool seccomp_begin(bool programs)
{
    (void)programs;
    return false;
}

#else

enum {
    MAX_PROGRAM = 1024, /* instructions */
    MAX_JUMP = 255,     /* of them over which a branch leads */
};

struct filter {
    struct sock_filter code[MAX_PROGRAM];
    size_t n;
    uint32_t self; /* this process */
    bool failed;   /* too long */
};

/* Calls from a number to the next one's that have one verdict. */
struct region {
    uint16_t from;
    uint8_t verdict;
};

static void put(struct filter *f, uint16_t what, uint32_t k, size_t yes,
                size_t no)
{
    if (f->failed || f->n == MAX_PROGRAM || yes > MAX_JUMP || no > MAX_JUMP) {
        f->failed = true;
        return;
    }
    f->code[f->n++] = (struct sock_filter){what, (uint8_t)yes, (uint8_t)no, k};
}

static void put_load(struct filter *f, size_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument; of those that matter it is all there is. */
static void put_load_arg(struct filter *f, unsigned i)
{
    size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    put_load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)i + low);
}

static void put_return(struct filter *f, bool allowed)
{
    put(f, BPF_RET | BPF_K,
        allowed ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
}

/* Whether argument i is one of n values. */
static void put_one_of(struct filter *f, unsigned i, const uint32_t *value,
                       size_t n)
{
    put_load_arg(f, i);
    for (size_t k = 0; k < n; k++)
        put(f, BPF_JMP | BPF_JEQ | BPF_K, value[k], n - k, 0);
    put_return(f, false);
    put_return(f, true);
}

/* A process in namespaces of its own could be root there. */
static void put_clone(struct filter *f, bool processes)
{
    const uint32_t apart = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                           CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                           CLONE_NEWNET | CLONE_PTRACE;
#ifdef __s390x__
    put_load_arg(f, 1);
#else
    put_load_arg(f, 0);
#endif
    put(f, BPF_JMP | BPF_JSET | BPF_K, apart, 1, 0);
    if (processes)
        put(f, BPF_JMP | BPF_JA, 1, 0, 0);
    else
        put(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    put_return(f, false);
    put_return(f, true);
}

static void put_verdict(struct filter *f, enum seccomp_verdict verdict)
{
    /* Not TIOCSTI, which types for the user. */
    static const uint32_t ioctls[] = {TCGETS, 0x802c542a /* TCGETS2 */,
                                      TIOCGWINSZ, FIONREAD};
    enum { SET_VMA = 0x53564d41 }; /* PR_SET_VMA of newer headers */
    static const uint32_t prctls[] = {PR_SET_NAME, PR_GET_NAME,
                                      PR_SET_PDEATHSIG, SET_VMA};
    switch (verdict) {
    case SECCOMP_REFUSE:
    case SECCOMP_ALLOW:
        put_return(f, verdict == SECCOMP_ALLOW);
        break;
    case SECCOMP_THREAD:
    case SECCOMP_PROCESS:
        put_clone(f, verdict == SECCOMP_PROCESS);
        break;
    case SECCOMP_SELF:
        put_one_of(f, 0, &f->self, 1);
        break;
    case SECCOMP_IOCTL:
        put_one_of(f, 1, ioctls, sizeof ioctls / sizeof *ioctls);
        break;
    case SECCOMP_PRCTL:
        put_one_of(f, 0, prctls, sizeof prctls / sizeof *prctls);
        break;
    }
}

/* The regions there are; the last is of all numbers that are none. */
static size_t find_regions(struct region *r, bool programs)
{
    uint8_t verdict[SECCOMP_CALLS];
    size_t n = 0;
    seccomp_calls(verdict, programs);
    for (size_t i = 0; i < SECCOMP_CALLS; i++)
        if (!n || verdict[i] != r[n - 1].verdict || verdict[i] > SECCOMP_ALLOW)
            r[n++] = (struct region){(uint16_t)i, verdict[i]};
    r[n++] = (struct region){SECCOMP_CALLS, SECCOMP_REFUSE};
    return n;
}

/* Decides among n regions, of which there are at most SECCOMP_CALLS + 1. */
static void put_tree(struct filter *f, const struct region *r, size_t n)
{
    if (n == 1) {
        put_verdict(f, (enum seccomp_verdict)r->verdict);
        return;
    }
    size_t at = f->n;
    put(f, BPF_JMP | BPF_JGE | BPF_K, r[n / 2].from, 0, 0);
    put_tree(f, r + n / 2, n - n / 2);
    size_t over = f->n - at - 1;
    f->failed |= over > MAX_JUMP;
    if (f->failed)
        return;
    f->code[at].jf = (uint8_t)over;
    put_tree(f, r, n / 2);
}

static bool make(struct filter *f, bool programs)
{
    struct region regions[SECCOMP_CALLS + 1];
    size_t n = find_regions(regions, programs);
    f->n = 0;
    f->self = (uint32_t)getpid();
    f->failed = false;
    put_load(f, offsetof(struct seccomp_data, arch));
    put(f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    put_return(f, false);
    put_load(f, offsetof(struct seccomp_data, nr));
    put_tree(f, regions, n);
    return !f->failed;
}

bool seccomp_begin(bool programs)
{
    struct filter f;
    /* A 64-bit kernel's programs have calls of another machine. */
    if (programs && sizeof(void *) < 8)
        return false;
    if (!make(&f, programs) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    const struct sock_fprog program = {(unsigned short)f.n, f.code};
    /* Guards against Spectre that cost speed are not what this is for. */
    const unsigned all = SECCOMP_FILTER_FLAG_TSYNC;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   all | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all, &program) == 0;
}

#endif
