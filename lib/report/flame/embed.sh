#!/bin/sh
# embed.sh FILE... - prints C that has the files of the flame graph page in arrays
#
# One array for each kind of file, as flamepage.h declares them.
set -eu

echo '#include "report/flame/flamepage.h"'
for kind in html css js; do
    echo "const unsigned char flamepage_${kind}[] = {"
    for file; do
        case $file in *."$kind") cat "$file" ;; esac
    done | od -An -v -tx1 | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
    echo "};"
    echo "const size_t flamepage_${kind}_n = sizeof flamepage_$kind;"
done
