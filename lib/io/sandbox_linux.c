/* sandbox_linux.c - drops rights with Landlock (files) and seccomp (calls) */
#include "io/sandbox.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

/* --- Landlock ------------------------------------------------------------- */

/*
 * The kernel's interface.  The system's header may be missing or incomplete,
 * and the numbers are the same on all machines that have a filter below.
 */
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,

    VERSION = 1, /* flag: return the version of the ABI */
    PATH_BENEATH = 1,
    LAST_ABI = 7, /* latest version known here */
};

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

/* Bits of ruleset_attr.fs and path_beneath.allowed. */
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_FIRST = (1 << 13) - 1, /* all rights of ABI 1 */
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,
    /* Rights that apply to anything but directories. */
    FS_OF_FILES =
        FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,

    NET_TCP = 1 << 0 | 1 << 1,   /* bind and connect */
    SCOPE_ALL = 1 << 0 | 1 << 1, /* abstract sockets and signals */
};

static uint64_t handled(int abi)
{
    return FS_FIRST | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
           (abi >= 5 ? FS_IOCTL_DEV : 0);
}

static uint64_t bits(unsigned rights)
{
    uint64_t fs = 0;
    if (rights & LANDLOCK_READ)
        fs |= FS_READ_FILE | FS_READ_DIR;
    if (rights & LANDLOCK_READ_FILE)
        fs |= FS_READ_FILE;
    if (rights & LANDLOCK_WRITE)
        fs |= FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
    if (rights & LANDLOCK_MAKE)
        fs |= FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE |
              FS_MAKE_REG | FS_REMOVE_FILE;
    if (rights & LANDLOCK_MKDIR)
        fs |= FS_READ_DIR | FS_MAKE_DIR | FS_REMOVE_DIR;
    if (rights & LANDLOCK_EXEC)
        fs |= FS_READ_FILE | FS_EXECUTE;
    return fs;
}

static bool add_rule(int fd, const struct path_beneath *rule)
{
    return syscall(ADD_RULE, fd, PATH_BENEATH, rule, 0) == 0;
}

static bool allow(int fd, int abi, const struct landlock_rule *r)
{
    struct path_beneath rule = {bits(r->rights) & handled(abi), -1};
    rule.fd = file_open(r->path, O_PATH);
    if (rule.fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
               errno == ELOOP || errno == ENAMETOOLONG;
    bool ok = add_rule(fd, &rule);
    if (!ok && errno == EINVAL) { /* not a directory */
        rule.allowed &= FS_OF_FILES;
        ok = add_rule(fd, &rule);
    }
    /* EBADFD: rules do not apply to files not on disk, such as pipes. */
    ok = ok || errno == EBADFD;
    (void)close(rule.fd);
    return ok;
}

int landlock_begin(const struct landlock_rule *rules, size_t n)
{
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, VERSION);
    if (version < 1)
        return 0;
    int abi = version > LAST_ABI ? LAST_ABI : (int)version;
    const struct ruleset_attr attr = {
        .fs = handled(abi), .net = NET_TCP, .scoped = SCOPE_ALL};
    /* Older kernels know only the first members of the structure. */
    size_t size = abi >= 6   ? sizeof attr
                  : abi >= 4 ? sizeof attr - sizeof attr.scoped
                             : sizeof attr.fs;
    int fd = (int)syscall(CREATE_RULESET, &attr, size, 0);
    if (fd < 0)
        return 0;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = allow(fd, abi, &rules[i]);
    ok = ok && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(RESTRICT_SELF, fd, 0) == 0;
    (void)close(fd);
    return ok ? abi : -1;
}

struct libraries {
    sandbox_library_fn *fn;
    void *ctx;
};

static int pass_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
    const struct libraries *l = ctx;
    (void)size;
    if (info->dlpi_name && strchr(info->dlpi_name, '/'))
        l->fn(l->ctx, info->dlpi_name);
    return 0;
}

void sandbox_libraries(sandbox_library_fn *fn, void *ctx)
{
    struct libraries l = {fn, ctx};
    (void)dl_iterate_phdr(pass_library, &l);
}

/* --- seccomp -------------------------------------------------------------- */

#if defined __has_include
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)
#include <linux/filter.h>
#include <linux/seccomp.h>
#define HAVE_HEADERS
#endif
#endif

/*
 * AUDIT_ARCH_* of <linux/audit.h>: the machine number in ELF with flags for the
 * size of addresses and the byte order.
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

/*
 * The filter denies calls rather than allowing some, as the calls that
 * libraries and started programs make are not known.  It also denies calls
 * after LAST_KNOWN, the last one that these lists consider: libraries cope with
 * calls that are missing.
 */
enum { LAST_KNOWN = 470, OF_ARM = 0xf0000 };

/* The network, and other ways to talk to processes. */
static const uint16_t network[] = {
    SYS_socket,  SYS_socketpair, SYS_connect,  SYS_bind,     SYS_listen,
    SYS_sendto,  SYS_sendmsg,    SYS_recvmsg,  SYS_recvmmsg, SYS_sendmmsg,
    SYS_accept4, SYS_mq_open,    SYS_shmget,   SYS_shmat,    SYS_shmctl,
    SYS_shmdt,   SYS_msgget,     SYS_msgsnd,   SYS_msgrcv,   SYS_msgctl,
    SYS_semget,  SYS_semctl,     SYS_mq_unlink};

/* Other processes: their memory, priority, processors and signals. */
static const uint16_t processes[] = {SYS_ptrace,
                                     SYS_kcmp,
                                     SYS_process_vm_readv,
                                     SYS_process_vm_writev,
                                     SYS_rt_sigqueueinfo,
                                     SYS_rt_tgsigqueueinfo,
                                     SYS_setpriority,
                                     SYS_ioprio_set,
                                     SYS_sched_setaffinity,
                                     SYS_sched_setparam,
                                     SYS_sched_setscheduler,
                                     SYS_sched_setattr,
                                     SYS_migrate_pages,
                                     SYS_move_pages};

static const uint16_t mounts[] = {SYS_unshare, SYS_setns,      SYS_mount,
                                  SYS_umount2, SYS_pivot_root, SYS_chroot,
                                  SYS_mknodat};

/* Kernel parts with a history of exploits, or that only root may change. */
static const uint16_t kernel[] = {SYS_bpf,           SYS_perf_event_open,
                                  SYS_userfaultfd,   SYS_keyctl,
                                  SYS_add_key,       SYS_request_key,
                                  SYS_init_module,   SYS_finit_module,
                                  SYS_delete_module, SYS_kexec_load,
                                  SYS_reboot,        SYS_open_by_handle_at,
                                  SYS_fanotify_init, SYS_fanotify_mark,
                                  SYS_clock_settime, SYS_clock_adjtime,
                                  SYS_settimeofday,  SYS_adjtimex,
                                  SYS_sethostname,   SYS_setdomainname,
                                  SYS_swapon,        SYS_swapoff,
                                  SYS_acct,          SYS_quotactl,
                                  SYS_vhangup,       SYS_syslog};

/* Changes of files that Landlock does not restrict. */
static const uint16_t metadata[] = {
    SYS_fchmodat,    SYS_fchmod,       SYS_fchownat,    SYS_fchown,
    SYS_utimensat,   SYS_setxattr,     SYS_lsetxattr,   SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr};

/*
 * Calls that some headers lack; their numbers are the same on all machines.
 * clone3() is denied because its flags are in memory, where a filter cannot see
 * them; libraries then call clone().
 */
static const uint16_t newer[] = {
    404, 405, 418, 420, /* with 64-bit times: clock_settime, clock_adjtime,
                           mq_timedsend, semtimedop */
    424, 434, 438, 440, /* pidfd_send_signal, _open, _getfd, process_madvise */
    425, 426, 427,      /* io_uring_setup, _enter, _register */
    428, 429, 430, 431, 432, 433, /* open_tree to fspick */
    435, 442, 443, 448, /* clone3, mount_setattr, quotactl_fd, mrelease */
    452, 463, 466,      /* fchmodat2, setxattrat, removexattrat */
    467, 469,           /* open_tree_attr, file_setattr */
};

/* Calls that only some machines have. */
static const uint16_t others[] = {
#ifdef SYS_chmod
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
#endif
#ifdef SYS_utimes
    SYS_utimes,
    SYS_futimesat,
#endif
#ifdef SYS_utime
    SYS_utime,
#endif
#ifdef SYS_chown32
    SYS_chown32,
    SYS_lchown32,
    SYS_fchown32,
#endif
#ifdef SYS_utimensat_time64
    SYS_utimensat_time64,
#endif
#ifdef SYS_mknod
    SYS_mknod,
#endif
#ifdef SYS_accept
    SYS_accept,
#endif
#ifdef SYS_semop
    SYS_semop,
#endif
#ifdef SYS_semtimedop
    SYS_semtimedop,
#endif
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
#ifdef SYS_ipc
    SYS_ipc,
#endif
#ifdef SYS_umount
    SYS_umount,
#endif
#ifdef SYS_fcntl64
    SYS_fcntl,
#endif
#ifdef SYS_stime
    SYS_stime,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
#endif
#ifdef SYS_modify_ldt
    SYS_modify_ldt,
#endif
#ifdef SYS_rtas
    SYS_rtas,
#endif
#ifdef SYS_s390_pci_mmio_write
    SYS_s390_pci_mmio_write,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
};

/* Denied unless programs are to be started. */
static const uint16_t starting[] = {
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_execve, SYS_execveat};

/* Denies a call if the test of an argument gives `denied`. */
struct rule {
    uint16_t call;
    uint8_t arg;
    bool denied;
    uint16_t test; /* BPF_JEQ or BPF_JSET */
    uint32_t value;
};

/*
 * The ioctls that are allowed.  Others change attributes of files, freeze file
 * systems, type input for the user, or send signals.
 */
static const uint32_t ioctls[] = {0x802c542a /* TCGETS2 */,
                                  TCGETS,
                                  TIOCGWINSZ,
                                  TIOCGPGRP,
                                  FIONREAD,
                                  FIONBIO,
                                  FIOCLEX,
                                  FIONCLEX};

#ifdef __s390x__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

/* Denied flags of clone(): a process could be root in its own namespace. */
static const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP |
                                   CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                   CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE;

enum { MAX_FILTER = 350 };

struct prof_filter {
    struct sock_filter code[MAX_FILTER];
    size_t n;
};

static void put(struct prof_filter *f, uint16_t what, uint32_t k, uint8_t yes,
                uint8_t no)
{
    if (f->n < MAX_FILTER)
        f->code[f->n] = (struct sock_filter){what, yes, no, k};
    f->n++;
}

static void put_load(struct prof_filter *f, size_t offset)
{
    put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Denies with ENOSYS, as an old kernel does: libraries cope with that. */
static void put_deny(struct prof_filter *f)
{
    put(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
}

#define N(array) (sizeof(array) / sizeof *(array))

/* The verdict on a call: an index of the instructions after the tree. */
enum verdict { ALLOW, DENY, ASK /* test the rules */ };

/* The verdict on the calls from `from` up to the next bound. */
struct bound {
    uint32_t from;
    enum verdict verdict;
};

/*
 * Adds a binary search for the last of n bounds that is not above the call, or
 * b[-1].  When it compiles the filter, the kernel runs it for every call
 * number, and does not run it later for those that it always allows.
 */
static void put_tree(struct prof_filter *f, const struct bound *b, size_t n,
                     size_t end)
{
    if (!n)
        return;
    size_t below = n / 2, above = n - below - 1, next = f->n + 1;
    const struct bound *mid = b + below;
    put(f, BPF_JMP | BPF_JGE | BPF_K, mid->from,
        (uint8_t)(above ? below : end + mid->verdict - next),
        (uint8_t)(below ? 0 : end + mid[-1].verdict - next));
    put_tree(f, b, below, end);
    put_tree(f, mid + 1, above, end);
}

/* Sets verdict[] to DENY for the calls that are always denied. */
static void deny(uint8_t *verdict, bool programs)
{
    static const struct {
        const uint16_t *call;
        size_t n;
    } lists[] = {
        {starting, N(starting)},   {network, N(network)},
        {processes, N(processes)}, {mounts, N(mounts)},
        {kernel, N(kernel)},       {metadata, N(metadata)},
        {newer, N(newer)},         {others, N(others)},
    };
    for (size_t i = programs ? 1 : 0; i < N(lists); i++)
        for (size_t k = 0; k < lists[i].n; k++)
            verdict[lists[i].call[k]] = DENY;
}

/* Adds code to allow or deny calls by verdict[], or go on with the rules. */
static void put_verdicts(struct prof_filter *f, const uint8_t *verdict)
{
    struct bound bound[LAST_KNOWN + 5] = {{0, ALLOW}};
    size_t n = 1;
    for (uint32_t call = 0; call <= LAST_KNOWN; call++)
        if (verdict[call] != bound[n - 1].verdict)
            bound[n++] = (struct bound){call, (enum verdict)verdict[call]};
    bound[n++] = (struct bound){LAST_KNOWN + 1, DENY};
    bound[n++] = (struct bound){OF_ARM, ALLOW};
#ifdef __x86_64__ /* the x32 ABI, which has other numbers */
    bound[n++] = (struct bound){0x40000000, DENY};
#endif
    /* Too long a jump: make the filter too large to be installed. */
    if (n + ASK > UINT8_MAX)
        f->n = MAX_FILTER;
    put_tree(f, bound + 1, n - 1, f->n + n - 1);
    put(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    put_deny(f);
}

static void put_load_arg(struct prof_filter *f, uint8_t arg)
{
    const size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    put_load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)arg + low);
}

/* Adds code to deny `call` unless its second argument is one of n values. */
static void put_only(struct prof_filter *f, uint16_t call,
                     const uint32_t *value, uint8_t n)
{
    put(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, (uint8_t)(n + 3));
    put_load_arg(f, 1);
    for (uint8_t i = 0; i < n; i++)
        put(f, BPF_JMP | BPF_JEQ | BPF_K, value[i], (uint8_t)(n - i), 0);
    put_deny(f);
    put_load(f, offsetof(struct seccomp_data, nr));
}

/* Adds n rules on the lower half of arguments, which is all the kernel uses. */
static void put_rules(struct prof_filter *f, const struct rule *r, size_t n)
{
    for (; n--; r++) {
        put(f, BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, 4);
        put_load_arg(f, r->arg);
        put(f, BPF_JMP | BPF_K | r->test, r->value, !r->denied, r->denied);
        put_deny(f);
        put_load(f, offsetof(struct seccomp_data, nr));
    }
}

/* 32-bit programs may use fcntl64(); fcntl() is then denied. */
#ifdef SYS_fcntl64
#define SYS_FCNTL SYS_fcntl64
#else
#define SYS_FCNTL SYS_fcntl
#endif

static void make(struct prof_filter *f, bool programs)
{
    const uint32_t self = (uint32_t)getpid();
    const struct rule rules[] = {
        {SYS_clone, CLONE_FLAGS, true, BPF_JSET, namespaces},
        {SYS_prlimit64, 0, false, BPF_JEQ, 0}, /* 0: this process */
        /* Denies signals to the owner of a descriptor, and leases on files. */
        {SYS_FCNTL, 1, true, BPF_JEQ, F_SETOWN},
        {SYS_FCNTL, 1, true, BPF_JEQ, F_SETOWN_EX},
        {SYS_FCNTL, 1, true, BPF_JEQ, F_SETLEASE},
        /* The rest applies unless programs are to be started. */
        {SYS_clone, CLONE_FLAGS, false, BPF_JSET, CLONE_THREAD},
        {SYS_kill, 0, false, BPF_JEQ, self},
        {SYS_tgkill, 0, false, BPF_JEQ, self},
        {SYS_tkill, 0, false, BPF_JEQ, self}, /* the main thread, in musl */
    };
    const size_t n = programs ? 5 : N(rules);
    uint8_t verdict[LAST_KNOWN + 1] = {[SYS_ioctl] = ASK};
    for (size_t i = 0; i < n; i++)
        verdict[rules[i].call] = ASK;
    deny(verdict, programs);
    f->n = 0;
    put_load(f, offsetof(struct seccomp_data, arch));
    put(f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    put_deny(f);
    put_load(f, offsetof(struct seccomp_data, nr));
    put_verdicts(f, verdict);
    put_rules(f, rules, n);
    put_only(f, SYS_ioctl, ioctls, N(ioctls));
    put(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

bool seccomp_begin(bool programs)
{
    struct prof_filter f;
    /* Programs of a 64-bit kernel use calls of another machine, all denied. */
    if (programs && sizeof(void *) < 8)
        return false;
    make(&f, programs);
    if (f.n > MAX_FILTER || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    const struct sock_fprog program = {(unsigned short)f.n, f.code};
    /* Without SPEC_ALLOW, the kernel adds slow mitigations of Spectre. */
    const unsigned all = SECCOMP_FILTER_FLAG_TSYNC;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   all | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all, &program) == 0;
}

#endif
