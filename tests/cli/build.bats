# make: what is made again when something has changed, and nothing else
#
# The Makefile is the real one. The sources are small ones of the same layout,
# in a directory of their own, so that building them takes no time.

load helper

setup() {
    setup_scratch
    unset BUILD CC CPPFLAGS CFLAGS LDFLAGS LDLIBS WERROR HARDEN MAKEFLAGS V
    export COMPLETIONS=no # the programs here have no --help
    mkdir -p tree/{cmd,examples,lib/{base,io,profile/wire,report/{dot,flame}}} \
        tree/tests/{unit,fuzz,slow}
    cp "$ROOT/tests/Makefile" tree/tests
    cp "$ROOT/tests/slow/Makefile" tree/tests/slow
    cp -R "$ROOT/Makefile" "$ROOT/config.mk" "$ROOT/.ci" "$ROOT/completions" "$ROOT/man" \
        "$ROOT/README.md" "$ROOT/CHANGELOG.md" "$ROOT/LICENSE" tree
    rm tree/man/*.[1357]
    cp "$ROOT/lib/profile/wire/profile.proto" tree/lib/profile/wire
    cp "$ROOT/lib/report/embed.sh" tree/lib/report
    cp -R "$ROOT/lib/report/flame/page" "$ROOT"/lib/report/flame/*.h \
        tree/lib/report/flame
    cp "$ROOT"/lib/report/dot/{dotpicture.h,picture.{css,js}} tree/lib/report/dot
    cd tree
    echo 'int one(void);' >lib/base/one.h
    printf '#include "base/one.h"\n%s\n' 'int one(void) { return 1; }' >lib/base/one.c
    echo 'int message;' >lib/profile/wire/message.c
    printf '#include "base/one.h"\n%s\n' 'int two(void) { return 1 + one(); }' \
        >lib/io/two.c
    echo 'const char *gz(void) { return "zlib"; }' >lib/io/gzip_zlib.c
    echo 'const char *gz(void) { return "libdeflate"; }' >lib/io/gzip_libdeflate.c
    printf '%s\n' '#include <stdio.h>' 'int two(void);' 'const char *gz(void);' \
        'int main(void) { printf("%d %s " PROFUTILS_VERSION "\n", two(), gz()); }' \
        >cmd/tool.c
    printf '%s\n' '#include "gen/profile.pb-c.h"' 'int main(void) { return 0; }' \
        >tests/unit/test_it.c
    cp tests/unit/test_{it,gz}.c
}

# What is made, sorted: "AR", "CC" or "LINK" and the file.
made() { # WORD...: of make
    make "${zlib-HAVE_LIBDEFLATE=no}" "$@" >make.out 2>&1 ||
        { cat make.out; return 1; }
    sed -n 's/^  \(AR\|CC\|LINK\|GEN\) */\1 /p' make.out | sort
}

again() { # WORD...: of make; standard input: what it is to make
    diff -u - <(made "$@")
}

@test "what was made is not made again" {
    made >/dev/null
    again </dev/null
    make -q HAVE_LIBDEFLATE=no
    [ "$(build/tool)" = '2 zlib 0.1.0' ]
}

@test "an object, a library or a program that was deleted is made again" {
    made >/dev/null
    rm build/obj/lib/io/two.o
    again <<'END'
AR build/libprofutils.a
CC build/obj/lib/io/two.o
LINK build/tool
END
    rm build/obj/cmd/tool.o
    again <<'END'
CC build/obj/cmd/tool.o
LINK build/tool
END
    rm build/libprofutils.a
    again <<'END'
AR build/libprofutils.a
LINK build/tool
END
    rm build/tool
    again <<<'LINK build/tool'
    again </dev/null
}

@test "a header: what includes it is made again, at any depth" {
    mkdir -p lib/base/deep/er
    echo '#include "base/one.h"' >lib/base/deep/er/three.c
    made >/dev/null
    sleep 0.05
    touch lib/base/one.h
    again <<'END'
AR build/libprofutils.a
CC build/obj/lib/base/deep/er/three.o
CC build/obj/lib/base/one.o
CC build/obj/lib/io/two.o
LINK build/tool
END
    # One that is gone and that nobody includes any more.
    sed -i /include/d lib/base/one.c lib/io/two.c lib/base/deep/er/three.c
    sed -i '1i int one(void);' lib/io/two.c
    rm lib/base/one.h
    again <<'END'
AR build/libprofutils.a
CC build/obj/lib/base/deep/er/three.o
CC build/obj/lib/base/one.o
CC build/obj/lib/io/two.o
LINK build/tool
END
    again </dev/null
}

@test "a folder includes what is below it, and of lib/profile the public header" {
    local file
    mkdir lib/formats
    echo 'int three(void);' >lib/profile/wire/three.h
    echo 'void prof_one(void);' >lib/profile.h
    echo 'VERSION' >lib/profile.pc.in
    printf '#include "%s"\n' profile.h base/one.h io/two.h >lib/formats/text.c
    : >lib/io/two.h
    made >/dev/null
    for file in profile/wire/three.h formats/text.h report/flame/flamepage.h; do
        echo "#include \"$file\"" >lib/io/below.c
        run ! made
        grep "fatal error: .*$file" make.out
    done
    rm lib/io/below.c
    # What a folder sees is what it is made with.
    made SEES_io=profile | grep 'CC build/obj/lib/io/two.o'
    again </dev/null || true
    echo '#include "profile/wire/three.h"' >lib/io/below.c
    made SEES_io=profile | grep 'CC build/obj/lib/io/below.o'
    run ! made
}

@test "the sources in another place" {
    made >/dev/null
    mkdir ../moved
    mv * ../moved
    cd ../moved
    made >/dev/null
    sleep 0.05
    touch lib/base/one.h
    made | grep 'CC build/obj/lib/io/two.o'
}

@test "a generated header that was deleted is made again" {
    made unit >/dev/null
    rm build/gen/profile.pb-c.h
    again unit <<'END'
CC build/obj/gen/profile.pb-c.o
CC build/obj/tests/unit/test_gz.o
CC build/obj/tests/unit/test_it.o
GEN build/gen/profile.pb-c.h
LINK build/unit/test_gz
LINK build/unit/test_gz_zlib
LINK build/unit/test_it
END
    again unit </dev/null
}

@test "a new source, and one that is gone" {
    made >/dev/null
    mkdir -p lib/io/new
    echo 'int four(void) { return 4; }' >lib/io/new/four.c
    again <<'END'
AR build/libprofutils.a
CC build/obj/lib/io/new/four.o
LINK build/tool
END
    nm build/libprofutils.a | grep -w four
    rm -r lib/io/new
    again <<'END'
AR build/libprofutils.a
LINK build/tool
END
    run ! grep -w four <(nm build/libprofutils.a)
    echo 'int main(void) { return 0; }' >cmd/other.c
    again <<'END'
CC build/obj/cmd/other.o
LINK build/other
END
    echo 'int helping;' >tests/unit/help.c
    again </dev/null
}

@test "a file of the page that is gone makes the page again" {
    made >/dev/null
    rm "$(printf '%s\n' lib/report/flame/page/*.js | tail -n 1)"
    again <<'END'
AR build/libprofutils.a
CC build/obj/gen/flamepage.o
GEN build/gen/flamepage.c
LINK build/tool
END
}

@test "other flags: objects for the compiler's, programs for the linker's" {
    made >objects
    grep -v '^GEN' objects >all
    for flags in CFLAGS=-O1 CPPFLAGS=-DX="'a b'" CC=gcc HARDEN=no \
        VERSION=9.9; do
        again "$flags" <all
        again "$flags" </dev/null
    done
    [ "$(build/tool)" = '2 zlib 9.9' ]
    again <all
    again LDFLAGS=-Wl,-O1 <<<'LINK build/tool'
    again LDFLAGS=-Wl,-O1 </dev/null
    again LDFLAGS='-Wl,-rpath,$$ORIGIN/x' <<<'LINK build/tool'
    again LDFLAGS='-Wl,-rpath,$$ORIGIN/x' </dev/null
    again LDLIBS=-lz <<<'LINK build/tool'
    # Warnings are errors or not: the objects are the same.
    again LDLIBS=-lz WERROR=-Werror </dev/null
}

@test "another library, and pkg-config's flags" {
    made >/dev/null
    again HAVE_LIBDEFLATE=yes >changed 2>&1 </dev/null || true
    grep '^+CC build/obj/lib/io/gzip_libdeflate.o' changed
    [ "$(build/tool)" = '2 libdeflate 0.1.0' ]
    again >/dev/null 2>&1 </dev/null || true
    [ "$(build/tool)" = '2 zlib 0.1.0' ]
    cat >config <<'END'
#!/bin/sh
pkg-config "$@" && case $* in *--cflags*) echo -DSEEN ;; esac
END
    chmod +x config
    made PKG_CONFIG='./config --print-errors' | grep 'CC build/obj/lib/io/two.o'
    again PKG_CONFIG='./config --print-errors' </dev/null
}

@test "another version: pages that say so" {
    printf '%s\n' '.Dt TOOL 1' '.Os profutils' >man/tool.1
    made VERSION=1.0.0 | grep 'GEN build/man/tool.1'
    [ "$(tail -n 1 build/man/tool.1)" = '.Os profutils 1.0.0' ]
    again VERSION=1.0.0 </dev/null
    made VERSION=1.0.1 | grep 'GEN build/man/tool.1'
    [ "$(tail -n 1 build/man/tool.1)" = '.Os profutils 1.0.1' ]
}

@test "several jobs, and a build directory elsewhere" {
    made -j8 BUILD="$PWD/../else" >elsewhere
    grep "CC $PWD/../else/obj/cmd/tool.o" elsewhere
    again -j8 BUILD="$PWD/../else" </dev/null
    [ ! -e build ]
    rm ../else/obj/lib/io/two.o ../else/gen/*.c ../else/with/link
    made -j8 BUILD="$PWD/../else" >/dev/null
    [ "$(../else/tool)" = '2 zlib 0.1.0' ]
    again -j8 BUILD="$PWD/../else" </dev/null
}

@test "make help lists all targets but those that others run, and variables" {
    make help >help
    sed -n 's/^    \([a-z-]*\)$/\1/p' help | sort >listed
    make -pqn 2>/dev/null | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' |
        grep -vxE 'FORCE|run-lint|unit|fuzzers|bounders' | sort >targets
    diff listed targets
    sed -n '/^Variables:/,$s/^    \([A-Z].*\)$/\1/p' help | tr -d , |
        tr ' ' '\n' | sort >variables
    [ "$(uniq -d variables)" = '' ]
    for v in BUILD CC FISHDIR PREFIX HARDEN SYSTEM V; do
        grep -x "$v" variables
    done
    # The line below a variable's has the text that is above it in a makefile.
    grep -A 1 -x '    HARDEN' help | grep 'no: omit the flags against exploits'
}

@test "install takes what was built, whatever its flags, unless given some" {
    local zlib=X=
    made CFLAGS=-O1 >/dev/null
    again install TOOLS=tool DESTDIR="$PWD/dest" PREFIX=/usr </dev/null
    cmp build/tool dest/usr/bin/tool
    made install TOOLS=tool DESTDIR="$PWD/dest" CFLAGS=-O0 | grep LINK
}

@test "a function that no tool calls is in none" {
    # Other linkers and object formats have no sections for functions.
    [ "$(uname -s)" = Linux ] || skip 'this machine is not Linux'
    echo 'int unused(void) { return 2; }' >>lib/base/one.c
    made >/dev/null
    nm build/libprofutils.a | grep -w unused
    nm build/tool >symbols
    grep -w one symbols
    run ! grep -w unused symbols
}

@test "a tool that calls nothing of libm is linked without it, unless libraries are" {
    [ "$(uname -s)" = Linux ] || skip 'this machine is not Linux'
    cp cmd/tool.c cmd/gmon2pb.c
    make -n HAVE_LIBDEFLATE=no >commands
    grep -e '-o build/tool .* -lm ' commands
    run ! grep -e '-o build/gmon2pb .* -lm ' commands
    make -n HAVE_LIBDEFLATE=no LOAD=no >commands
    grep -e '-o build/gmon2pb .* -lm' commands
}
