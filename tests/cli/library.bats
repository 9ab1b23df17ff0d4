# libprofile.a: profile.h, examples/c and profile.pc, as they are installed

load helper

# The compiler of the build, with the sanitizers that the library needs then.
compiler() {
    read -r cc _ <"$BUILD/with/compile"
    echo "$cc $(grep -o -- '-fsanitize=[^ ]*' "$BUILD/with/compile")"
}

setup_file() {
    local build
    build=$(realpath --relative-to="$ROOT" "$BUILD")
    make -s -C "$ROOT" -o all BUILD="$build" DESTDIR="$BATS_FILE_TMPDIR/dest" \
        install
    for program in merge top write; do
        # shellcheck disable=SC2046 # lists of words
        (cd "$BATS_FILE_TMPDIR/dest/usr/local" &&
            PKG_CONFIG_PATH=lib/pkgconfig \
                PKG_CONFIG_SYSROOT_DIR="$BATS_FILE_TMPDIR/dest" &&
            export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR &&
            $(compiler) -std=c11 -D_XOPEN_SOURCE=700 -Wall -Wextra -Wpedantic \
                -Werror -o "$BATS_FILE_TMPDIR/$program" \
                "share/doc/profutils/examples/c/$program.c" \
                $(pkg-config --cflags --libs profile))
    done
}

setup() {
    setup_scratch
    PATH=$BATS_FILE_TMPDIR:$PATH
}

@test "only functions of profile.h are global in the library" {
    local dest=$BATS_FILE_TMPDIR/dest/usr/local
    nm -g --defined-only "$dest/lib/libprofile.a" | awk 'NF == 3 { print $3 }' |
        sort >global
    [ -s global ]
    # typedefs of functions are no functions
    grep -oE '\bprof_[a-z_]+\(' "$dest/include/profile.h" | tr -d '(' |
        sort -u | grep -v '_fn$' | diff - global
}

@test "the header compiles alone, in C++ too, and has the version" {
    local dest=$BATS_FILE_TMPDIR/dest/usr/local version
    echo '#include <profile.h>' >h.c
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$dest/include" -c h.c
    g++ -Wall -Wextra -Werror -I"$dest/include" -x c++ -c h.c
    version=$(awk '/^#define PROF_VERSION / { print $3 }' "$dest/include/profile.h")
    [ "$(printf '%d.%d.%d' $((version / 10000)) $((version / 100 % 100)) \
        $((version % 100)))" = "$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")" ]
    [ "$(wc -l <"$dest/include/profile.h")" -le 700 ]
}

@test "examples/c/merge gives the bytes of pbmerge" {
    printf 'main;f 3\nmain;g 4\n' | folded2pb -o a.pb.gz
    printf 'main;g 5\nmain 1\n' | folded2pb -o b.pb
    merge a.pb.gz b.pb | gunzip >ours
    pbmerge -0 a.pb.gz b.pb | cmp - ours
    printf 'main 5\nmain;f 3\nmain;g 9\n' | sed 1s/5/1/ | folded2pb -0 | cmp - ours
}

@test "examples/c/top prints flat values" {
    printf 'main;f 3\nmain;g 4\nmain 1\nmain;f;g 2\n' | folded2pb >a.pb.gz
    expect 0 top <a.pb.gz
    same '           6 g
           3 f
           1 main'
}

@test "examples/c/write makes the profile of folded2pb" {
    printf 'main;f 3\nmain;g 4\nmain;f 2\n' >stacks
    write <stacks | pbcat --folded >ours
    folded2pb stacks | pbcat --folded | diff - ours
    [ "$(cat ours)" = 'main;f 5
main;g 4' ]
}

@test "examples/c/write.py does the same, from a shared object of libprofile.a" {
    command -v python3 || skip 'this machine has no python3'
    [[ $(compiler) != *-fsanitize* ]] ||
        skip 'this machine loads no sanitizers into python3'
    local dest=$BATS_FILE_TMPDIR/dest example
    example=$dest/usr/local/share/doc/profutils/examples/c/write.py
    export PKG_CONFIG_PATH=$dest/usr/local/lib/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$dest
    sed -n '/^    cc -shared/,/no-whole-archive$/p' "$example" | bash -e
    printf 'main;f 3\nmain;g 4\nmain;f 2\n' >stacks
    python3 "$example" ./libprofile.so <stacks | pbcat --folded >ours
    folded2pb stacks | pbcat --folded | diff - ours
    expect 1 bash -c "python3 '$example' ./libprofile.so <stacks >/dev/full"
    [[ $stderr = *'No space left'* ]]
}

@test "a damaged profile is an error with a reason" {
    printf 'main 1\n' | folded2pb -0 >a.pb
    head -c 20 a.pb >cut.pb
    expect 1 top <cut.pb
    [[ $stderr = "top: "*"offset"* ]]
    expect 1 merge a.pb cut.pb
    [[ $stderr = "cut.pb: "* ]]
}

@test "the example of profile(3) filters as pbfilter does" {
    local dest=$BATS_FILE_TMPDIR/dest
    sed -n '/^\.Sh EXAMPLES/,$p' "$dest/usr/local/share/man/man3/profile.3" |
        sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./!p;}' | sed 's/\\e/\\/g' >mutex.c
    export PKG_CONFIG_PATH=$dest/usr/local/lib/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$dest
    # shellcheck disable=SC2046 # lists of words
    $(compiler) -std=c11 -Wall -Wextra -Wpedantic -Werror -o mutex mutex.c \
        $(pkg-config --cflags --libs profile)
    printf 'main;lockMutex;f 3\nmain;g 4\nMutex 1\n' | folded2pb -o a.pb.gz
    ./mutex <a.pb.gz | pbcat --folded >ours
    pbfilter --focus=Mutex a.pb.gz | pbcat --folded | diff - ours
    [ "$(cat ours)" = 'Mutex 1
main;lockMutex;f 3' ]
}

@test "profile.pc has the PREFIX of make install" {
    make -s -C "$ROOT" -o all BUILD="$(realpath --relative-to="$ROOT" "$BUILD")" \
        DESTDIR="$PWD/dest" PREFIX=/opt/p install
    grep -oE -- ' -[IL][^ ]*' dest/opt/p/lib/pkgconfig/profile.pc >dirs
    diff dirs - <<<' -I/opt/p/include
 -L/opt/p/lib'
}

@test "lines, labels and values are null where there are none" {
    cat >none.c <<'END'
#include <profile.h>
#include <stdio.h>

int main(void)
{
    struct prof_err err;
    struct prof_namemap names = {0};
    struct prof_slice name = {"main", 4}, empty = {"", 0};
    struct profile *p = prof_new(&err);
    uint32_t lined, bare;
    size_t n = 1, m = 1;
    if (!p || !prof_namemap_get(&names, p, PROF_NONE, name, &lined, &err) ||
        !prof_namemap_get(&names, p, PROF_NONE, empty, &bare, &err) ||
        !prof_add_sample(p, &bare, 1, NULL, 0, &err))
        return 1;
    bool lines = prof_get_lines(p, bare, &n), labels = prof_get_labels(p, 0, &m);
    printf("%d %zu %d %zu", lines, n, labels, m);
    lines = prof_get_lines(p, lined, &n);
    printf(" %d %zu %d %d\n", lines, n, prof_get_sample(p, 0).values != NULL,
           prof_edit_values(p, 0) != NULL);
    prof_namemap_free(&names);
    prof_delete(p);
    return 0;
}
END
    export PKG_CONFIG_PATH=$BATS_FILE_TMPDIR/dest/usr/local/lib/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR/dest
    # shellcheck disable=SC2046 # lists of words
    $(compiler) -std=c11 -Wall -Wextra -Wpedantic -Werror -o none none.c \
        $(pkg-config --cflags --libs profile)
    [ "$(./none)" = '0 0 0 0 1 1 0 0' ]
}

@test "concatenated compressed profiles are refused" {
    printf 'main 1\n' | folded2pb >a.pb.gz
    cat a.pb.gz a.pb.gz >two.pb.gz
    expect 1 merge two.pb.gz
    [[ $stderr = "two.pb.gz: "*"duplicate"* ]]
}
