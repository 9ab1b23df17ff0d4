#!/bin/sh
# embed.sh HEADER FILE... - prints C that has the files in arrays
#
# One array for each kind of file, as the header declares them: of "x/page.h" the
# styles are page_css.  Comments that have their own lines and indentation are
# removed: every page would have them.
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

name=$(basename "$1" .h)
echo "#include \"${1#lib/}\""
shift
for kind in html css js; do
    case " $* " in *."$kind "*) ;; *) continue ;; esac
    echo "const unsigned char ${name}_${kind}[] = {"
    for file; do
        case $file in *."$kind") strip "$kind" "$file" ;; esac
    done | od -An -v -tx1 | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
    echo "};"
    echo "const size_t ${name}_${kind}_n = sizeof ${name}_$kind;"
done
