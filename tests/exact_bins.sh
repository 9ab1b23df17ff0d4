#!/bin/sh
# exact_bins.sh PROGRAM COMMAND... - compiles a program whose gmon.out
# has bins of exactly four bytes
#
# glibc divides the text evenly into bins of about four bytes, and gprof
# rounds where that leaves a fraction.  Here the end of the text, as the
# program knows it, is at a multiple of 16.  That no bin straddles two
# functions, of which gprof would give half a tick to each, is left to COMMAND:
# -falign-functions=16.
set -eu

[ $# -gt 1 ] || { echo 'usage: exact_bins.sh PROGRAM COMMAND...' >&2; exit 2; }
program=$1
shift
"$@" -o "$program"
fini=$(nm "$program" | awk '$3 == "_fini" { print $1 }')
"$@" -o "$program" "-Wl,--defsym=etext=_fini+$((32 - 0x$fini % 16))"
