# Files that change while they are read.

load ../../cli/helper
load world

# cut.so, which cuts the file $CUT to $SIZE bytes when libelf has read its
# header, and looked at the size that it had.  It opens the file before the tool
# gives up what it does not need.
cutter() {
    cat >cut.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int cut;

__attribute__((constructor)) static void start(void)
{
    cut = open(getenv("CUT"), O_RDWR | O_CLOEXEC);
}

static ssize_t after(ssize_t got, int fd)
{
    struct stat opened, named;
    if (fstat(fd, &opened) != 0 || fstat(cut, &named) != 0)
        abort();
    if (opened.st_ino == named.st_ino && opened.st_dev == named.st_dev &&
        ftruncate(cut, atol(getenv("SIZE"))) != 0)
        abort();
    return got;
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    ssize_t (*real)(int, void *, size_t, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, "pread");
    return after(real(fd, to, n, at), fd);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
    ssize_t (*real)(int, void *, size_t, off64_t);
    *(void **)&real = dlsym(RTLD_NEXT, "pread64");
    return after(real(fd, to, n, at), fd);
}
END

    gcc -shared -fPIC -o cut.so cut.c -ldl
}

# Makes a binary larger than what is read at once.
enlarge() { # FILE
    head -c 200000 /dev/zero >zeros
    objcopy --add-section .padding=zeros "$1"
}

# The runtime of a sanitizer does not mind coming second here.
with_cutter() { # SIZE COMMAND...
    local size=$1
    shift
    cp prog binary
    env CUT=binary SIZE="$size" LD_PRELOAD="$PWD/cut.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$@"
}

# Cuts within the header, at pages, in the middle of what sections there are.
sizes() {
    local size
    size=$(stat -c %s prog)
    some 5 0 1 63 64 100 1000 4096 8192 $((size / 3)) $((size / 2)) \
        $((size - 4096)) $((size - 1000)) $((size - 1))
}

@test "a binary that is cut short while it is read" {
    fixture prog cpu.prof a.out gmon.out
    enlarge prog
    enlarge a.out
    cutter
    local size
    prof2pb -q --no-symbols -o addresses cpu.prof
    for size in $(sizes); do
        expect 0 with_cutter "$size" pbsym -e binary -o out addresses
        same_err 'pbsym: warning: binary: ' ...
        expect 0 with_cutter "$size" prof2pb -e binary -o out cpu.prof
        same_err 'prof2pb: warning: binary: ' ...
    done
    # As long as it was, it is not missed; libraries are those of this machine.
    expect 0 with_cutter "$(stat -c %s prog)" pbsym -e binary -o out addresses
    [[ $stderr != *'warning: binary: '* ]]
    cp a.out prog
    for size in $(sizes); do
        status=0
        with_cutter "$size" gmon2pb -e binary -o out gmon.out 2>stderr ||
            status=$?
        if [ "$status" != 0 ] && [ "$status" != 3 ]; then
            echo "status $status of a binary of $size bytes: $(cat stderr)"
            return 1
        fi
    done
}

@test "a small binary that is cut short after it was read" {
    fixture prog cpu.prof
    cutter
    [ "$(stat -c %s prog)" -lt 131072 ]
    # What is cut is newer than the profile, so it is before, too.
    touch -d 2001-01-01 cpu.prof
    cp prog binary
    expect 0 prof2pb -e binary -o whole cpu.prof
    local all=$stderr
    expect 0 with_cutter 1000 prof2pb -e binary -o out cpu.prof
    [ "$(stat -c %s binary)" = 1000 ]
    [ "$stderr" = "$all" ]
    cmp whole out
}
