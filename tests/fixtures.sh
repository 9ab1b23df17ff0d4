#!/bin/bash
# fixtures.sh DIR - the files that tests and examples work on, made by the
# programs that make such files in real life
#
#   bank.c                 the program behind the next four
#   a.out gmon.out         built with gcc -pg and run
#   prog cpu.prof          built with -g and run under libprofiler
#   cpu.pb.gz heap.pb.gz   go test -cpuprofile -memprofile
#   old.pb.gz new.pb.gz    CPU profiles of two runs of one program
#   build/{a,b,c}/test.pb.gz  CPU profiles of three runs
#   profiles.tar.gz        the tar of build/
#   cycles.dcpi imiss.dcpi dcpi.txt  see cli/dcpi.pl
#
# DIR.cache is the GOCACHE of those that are in Go.
#
# With DEPS=no, what cannot be made is left out: DIR/.lacking has lines "FILE
# WHAT IS MISSING".
#
# Made once: a DIR that is complete is left as it is, and of several callers
# at a time one works while the others wait.
set -euo pipefail

[ $# = 1 ] || { echo 'usage: fixtures.sh DIR' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../testdata
mkdir -p "$(dirname "$1")"
dir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

exec 9>"$dir.lock"
flock 9
[ ! -e "$dir/.complete" ] || exit 0

rm -rf "$dir" "$dir.go"
mkdir -p "$dir/build" "$dir.go"
cp "$data/bank.c" "$dir"
cd "$dir"

# gprof's seconds are then whole ticks, as ours are.
"$here/exact_bins.sh" a.out gcc -pg -g -O1 -falign-functions=16 bank.c
./a.out >/dev/null

# What the list of tests/missing says of a package.
lacks() { # PACKAGE NAME FILE...
    grep -q "^$1 " "${MISSING-}/list" 2>/dev/null || return
    printf "%s $2\n" "${@:3}" >>.lacking
}

gcc -g -O1 -o prog bank.c
if ! lacks libgoogle-perftools-dev libprofiler cpu.prof; then
    LD_PRELOAD=$(gcc -print-file-name=libprofiler.so) \
        CPUPROFILE=$dir/cpu.prof ./prog >/dev/null 2>&1
    [ -s cpu.prof ] || { echo "fixtures.sh: no libprofiler" >&2; exit 1; }
fi

perl "$here/cli/dcpi.pl" .
if lacks golang-go go {cpu,heap,old,new}.pb.gz build profiles.tar.gz; then
    rm -rf "$dir.go"
    touch .complete
    exit 0
fi

# Go writes where it is told to, and asks no network.  What it has compiled is
# there for the tests as well.
export HOME=$dir.go GOCACHE=$dir.cache GOPATH=$dir.go/path \
    GOTMPDIR=$dir.go GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
(
    cd "$data/gobank"
    go test -vet=off -o "$dir.go/gobank.test" -cpuprofile "$dir/cpu.pb.gz" \
        -memprofile "$dir/heap.pb.gz" -memprofilerate 4096 .
) >/dev/null
gobank() { # OUTPUT TEST...
    "$dir.go/gobank.test" -test.cpuprofile "$1" -test.run "$2" >/dev/null
}
gobank old.pb.gz North
gobank new.pb.gz 'North|South'
for run in a b c; do
    mkdir "build/$run"
    gobank "build/$run/test.pb.gz" South
done
tar -czf profiles.tar.gz build

rm -rf "$dir.go"
touch .complete
