#!/bin/sh
# layers.sh - finds dependencies inside of folders that go the wrong way
#
#   tests/lint/layers.sh BUILD
#
# The compiler refuses headers of folders that are not below (SEES_* in the
# Makefile).  Inside of a folder, a file includes headers of its own subfolder and
# of those further down in the list below.  No file of lib/ needs a function of
# another that needs, through whatever others, a function of the first: the
# symbols of the objects in BUILD say so.  Exits with 1 where something else is
# found.
set -eu
build=$(cd "${1:?BUILD}" && pwd)
cd "$(dirname "$0")/../.."
status=0

# The subfolders of each folder from top to bottom.  Those of one line know nothing
# of each other.
order() {
    cat <<'END'
report/flame report/data report/text report/dot
report/code
report
report/graph
formats/gmon formats/dcpi formats/folded formats/gperftools formats/jemalloc
formats/java formats/go formats/perf
formats
profile/check
profile/estimate
profile/merge
profile/wire
profile/filter
profile/model
profile
END
}

# Files that are parts of one thing, and so may call each other: the reader of
# recordings, whose parts read records out of each other, and a sum, which has
# sums of other sample types beside it.
together() {
    sed -E 's,perf/perf_(zstd|directory|file)\.o,perf/perf_reader.o,g
        s,merge/(inputs|type_sums)\.o,merge/merge.o,g' | awk '$1 != $2'
}

# The tables of formats name those that stand above them.
is_table() {
    case $1 in
    lib/formats/import_formats.c | lib/formats/import_readers.c | \
        lib/report/formats.c) return 0 ;;
    esac
    return 1
}

# "FILE FOLDER": subfolders of its folder that a file includes headers of.
includes() {
    grep -rHE '^#include "[a-z0-9_/]+/[^/"]+"' lib --include='*.[ch]' |
        sed -nE 's,^(lib/([a-z]+)/[^:]+):#include "(\2(/[^"]*)?)/[^/"]+"$,\1 \3,p' |
        LC_ALL=C sort -u
}

wrong_way() {
    { order; echo; includes; } | awk '
        !NF { list = 1; next }
        !list { for (i = 1; i <= NF; i++) rank[$i] = NR; next }
        {
            from = $1
            sub(/\/[^\/]*$/, "", from)
            sub(/^lib\//, "", from)
            if (from == $2)
                next
            if (!(from in rank) || !($2 in rank))
                print $1, "a folder without a place in the list:", from, $2
            else if (rank[from] >= rank[$2])
                print $1, "includes a header of", $2
        }' | while read -r file rest; do
        is_table "$file" || echo "$file $rest"
    done
}

# "USER OWNER": files of which the first calls the second.
calls() {
    find lib -name '*.c' | while read -r c; do
        o=${c%.c}.o
        [ ! -e "$build/obj/$o" ] || nm -P "$build/obj/$o" | sed "s,^,$o ,"
    done | awk '
        $3 ~ /^[TDBRC]$/ { owner[$2] = $1 }
        $3 == "U" { n++; user[n] = $1; name[n] = $2 }
        END {
            for (i = 1; i <= n; i++)
                if (name[i] in owner && owner[name[i]] != user[i])
                    print user[i], owner[name[i]]
        }' | LC_ALL=C sort -u
}

found=$(wrong_way)
if [ -n "$found" ]; then
    echo "dependencies that go up, see $0:"
    echo "$found"
    status=1
fi
if ! loops=$(calls | together | tsort 2>&1 >/dev/null) || [ -n "$loops" ]; then
    echo "files that need each other:"
    echo "$loops" | sed 's/^tsort: //; s/^-: input contains a loop:/a circle:/'
    status=1
fi
exit $status
