#!/bin/sh
# strings.sh - finds strings of profiles that are taken for C strings
#
#   tests/lint/strings.sh
#
# A string of a profile may hold a NUL.  So lib/ and cmd/ use prof_text() and
# its kin (lib/profile/columns.h), or strtab_str() together with strtab_len() in
# one statement or the one behind it.  What is allowed otherwise is listed
# below, with the number of uses and the reason.  Exits with 1 where something
# else is found, or where the list says more than there is.
set -eu
cd "$(dirname "$0")/../.."

allowed() {
    sed 's/ *#.*//; /^$/d' <<'END'
lib/cli/each.c strtab_str 1            # names of inputs, made of C strings
lib/cli/weights.c strtab_str 1         # NULs are escaped
lib/formats/dcpi/dcpi.c strtab_str 3 # headers of DCPI have no NUL
lib/formats/dcpi/dcpi_join.c strtab_str 1 # the same
lib/formats/dcpi/private.h strtab_str 1 # the same
lib/formats/perf/perf_chain.c strtab_str 2 # names of a recording end at a NUL
lib/formats/perf/perf_process.c strtab_str 1 # build IDs are hexadecimal
lib/privacy/pseudonyms.c strtab_str 2 # types that are shown; NULs are escaped
lib/profile/model/build.h strtab_str 1     # for tests
lib/profile/model/build.h prof_cstr 1      # the same
lib/profile/wire/encode.c strtab_str 1           # the length is a parameter
lib/report/code/sources.c strtab_str 1      # the same
lib/report/code/weblist.c strtab_str 1 # the length is asked for before
END
}

# "FILE FUNCTION COUNT" of what is not used with a length.
found() {
    find lib cmd -name '*.[ch]' | LC_ALL=C sort | while read -r file; do
        awk -v file="$file" '
            BEGIN { RS = ";" }
            {
                n = gsub(/strtab_str\(/, "")
                if (waiting && !/strtab_len\(/)
                    bare += waiting
                waiting = n && !/strtab_len\(/ && !had_length ? n : 0
                had_length = /strtab_len\(/
                cstr += gsub(/prof_cstr\(/, "")
            }
            END {
                if (bare + waiting)
                    print file, "strtab_str", bare + waiting
                if (cstr)
                    print file, "prof_cstr", cstr
            }' "$file"
    done
}

# A character that may be NUL is found at the end of any set of strchr().
sets() {
    grep -rnE 'strchr\("' lib cmd --include='*.[ch]' |
        grep -vE '(![a-z.\[]+\]|!c|!p\[i\]) \|\| !strchr\(|: \(!strchr' || true
}

status=0
if ! diff=$(found | diff -u /dev/fd/3 - 3<<END
$(allowed)
END
); then
    echo "strings of profiles without their lengths (+), see $0:"
    echo "$diff" | sed -n '/^[-+][^-+]/p'
    status=1
fi
if [ -n "$(sets)" ]; then
    echo "strchr() of a character that may be NUL: use ascii_is_one_of()"
    sets
    status=1
fi
exit $status
