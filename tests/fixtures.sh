#!/bin/bash
# fixtures.sh DIR - the files that tests and examples work on
#
# Those of testdata/recorded, which record.sh lists: what programs wrote when
# they were profiled once; a.out and prog are assembled.  Besides them bank.c,
# the program behind gmon.out and cpu.prof, server.pb.gz, and profiles.tar.gz, the
# tar of build/.  cpu.prof is made to name the prog of DIR.
#
# DIR.cache is the GOCACHE of tests that compile Go.
#
# Made once: a DIR that is complete is left as it is, and of several callers
# at a time one works while the others wait.
set -euo pipefail

[ $# = 1 ] || { echo 'usage: fixtures.sh DIR' >&2; exit 2; }
tests=$(cd "$(dirname "$0")" && pwd)
data=$tests/../testdata
mkdir -p "$(dirname "$1")"
dir=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

exec 9>"$dir.lock"
flock 9
[ ! -e "$dir/.complete" ] || exit 0

rm -rf "$dir"
cp -R "$data/recorded" "$dir"
cd "$dir"
cp "$data/bank.c" "$data/server.pb.gz" .
for program in a.out prog; do
    "$tests/assemble" "$program.s" "$program"
    rm "$program.s"
done
LC_ALL=C sed -i "s|/src/prog$|${dir//[|&\\]/\\&}/prog|" cpu.prof
tar -czf profiles.tar.gz build
touch .complete
