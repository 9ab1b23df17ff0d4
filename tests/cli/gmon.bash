# gmon.bash - programs that gmon.out files are of (`load gmon` behind helper)
#
#   gmon ARG...            gmon.pl
#   build PROGRAM FLAG...  testdata/bank.c with a histogram of bins of exactly
#                          four bytes, so that none straddles two functions
#                          and gprof's arithmetic is exact: the end of the
#                          text, as the program knows it, is put at a multiple
#                          of 16
#
# shellcheck disable=SC2154 # ROOT and DATA are of helper.bash

gmon() { perl "$ROOT/tests/cli/gmon.pl" "$@"; }

build() {
    local program=$1 fini
    shift
    gcc -pg -g -O1 "$@" -o "$program" "$DATA/bank.c"
    fini=$(nm "$program" | awk '$3 == "_fini" { print $1 }')
    gcc -pg -g -O1 "$@" -o "$program" "$DATA/bank.c" \
        "-Wl,--defsym=etext=_fini+$((32 - 0x$fini % 16))"
}
