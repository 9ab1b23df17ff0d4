#!/usr/bin/env bats
# How many system calls a tool makes for little work, and that it loads no
# library that it does not need.

load ../cli/helper

VERSION_CALLS=80 # of --version and --help
REPORT_CALLS=180 # of a small profile, sandbox and all
# A report that needs libpcre2 or libelf as well.
LIBRARY_CALLS=195
# One that needs libdw: 46 to load it with libelf and what it needs itself, and
# about 30 to read debug information.
DWARF_CALLS=215

setup() {
    setup_scratch
    fixture cpu.pb.gz cpu.prof cycles.dcpi gmon.out a.out
    unset PROFUTILS_ISOLATION
}

# The calls of all threads: fails, showing them, if there are more than MOST.
# How often a thread waits for another depends on the machine: futex() does not
# count. $input is standard input.
calls() { # MOST COMMAND...
    strace -f -o log "${@:2}" >out 2>err \
        <"${input:-/dev/null}"
    grep -vE '(\+\+\+|---) |resumed>|futex\(' log >calls
    echo "$(wc -l <calls): ${*:2}"
    [ "$(wc -l <calls)" -gt 20 ]
    [ "$(wc -l <calls)" -le "$1" ] || { cat calls; return 1; }
}

# Which of the libraries that are loaded when they are needed were, in the last
# run: "libdw libelf".
loaded() {
    grep -oE 'openat.*/lib(archive|pcre2-8|elf|dw|zstd)\.so[.0-9]*", .* = [0-9]+$' \
        log | grep -oE 'lib(archive|pcre2|elf|dw|zstd)' | sort | paste -sd ' '
}

@test "--version and --help make few system calls and load nothing" {
    local tool option
    for tool in {prof,gmon,dcpi,folded,perf}2pb pb{merge,filter,sym,cat}; do
        for option in --version --help; do
            calls "$VERSION_CALLS" "$tool" "$option"
            [ -z "$(loaded)" ]
        done
    done
}

@test "small inputs take few system calls and load nothing" {
    echo 'main;work 3' >small.folded
    while read -r run; do
        # shellcheck disable=SC2086 # words
        calls "$REPORT_CALLS" $run
        [ -z "$(loaded)" ]
    done <<'END'
pbcat cpu.pb.gz
pbcat --flame cpu.pb.gz
pbmerge cpu.pb.gz
pbmerge cpu.pb.gz cpu.pb.gz
pbfilter cpu.pb.gz
pbsym cpu.pb.gz
folded2pb small.folded
dcpi2pb cycles.dcpi
prof2pb --no-symbols cpu.prof
END
    input=cpu.pb.gz calls "$REPORT_CALLS" pbcat
}

@test "what needs a library loads that one" {
    calls "$LIBRARY_CALLS" pbcat --focus=main cpu.pb.gz
    [ "$(loaded)" = libpcre2 ]
    calls "$DWARF_CALLS" gmon2pb gmon.out
    [ "$(loaded)" = 'libdw libelf' ]
    strip -g a.out
    calls "$LIBRARY_CALLS" gmon2pb gmon.out
    [ "$(loaded)" = libelf ]
    # Two binaries, read by two threads, which map more memory where they meet;
    # libc.so.6 may have a debug file of some megabytes.
    calls 350 prof2pb cpu.prof
    [[ " $(loaded) " = *' libelf '* ]]
    tar -cf a.tar cpu.pb.gz
    calls 1000 pbcat a.tar
    [[ $(loaded) = libarchive?(' libzstd') ]] # which libarchive needs
}
