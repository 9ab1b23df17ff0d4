#!/bin/bash
# record.sh DIR - profiles of running programs, sampled anew, for testdata
#
# `make fixtures` does this to testdata/recorded, from which fixtures.sh makes
# what tests and examples work on.  What is sampled differs from run to run, and
# the tests go by it: look at what `make check` says afterwards.
#
#   a.out gmon.out         bank.c, built with gcc -pg and run
#   prog cpu.prof          built with -g and run under libprofiler; in the list
#                          of its mappings prog is /src/prog
#   cpu.pb.gz heap.pb.gz   go test -cpuprofile -memprofile
#   old.pb.gz new.pb.gz    CPU profiles of two runs of one program
#   build/{a,b,c}/test.pb.gz  CPU profiles of three runs
#   cycles.dcpi imiss.dcpi dcpi.txt  see cli/dcpi.pl
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

# Where the programs are made and run shows in nothing that is recorded.
cp "$data/bank.c" .
map=-ffile-prefix-map=$dir/out=/src
# gprof's seconds are then whole ticks, as ours are.
"$here/exact_bins.sh" a.out gcc -pg -g -O1 -falign-functions=16 "$map" bank.c
./a.out >/dev/null

gcc -g -O1 "$map" -o prog bank.c
LD_PRELOAD=$(gcc -print-file-name=libprofiler.so) CPUPROFILE=$PWD/cpu.prof \
    ./prog >/dev/null 2>&1
[ -s cpu.prof ] || { echo "record.sh: no libprofiler" >&2; exit 1; }
LC_ALL=C sed -i "s|$dir/out/prog|/src/prog|" cpu.prof
rm bank.c

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
