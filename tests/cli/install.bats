# make install and uninstall, under DESTDIR and PREFIX
#
# The tools are not made again (-o all): others are at work with them.

load helper

TOOLS='prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter pbsym pbcat pbdiff pb2pgo'

# make(1) takes a name with a space, as that of the source tree may be, for two.
make_there() {
    local build
    build=$(realpath --relative-to="$ROOT" "$BUILD")
    make -s -C "$ROOT" -o all BUILD="$build" DESTDIR="$PWD/the dest" \
        PREFIX=/usr "$@"
}

@test "install puts tools, manual, completions and licence in place" {
    make_there install
    for tool in $TOOLS; do
        echo "usr/bin/$tool"
        echo "usr/share/bash-completion/completions/$tool"
        echo "usr/share/fish/vendor_completions.d/$tool.fish"
        echo "usr/share/man/man1/$tool.1"
        echo "usr/share/zsh/site-functions/_$tool"
    done >wanted
    printf "usr/share/man/%s\n" man3/profile.3 man5/profutils-formats.5 \
        man7/profutils.7 man7/profutils-cookbook.7 \
        man7/profutils-merging.7 >>wanted
    if [ -e "$BUILD/libprofile.a" ]; then
        printf "usr/%s\n" include/profile.h lib/libprofile.a \
            lib/pkgconfig/profile.pc >>wanted
    fi
    for document in CHANGELOG.md LICENSE README.md pbcat.schema.json \
        pbcat.jsonl.schema.json pbcat.digest.schema.json \
        pbcat.check.schema.json; do
        echo "usr/share/doc/profutils/$document"
    done >>wanted
    (cd "$ROOT" && find examples -type f -printf 'usr/share/doc/profutils/%p\n') >>wanted
    (cd 'the dest' && find . -type f) | cut -c3- | sort |
        diff -u <(sort wanted) -
    [ -x 'the dest/usr/bin/pbcat' ]
    [ -x 'the dest/usr/share/doc/profutils/examples/merge-slurm' ]
    [ ! -x 'the dest/usr/share/doc/profutils/examples/profiles.mk' ]
    [ ! -x 'the dest/usr/share/man/man1/pbcat.1' ]
}

@test "uninstall takes away what install has put" {
    make_there install
    make_there uninstall
    [ -z "$(find 'the dest' -type f)" ]
}

# The directory of the file below "the dest" that ends in the name.
place_of() { # NAME
    local file
    file=$(find 'the dest' -name "$1")
    file=${file#the dest}
    echo "${file%/*}"
}

@test "shells look for completions where they are installed: /usr/local" {
    make_there install PREFIX=/usr/local
    local clean="env -i HOME=$PWD/home PATH=$PATH LC_ALL=C" fish
    mkdir home
    fish=$(place_of pbcat.fish)
    run -0 $clean fish -c 'string join \n $fish_complete_path'
    grep -Fx "$fish" <<<"$output"
    run -0 $clean zsh -c 'print -l $fpath'
    grep -Fx "$(place_of _pbcat)" <<<"$output"
    # bash-completion's default of XDG_DATA_DIRS, see its README.md.
    [ "$(find 'the dest' -path '*/bash-completion/*' -name pbcat)" = \
        'the dest/usr/local/share/bash-completion/completions/pbcat' ]
    # What fish finds there it offers.
    run -0 $clean fish -c "set fish_complete_path '$PWD/the dest$fish'
        complete -C 'pbcat --flam'"
    [[ $output = --flame* ]]
    make_there uninstall PREFIX=/usr/local
    [ -z "$(find 'the dest' -type f)" ]
}

@test "below another prefix all completions are below that" {
    make_there install PREFIX=/opt/tools
    [ "$(place_of pbcat.fish)" = /opt/tools/share/fish/vendor_completions.d ]
    [ "$(ls 'the dest')" = opt ]
}

@test "no place to install to is outside of DESTDIR" {
    local places=(BINDIR=/opt/b MANDIR=/opt/m DOCDIR=/opt/d BASHDIR=/opt/bash
        ZSHDIR=/opt/z FISHDIR=/opt/f LIBDIR=/opt/l INCLUDEDIR=/opt/i)
    make_there install "${places[@]}"
    [ ! -e /opt/b ]
    [ -x 'the dest/opt/b/pbcat' ]
    [ -e 'the dest/opt/m/man1/pbcat.1' ]
    [ -e 'the dest/opt/m/man7/profutils.7' ]
    [ -e 'the dest/opt/d/README.md' ]
    [ -e 'the dest/opt/bash/pbcat' ]
    [ -e 'the dest/opt/z/_pbcat' ]
    [ -e 'the dest/opt/f/pbcat.fish' ]
    [ "$(ls 'the dest')" = opt ]
    # What others have put there stays.
    touch 'the dest/opt/d/other' 'the dest/opt/b/other'
    make_there uninstall "${places[@]}"
    [ "$(find 'the dest' -type f | sort)" = 'the dest/opt/b/other
the dest/opt/d/other' ]
}

# What a loader and the C library do against exploits is up to each program.
# Sanitizers put their own checks in place of _FORTIFY_SOURCE's.
@test "the tools are hardened" {
    local tool imports
    for tool in $TOOLS; do
        readelf -hW "$BIN/$tool" | grep 'Type: *DYN'
        readelf -dW "$BIN/$tool" | grep 'FLAGS_1.* PIE'
        readelf -dW "$BIN/$tool" | grep 'FLAGS.*BIND_NOW'
        readelf -lW "$BIN/$tool" >segments
        grep GNU_RELRO segments
        grep -E 'GNU_STACK .* RW  *0x' segments
        ! grep RWE segments || false
        imports=$(nm -D "$BIN/$tool")
        [[ $imports = *__stack_chk_fail* ]]
        [[ $imports = *__[at]san_init* || $imports = *__[a-rt-z]*_chk@* ]]
    done
}

@test "HARDEN=no and optimization choose the flags, sanitizers theirs" {
    dry() {
        make -n -C "$ROOT" V=1 BUILD="$PWD/b" "$PWD/b/obj/cmd/pbcat.o" "$@" |
            grep -e '-c -o'
    }
    local sanitize=-fsanitize=address,undefined
    dry CFLAGS=-O2 | grep -e '-fstack-protector-strong.*-D_FORTIFY_SOURCE=[23]'
    dry CFLAGS=-O0 | grep -e -fstack-protector-strong
    ! dry CFLAGS=-O0 | grep FORTIFY || false
    ! dry CFLAGS="-O1 $sanitize" | grep FORTIFY || false
    ! dry HARDEN=no | grep -E 'FORTIFY|-fstack|-fPIE|-fcf' || false
}

# Those of `dpkg-buildflags --get`, in Debian 11, 12 and 13.
@test "_FORTIFY_SOURCE of the user's flags is not defined again" {
    local cflags='-g -O2 -ffile-prefix-map=/x=. -fstack-protector-strong '
    cflags+='-Wformat -Werror=format-security'
    compile() {
        make -s -C "$ROOT" BUILD="$PWD/b" WERROR=-Werror "$@" \
            "$PWD/b/obj/lib/base/buf.o"
    }
    compile CFLAGS="$cflags" CPPFLAGS='-Wdate-time -D_FORTIFY_SOURCE=2'
    compile CFLAGS="$cflags -D_FORTIFY_SOURCE=2"
    compile CFLAGS="$cflags -Wp,-D_FORTIFY_SOURCE=3"
    make -n -C "$ROOT" V=1 BUILD="$PWD/b" CPPFLAGS=-D_FORTIFY_SOURCE=1 \
        "$PWD/b/obj/lib/base/buf.o" | grep -e '-c -o' >command
    [ "$(grep -o 'D_FORTIFY_SOURCE=.' command)" = D_FORTIFY_SOURCE=1 ]
}

@test "PKG_CONFIG and CC are lists of words to .ci/deps too" {
    PKG_CONFIG='pkg-config --print-errors' CC='env gcc' \
        "$ROOT/.ci/deps" --check build
    run --separate-stderr env CC='no-such-compiler -x' "$ROOT/.ci/deps" \
        --check build
    [ "$status" = 1 ]
    same_err ... gcc ...
}
