#!/bin/sh
# embed.sh FILE... - prints C that has the files of the flame graph page in arrays
#
# One array for each kind of file, as flamepage.h declares them.  Comments that
# have their own lines and indentation are removed: every page would have them.
set -eu

strip() { # KIND FILE
    case $1 in
    html) cat "$2" ;;
    *)
        sed -e 's/^ *//' -e '/^\/\//d' -e '/^$/d' -e '/^\/\*.*\*\/$/d' \
            -e '/^\/\*/,/\*\/$/d' "$2"
        ;;
    esac
}

echo '#include "report/flame/flamepage.h"'
for kind in html css js; do
    echo "const unsigned char flamepage_${kind}[] = {"
    for file; do
        case $file in *."$kind") strip "$kind" "$file" ;; esac
    done | od -An -v -tx1 | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
    echo "};"
    echo "const size_t flamepage_${kind}_n = sizeof flamepage_$kind;"
done
