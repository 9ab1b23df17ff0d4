#!/bin/bash
# demo.sh BUILD - a program profiled, converted, focused and printed
#
# Prints each command before running it.  Works in BUILD/demo.
set -euo pipefail

[ $# = 1 ] || { echo 'usage: demo.sh BUILD' >&2; exit 2; }
source=$(cd "$(dirname "$0")/../testdata" && pwd)/bank.c
PATH=$(cd "$1" && pwd):$PATH
rm -rf "$1/demo"
mkdir "$1/demo"
cp "$source" "$1/demo"
cd "$1/demo"

show() { # COMMAND LINE
    printf '\n$ %s\n' "$1"
    bash -euo pipefail -c "$1"
}

show 'gcc -pg -O1 bank.c && ./a.out'
show 'gmon2pb gmon.out | pbfilter --focus=Mutex | pbcat'
show 'gmon2pb gmon.out | pbcat --folded --sample-index=calls'
show './a.out 0.5 && gmon2pb -o short.pb.gz gmon.out'
show './a.out 1.5 && gmon2pb -o long.pb.gz gmon.out'
show 'pbmerge -o both.pb.gz short.pb.gz long.pb.gz && pbcat both.pb.gz'
show 'pbmerge --base short.pb.gz long.pb.gz | pbcat --folded'
