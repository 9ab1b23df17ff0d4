# What a reader finds first: README, its links, and every tool named where the
# others are

load helper

TOOLS=$(sed -n '/^TOOLS := /,/[^\\]$/{s/TOOLS := //;s/\\//;p}' "$ROOT/Makefile")
CONVERTERS='perf2pb prof2pb gmon2pb folded2pb dcpi2pb'

# Fails unless the text names each of the tools.
names() { # TITLE TEXT TOOL...
    local title=$1 text=$2 tool
    for tool in "${@:3}"; do
        grep -qw -- "$tool" <<<"$text" || { echo "$title: no $tool"; return 1; }
    done
}

see_also() { # PAGE
    sed -n '/^\.Sh SEE ALSO/,/^\.\(Sh\|Pp\|Rs\)/p' "$ROOT/man/$1" |
        sed -n 's/^\.Xr \([^ ]*\) [0-9].*/\1/p'
}

@test "every tool is named where the others are" {
    [ "$(wc -w <<<"$TOOLS")" = "$(ls "$ROOT"/cmd/*.c | wc -l)" ]
    names README.md "$(sed -n '/^## Tools/,/^## /p' "$ROOT/README.md")" $TOOLS
    names CHANGELOG.md "$(sed -n '/^The first version:/,/^$/p' \
        "$ROOT/CHANGELOG.md")" $TOOLS
    names 'profutils(7), DESCRIPTION' \
        "$(sed -n '/^\.Sh DESC/,/^\.Sh PIPE/p' "$ROOT/man/profutils.7")" $TOOLS
    names 'profutils(7), PIPELINE' \
        "$(sed -n '/^\.Sh PIPE/,/^\.Sh COMM/p' "$ROOT/man/profutils.7")" $TOOLS
    names 'profutils(7), SEE ALSO' "$(see_also profutils.7)" $TOOLS
    names 'profutils-cookbook(7)' "$(see_also profutils-cookbook.7)" $TOOLS
    # The tarball is without it.
    [ ! -e "$ROOT/debian" ] || names debian/control \
        "$(sed -n '/^ The tools are/,$p' "$ROOT/debian/control")" $TOOLS
}

@test "pages that name one converter as reading on name all" {
    local tool other
    for tool in $TOOLS; do
        [ -n "$(see_also "$tool.1")" ]
        for other in $CONVERTERS; do
            [ "$tool" = "$other" ] ||
                names "$tool(1)" "$(see_also "$tool.1")" "$other"
        done
    done
    names 'profutils-formats(5)' "$(see_also profutils-formats.5)" $CONVERTERS
}

@test "perf comes first" {
    local file first
    for file in README.md man/profutils.7 man/html/tour.html; do
        first=$(grep -v '^\.Bl' "$ROOT/$file" |
            grep -oEw -m 1 "(${CONVERTERS// /|})" | head -n 1)
        [ "$first" = perf2pb ] || { echo "$file: $first"; false; }
    done
}

PAGES='README INSTALL CONTRIBUTING SECURITY CHANGELOG examples/README lib/README
    tests/README testdata/README'

# The links of a page but those to other sites.
links() { # PAGE
    grep -oE '\]\([^)]*\)|src(set)?="[^"]*"' "$ROOT/$1.md" |
        sed -E 's/^(\]\(|src(set)?=")//; s/[)"]$//; /^https:/d'
}

# Anchors within a page are those that GitHub makes of headings.
@test "links of the README and its like lead to files and headings" {
    local page link n=0
    for page in $PAGES; do
        while read -r link; do
            n=$((n + 1))
            case $link in
            '#'*) sed -n 's/^#* //p' "$ROOT/$page.md" | tr 'A-Z ' 'a-z-' |
                grep -qxF "${link#'#'}" ;;
            *) [ -e "$ROOT/$(dirname "$page")/${link%%#*}" ] ;;
            esac || { echo "$page.md: $link"; false; }
        done < <(links "$page")
    done
    [ "$n" -gt 40 ]
}

@test "links of doc/ lead to its files and their ids" {
    perl -e '
        my (%id, @link);
        for my $file (@ARGV) {
            open my $in, "<", $file or die;
            (my $page = $file) =~ s{.*/}{};
            $id{$page}{""} = 1;
            for (<$in>) {
                $id{$page}{$_} = 1 for /\bid="([^"]*)"/g;
                push @link, [$page, $_] for /\bhref="([^"]*)"/g;
            }
        }
        for (@link) {
            my ($page, $link) = @$_;
            next if $link =~ /^https?:/;
            my ($to, $anchor) = $link =~ /^([^#]*)#?(.*)/;
            $id{$to || $page}{$anchor} or print "$page: $link\n";
        }
        print scalar @link > 500 ? "" : "only " . @link . " links\n"' \
        "$ROOT"/doc/*.md >dead
    diff -u /dev/null dead
}

@test "the README has at most 120 lines" {
    [ "$(wc -l <"$ROOT/README.md")" -le 120 ]
}

@test "make publish writes home page and maintainer where packages read them" {
    mkdir tree
    cp -R "$ROOT"/{.ci,Makefile,examples} tree
    [ ! -e "$ROOT/debian" ] || cp -R "$ROOT/debian" tree
    cd tree
    # As they are: nothing changes.
    cp -R . ../before
    .ci/publish "$(sed -n 's/^HOMEPAGE := *//p' Makefile)" \
        "$(sed -n 's/^MAINTAINER := //p' Makefile)"
    diff -r ../before .
    .ci/publish https://profutils.dev 'A. Name <a@profutils.dev>'
    grep -qx 'HOMEPAGE := https://profutils.dev' Makefile
    grep -qx 'MAINTAINER := A. Name <a@profutils.dev>' Makefile
    [ "$(grep -h PROFUTILS: examples/*.yml | grep -c https://profutils.dev/)" = 2 ]
    if [ -e debian ]; then
        grep -qx 'Homepage: https://profutils.dev' debian/control
        grep -qx 'Maintainer: A. Name <a@profutils.dev>' debian/control
        grep -q '^ -- A. Name <a@profutils.dev>  ' debian/changelog
    fi
    ! grep -r profutils.invalid Makefile debian examples || false
    # And back.
    .ci/publish '' 'The profutils authors <profutils@profutils.invalid>'
    diff -r ../before .
    run ! .ci/publish 'no URL' 'A. Name <a@profutils.dev>'
    run ! .ci/publish '' 'no address'
}
