# bulk.bash - files to convert, for bats files (`load helper` and `load bulk`)
#
#   bulk COMMAND...  bulk.pl, which see
#   files_of TOOL    files of a tool, one.in and two.in, of which it makes
#                    `wanted`

bulk() {
    perl "$ROOT/tests/cli/bulk.pl" "$@"
}

files_of() {
    case $1 in
    prof2pb)
        bulk cpu 1 >one.in
        bulk cpu 2 >two.in
        ;;
    gmon2pb)
        perl "$ROOT/tests/cli/gmon.pl" make gnu64 little >one.in
        perl "$ROOT/tests/cli/gmon.pl" make gnu64 little bins=1,1,1,1 >two.in
        ;;
    dcpi2pb)
        fixture cycles.dcpi imiss.dcpi
        mv cycles.dcpi one.in
        mv imiss.dcpi two.in
        ;;
    folded2pb)
        printf '%s\n' 'main;a 1' 'main;b 2' >one.in
        printf '%s\n' 'main;a 3' 'main 4' >two.in
        ;;
    esac
    "$1" -q -o wanted one.in two.in
    [ -s wanted ]
}
