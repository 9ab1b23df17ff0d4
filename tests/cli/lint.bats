# What the checks of tests/lint find, and what they let pass; that tests/fuzz/seeds
# has a source.

load helper

noticed() { # finds what standard input has, a script
    cat >script
    expect 1 "$ROOT/tests/lint/negated.sh" script
    [[ $output = 'script:'*': a negated command '* ]]
}

@test "a negated command that asserts nothing" {
    noticed <<<'! cmp a b'
    noticed <<<$'f() {\n    ! grep -q x file\n    cmp a b\n}'
    noticed <<<'for f in *; do ! cmp a $f; done'
    noticed <<<'if true; then ! false; fi'
    noticed <<<'[ -s a ] && ! cmp a b'
    noticed <<<'true; ! false'
    noticed <<<'! grep "a || b" file'
    noticed <<<$'! cmp a \\\n    b'
    noticed <<<$'a |\n    b\n! cmp a b'
}

@test "a negated command whose failure counts" {
    cat >script <<'END'
! cmp a b || false
! cmp a \
    b || return
if ! cmp a b; then true; fi
while true && ! cmp a b; do true; done
[ ! -e a ] # ! cmp a b
# ! cmp a b
echo 'x; ! cmp a b'
END
    expect 0 "$ROOT/tests/lint/negated.sh" script
    [ -z "$output$stderr" ]
}

# A tree of four folders, and what includes.pl compares with it.
tree() {
    mkdir -p lib/{base,io,profile/wire,formats/go} cmd man tests
    cat >lib/README.md <<'END'
| folder | contains | may include |
| --- | --- | --- |
| `base` | | |
| `io` | | |
| `profile` | `encode.c`, `pb_encode()` | `io` |
| `formats` | | `io` `profile/columns.h` |
END
    printf '%s\n' 'SEES_profile := io' 'SEES_formats := profile/columns.h io' \
        >Makefile
    touch lib/profile/columns.h
    touch lib/profile/columns.h
    echo '#include "io/input.h"' >lib/profile/wire/encode.c
    echo 'bool pb_encode(void) {}' >>lib/profile/wire/encode.c
    printf '#include "%s"\n' base/err.h profile.h >lib/io/input.c
    printf '#include "%s"\n' io/input.h profile/columns.h >lib/formats/go/go.c
}

@test "the table in lib/README.md is the include path, and has what files need" {
    tree
    expect 0 "$ROOT/tests/lint/includes.pl"
    expect 0 "$ROOT/tests/lint/includes.pl" "$ROOT"
    [ -z "$output$stderr" ]
    echo '#include "io/private.h"' >lib/profile/wire/decode.c
    sed -i 2d lib/formats/go/go.c
    echo 'SEES_formats := io profile/columns.h symbolize' >>Makefile
    expect 1 "$ROOT/tests/lint/includes.pl"
    same "lib/README.md: formats: 'io profile/columns.h' is 'io profile/columns.h symbolize' in the Makefile
lib/profile/wire/decode.c: includes io/private.h
Makefile: no file of formats includes profile/columns.h
Makefile: no file of formats includes symbolize"
}

@test "headers of Linux are for NAME_linux.c" {
    tree
    printf '#include <%s.h>\n' sys/stat sys/prctl string >lib/io/output.c
    cp lib/io/output.c lib/io/output_linux.c
    expect 1 "$ROOT/tests/lint/includes.pl"
    same 'lib/io/output.c: <sys/prctl.h> is not in POSIX: see base/system.h'
}

@test "lib/README.md names what exists" {
    tree
    mkdir lib/report
    echo '`write.c`, `pb_decode()`' >>lib/README.md
    : >lib/profile/wire/encode.c
    expect 1 "$ROOT/tests/lint/includes.pl"
    same 'lib/README.md: no row for report
Makefile: no file of profile includes io
lib/README.md: no file write.c
lib/README.md: no function pb_encode()
lib/README.md: no function pb_decode()'
}

@test "an include that goes up inside of a folder, and files that need each other" {
    mkdir -p top/tests/lint top/lib/base top/lib/profile/{model,wire} \
        build/obj/lib/base
    cp "$ROOT/tests/lint/layers.sh" top/tests/lint
    echo '#include "profile/model/build.h"' >top/lib/profile/wire/decode.c
    touch top/lib/profile/model/build.h
    echo 'void g(void); void f(void); void f(void) { g(); }' >top/lib/base/x.c
    echo 'void f(void); void g(void); void g(void) { f(); }' >top/lib/base/y.c
    (cd top && cc -c -o ../build/obj/lib/base/x.o lib/base/x.c)
    top/tests/lint/layers.sh build
    (cd top && cc -c -o ../build/obj/lib/base/y.o lib/base/y.c)
    run top/tests/lint/layers.sh build
    [ "$status" = 1 ]
    [[ $output = *"a circle:"*lib/base/x.o* ]]
    rm build/obj/lib/base/y.o
    echo '#include "profile/wire/pb.h"' >top/lib/profile/model/build.h
    run top/tests/lint/layers.sh build
    [ "$status" = 1 ]
    [[ $output = *"lib/profile/model/build.h includes a header of profile/wire"* ]]
}

@test "the catalogue of messages is what the source says" {
    mkdir -p lib cmd tests/lint
    cp "$ROOT/tests/lint/messages.pl" tests/lint/
    cat >lib/a.c <<'END'
bool f(struct err *err) { return err_set(err, ERR_INPUT, "no " "file"); }
void g(struct notes *n) { note_warn(n, x ? "one" : "two %" PRIu64, x); }
END
    expect 0 tests/lint/messages.pl --write
    cmp tests/lint/messages.txt <<'END'
no file
one
two %<PRIu64>
END
    expect 0 tests/lint/messages.pl
    sed -i 's/one/1 of them/' lib/a.c
    expect 1 tests/lint/messages.pl
    [[ $output = *'-one'*'+1 of them'* ]]
    echo 'void say(struct err *err, const char *f, ...) ERR_PRINTF(2, 3);' >lib/a.h
    sed -i 's/1 of them/one/' lib/a.c
    expect 1 tests/lint/messages.pl
    [[ $output = *say* ]]
    rm lib/a.h
    # What becomes a part of a message counts, too.
    echo 'static const char why[] = TEXT("no " "reason");' >>lib/a.c
    expect 1 tests/lint/messages.pl
    [[ $output = *'+no reason'* ]]
}

@test "words that readers stumble over" {
    mkdir -p lib cmd man tests/lint
    cp "$ROOT/tests/lint/words.pl" tests/lint/
    echo 'there is no file' >tests/lint/messages.txt
    printf '%s\n' '/* is not a' ' * file */' 'int behind;' >lib/a.c
    expect 0 tests/lint/words.pl
    printf '%s\n' '/* it' ' * is' ' * no file */' >>lib/a.c
    echo '%s is no file' >>tests/lint/messages.txt
    printf '%s\n' '# one' '# Behind' >Makefile
    echo 'and made anew' >man/a.1
    expect 1 tests/lint/words.pl
    same "tests/lint/messages.txt:2: say 'is no' in other words
man/a.1:1: say 'anew' in other words
Makefile:2: say 'Behind' in other words
lib/a.c:5: say 'is no' in other words"
}

@test "messages that pages quote are in the catalogue" {
    mkdir -p man tests/lint
    cp "$ROOT/tests/lint/quotes.pl" tests/lint/
    printf '%s\n' "no event '%s'; available:%s" '%zu line{s} skipped, %zu%% left' \
        >tests/lint/messages.txt
    printf '%s\n' '.Sh NAME' '.It no such thing' '.Sh DIAGNOSTICS' \
        ".It \"no event 'NAME'; available: ...\"" '.It N lines skipped ...' \
        '.It Li 1 line skipped, 2% left' '.It Li skipped' >man/a.1
    expect 0 tests/lint/quotes.pl
    printf '%s\n' '.It N lines dropped' '.It Li skipped ... lines' >>man/a.1
    expect 1 tests/lint/quotes.pl
    same 'man/a.1:8: no message is: N lines dropped
man/a.1:9: no message is: skipped ... lines'
}

@test "make-seeds makes every seed of fuzzing, and no other" {
    mkdir -p tests lib
    cp -R "$ROOT/testdata" .
    mkdir -p lib/profile && cp -R "$ROOT/lib/profile/wire" lib/profile
    cp -R "$ROOT/tests/cli" "$ROOT/tests/fuzz" tests
    (cd tests/fuzz && find seeds -type f) | sort >kept
    tests/fuzz/make-seeds >/dev/null
    (cd tests/fuzz && find seeds -type f) | sort | diff kept -
}
