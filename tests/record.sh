#!/bin/bash
# record.sh DIR - profiles of running programs, sampled anew, for testdata
#
# `make fixtures` does this to testdata/recorded, from which fixtures.sh makes
# what tests and examples work on.  What is sampled differs from run to run, and
# the tests go by it: look at what `make check` says afterwards.
#
#   a.out.s gmon.out       bank.c, built with gcc -pg and run
#   prog.s cpu.prof        built with -g and run under libprofiler; in the list
#                          of its mappings prog is /src/prog
#   cpu.pb.gz heap.pb.gz   go test -cpuprofile -memprofile
#   old.pb.gz new.pb.gz    CPU profiles of two runs of one program
#   build/{a,b,c}/test.pb.gz  CPU profiles of three runs
#   perf.data              a.out under perf; in its mappings it is /src/a.out,
#                          with "/." in between to keep the length
#   cycles.dcpi imiss.dcpi dcpi.txt  see cli/dcpi.pl
#
# Of programs what the compiler said is kept, of which `assemble` makes what
# has the same functions at the same addresses.
set -euo pipefail

[ $# = 1 ] || { echo 'usage: record.sh DIR' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../testdata
mkdir -p "$1"
to=$(cd "$1" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/out/build" "$dir/go"
cd "$dir/out"

# Compiles bank.c, and adds what the assembled program is linked with: where
# the linker put the first function, and the build ID.
program() { # PROGRAM FLAGS COMMAND...: of which the last compiles PROGRAM.s
    local program=$1 flags=$2 text id
    # shellcheck disable=SC2086 # a list of flags
    gcc $flags "$map" -S -o "$program.s" bank.c
    "${@:3}"
    text=$(nm -n "$program" | sed -n 's/^0*\(.*\) T Mutex_lock$/\1/p')
    id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
    sed -i "1i\\
# bank.c, by gcc $(gcc -dumpfullversion): gcc $flags -S\\
# ld: --section-start=.text=0x$text --build-id=0x$id" "$program.s"
}

# Where the programs are made and run shows in nothing that is recorded.
cp "$data/bank.c" .
map=-ffile-prefix-map=$dir/out=/src
# gprof's seconds are then whole ticks, as ours are.
program a.out '-pg -g -O1 -falign-functions=16' \
    "$here/exact_bins.sh" a.out gcc -pg -g a.out.s
./a.out >/dev/null

program prog '-g -O1' gcc -g -o prog prog.s
LD_PRELOAD=$(gcc -print-file-name=libprofiler.so) CPUPROFILE=$PWD/cpu.prof \
    ./prog >/dev/null 2>&1
[ -s cpu.prof ] || { echo "record.sh: no libprofiler" >&2; exit 1; }
LC_ALL=C sed -i "s|$dir/out/prog|/src/prog|" cpu.prof
rm bank.c a.out prog

cp gmon.out gmon.first
perf record -q -N -e cpu-clock:u -F 250 -g -k CLOCK_MONOTONIC -o perf.data \
    ./a.out >/dev/null
mv gmon.first gmon.out
perl -0777 -i -pe 'BEGIN { $dir = shift }
    s{\Q$dir\E/out/}{$n = length($&) - 5;
        "/src/" . "./" x ($n / 2) . "/" x ($n % 2)}ge' "$dir" perf.data

perl "$here/cli/dcpi.pl" .

# Go writes where it is told to, and asks no network.
export HOME=$dir/go GOCACHE=$dir/go/cache GOPATH=$dir/go/path \
    GOTMPDIR=$dir/go GOFLAGS='-mod=mod -trimpath' GOPROXY=off GOTOOLCHAIN=local
(
    cd "$data/gobank"
    go test -vet=off -o "$dir/go/gobank.test" \
        -cpuprofile "$dir/out/cpu.pb.gz" -memprofile "$dir/out/heap.pb.gz" \
        -memprofilerate 4096 .
) >/dev/null
gobank() { # OUTPUT TEST...
    "$dir/go/gobank.test" -test.cpuprofile "$1" -test.run "$2" >/dev/null
}
gobank old.pb.gz North
gobank new.pb.gz 'North|South'
for run in a b c; do
    mkdir "build/$run"
    gobank "build/$run/test.pb.gz" South
done

rm -rf "${to:?}"/*
cp -R . "$to"
