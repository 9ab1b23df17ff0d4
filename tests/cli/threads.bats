# shellcheck disable=SC2154 # stderr is set by run
# -T: how many threads there are

load helper

# A library that counts the threads that a program starts, in the file named
# by $COUNT: a byte for each.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/count.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                      void *);

int pthread_create(pthread_t *t, const pthread_attr_t *attr,
                   void *(*fn)(void *), void *arg)
{
    create_fn *real = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
    int fd = open(getenv("COUNT"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(fd, "x", 1) != 1 || close(fd) != 0)
        abort();
    return real(t, attr, fn, arg);
}
END
    gcc -shared -fPIC -o "$BATS_FILE_TMPDIR/count.so" \
        "$BATS_FILE_TMPDIR/count.c" -ldl
}

# Runs a command; $started is the number of threads that it started.
counted() {
    rm -f count
    expect 0 env COUNT="$PWD/count" LD_PRELOAD="$BATS_FILE_TMPDIR/count.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$@"
    started=0
    [ ! -e count ] || started=$(wc -c <count)
}

# A profile large enough that work is shared: 100,000 stacks.
large() {
    perl -I"$BATS_TEST_DIRNAME" -MWire -e '
        binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 2));
        print text(4, int64(1, $_) . int64(3, 4096 * $_)) for 1 .. 1000;
        for $i (0 .. 99999) {
            print text(2, text(1, join "", map num($_ + 1),
                $i % 1000, int($i / 1000), 7, 8, 9) . text(2, num(1)));
        }
        print map text(6, $_), "", "samples", "count";
    '
}

@test "the programs can be watched" {
    fixtures
    counted pbmerge -T3 -o out cpu.pb.gz build/{a,b,c}/test.pb.gz
    [ "$started" -ge 2 ]
}

@test "-T1 starts no thread" {
    fixtures
    counted pbmerge -T1 -o out cpu.pb.gz build/{a,b,c}/test.pb.gz
    [ "$started" = 0 ]
    counted pbmerge -T1 -o out --base=old.pb.gz new.pb.gz
    [ "$started" = 0 ]
    large >large.pb
    counted pbmerge -T1 -o out large.pb
    [ "$started" = 0 ]
    counted pbfilter -T1 -o out --focus=. large.pb
    [ "$started" = 0 ]
    counted pbcat -T1 --text large.pb
    [ "$started" = 0 ]
    counted pbcat -T1 -o out --raw large.pb
    [ "$started" = 0 ]
}

@test "on one processor the default is one thread" {
    fixtures
    local one
    one=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    counted taskset -c "$one" pbmerge -o out cpu.pb.gz \
        build/{a,b,c}/test.pb.gz
    [ "$started" = 0 ]
}
