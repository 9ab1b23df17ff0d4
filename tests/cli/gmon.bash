# gmon.bash - programs that gmon.out files are of (`load gmon` behind helper)
#
#   gmon ARG...            gmon.pl
#   build PROGRAM FLAG...  testdata/bank.c with a histogram of which gprof
#                          rounds nothing: each bin is of exactly four bytes,
#                          and none straddles two functions
#
# shellcheck disable=SC2154 # ROOT and DATA are of helper.bash

gmon() { perl "$ROOT/tests/cli/gmon.pl" "$@"; }

build() {
    local program=$1
    shift
    "$ROOT/tests/exact_bins.sh" "$program" gcc -pg -g -O1 \
        -falign-functions=16 "$@" "$DATA/bank.c"
}
