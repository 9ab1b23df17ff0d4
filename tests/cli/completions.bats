# What --help lists, the completions complete and the manual explains: the
# same long options, in all of them.

load helper

TOOLS='prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter pbsym pbcat pbdiff pb2pgo'

# Long options, without dashes, sorted: of --help, of the rendered manual
# (whose synopsis explains none).
help_options() {
    "$1" --help | sed -nE 's/^ +(-[a-zA-Z], )? *(--[a-z0-9-]+).*/\2/p' | cut -c3- |
        sort -u
}

man_options() {
    mandoc -T ascii "$ROOT/man/$1.1" | perl -pe 's/.\x08//g' |
        sed '/^SYNOPSIS/,/^DESCRIPTION/d' |
        grep -oE -- '(^|[^-[:alnum:]])--[a-z][a-z0-9-]*' | sed 's/.*--//' |
        sort -u
}

# The long options of a completion file.
bash_options() {
    sed -n '/options=/,/cur=/p' "$1" | grep -oE -- '--[a-z][a-z0-9-]*' |
        cut -c3- | sort -u
}

zsh_options() {
    grep -oE -- '--[a-z][a-z0-9-]*(=-?)?[[}]' "$1" | tr -d '=[}' | cut -c3- |
        sed 's/-$//' | sort -u
}

fish_options() {
    grep -oE -- ' (-l|--long-option) [a-z0-9-]+' "$1" | sed 's/.* //' | sort -u
}

complete_as_help() { # SHELL FUNCTION
    local tool file
    for tool in $TOOLS; do
        case $1 in
        bash) file=bash/$tool ;;
        zsh) file=zsh/_$tool ;;
        fish) file=fish/$tool.fish ;;
        esac
        help_options "$tool" >help
        [ "$(grep -cx help help)" = 1 ]
        "$2" "$BUILD/completions/$file" >completed
        diff -u --label "$tool --help" --label "$tool in $1" help completed
    done
}

@test "bash completes the options of --help, no fewer, no more" {
    complete_as_help bash bash_options
}

@test "zsh completes the options of --help, no fewer, no more" {
    complete_as_help zsh zsh_options
}

@test "fish completes the options of --help, no fewer, no more" {
    complete_as_help fish fish_options
}

@test "the manual explains every option of --help" {
    for tool in $TOOLS; do
        help_options "$tool" >help
        man_options "$tool" >explained
        run comm -23 help explained
        [ -z "$output" ] || { echo "$tool: not in man: $output"; false; }
    done
}

# A cell that is wider than its column, or a word that is wider than the page,
# moves what follows to another line.
@test "no table of the manual has a cell that is wider than its column" {
    local page
    for page in "$ROOT"/man/*.[1-7]; do
        perl -ne '
            if (/^\.Bl -column (.*)/) { @width = map length, $1 =~ /"(.*?)"/g }
            elsif (/^\.El/) { @width = () }
            elsif (@width && s/^\.It //) {
                my @cell = split / Ta /;
                for my $i (0 .. $#cell - 1) {
                    my $text = $cell[$i];
                    chomp $text;
                    $text =~ s/\bXr (\S+) (\d)/$1($2)/g;
                    $text =~ s/\bFl (?=\S)/-/g;
                    $text =~ s/ ([,.])(?= |$)/$1/g;
                    $text =~ s/\b(Pa|Sy|Li|Ql|Cm|Ar|Ev|No|Em|Dv) //g;
                    $text =~ s/"//g;
                    print "$ARGV:$.: $text\n"
                        if length $text > ($width[$i] // 0);
                }
            }' "$page"
    done >wide
    diff -u /dev/null wide
}

@test "the first table of profutils(7) names each tool once, at any width" {
    local width
    for width in 60 80 120; do
        mandoc -O "width=$width" "$ROOT/man/profutils.7" | col -bx >mandoc.txt
        groff -mandoc -Tascii -P-c -rLL="${width}n" "$ROOT/man/profutils.7" |
            col -bx >groff.txt
        for page in mandoc groff; do
            sed -n '/^DESCRIPTION/,/^ *Each *tool *reads/p' $page.txt >table
            for tool in $TOOLS; do
                # The text begins on the line of the name.
                run grep -cE "^ {5,7}$tool\(1\) +[a-z]" table
                same 1
            done
            [ "$(awk '{ print length }' table | sort -n | tail -n 1)" -le \
                "$width" ]
        done
    done
}

@test "bash, zsh and fish read their completions without an error" {
    for tool in $TOOLS; do
        bash -n "$BUILD/completions/bash/$tool"
        zsh -n "$BUILD/completions/zsh/_$tool"
        fish -n "$BUILD/completions/fish/$tool.fish"
    done
}

# Prints what bash offers for the last word of a command line.
bash_offers() { # TOOL WORD...
    cat >complete.bash <<'END'
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
spec=$(complete -p "$1")
function=$(sed -nE 's/.* -F ([^ ]+) .*/\1/p' <<<"$spec")
"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
END
    bash complete.bash "$BUILD/completions/bash/$1" "$@"
}

@test "bash offers options, values and files where each belongs" {
    for tool in $TOOLS; do
        help_options "$tool" | sed 's/^/--/' >wanted
        bash_offers "$tool" -- | sed 's/[= ]*$//' | sort -u >offered
        diff -u wanted offered
    done
    mkdir dir
    touch file
    [ "$(bash_offers pbcat --color = '' | tr '\n' ' ')" = 'auto always never ' ]
    [ "$(bash_offers pbcat --color = n)" = never ]
    [ "$(bash_offers pbcat --color a | tr '\n' ' ')" = 'auto always ' ]
    [ "$(bash_offers pbcat --text = | tr '\n' ' ')" = 'classic gprof errors ' ]
    [ "$(bash_offers pbcat --text f)" = file ]
    [ "$(bash_offers pbcat --base = f)" = file ]
    [ "$(bash_offers pbcat -e f)" = file ]
    [ "$(bash_offers pbcat --path = '')" = dir ]
    [ "$(bash_offers pbcat --focus = '')" = '' ]
    [ "$(bash_offers gmon2pb --format = b | tr '\n' ' ')" = \
        'be bins16 bins32 bins-le bins-be ' ]
    [ "$(bash_offers gmon2pb --format = gnu,be,3)" = gnu,be,32 ]
    [ "$(bash_offers gmon2pb --format gnu,6)" = gnu,64 ]
}

# The shell itself is asked, where it can be without a terminal.
@test "fish offers values" {
    fish_offers() {
        fish -c "source '$BUILD/completions/fish/$1.fish'; complete -C '$*'" |
            cut -f 1
    }
    [ "$(fish_offers pbcat --color= | tr '\n' ' ')" = \
        '--color=always --color=auto --color=never ' ]
    [ "$(fish_offers pbmerge --types=u)" = --types=union ]
    [ "$(fish_offers gmon2pb --format=gnu,6)" = --format=gnu,64 ]
    [ "$(fish_offers gmon2pb --format 6)" = 64 ]
    [ "$(fish_offers gmon2pb --format gnu,be,3)" = gnu,be,32 ]
}

@test "every tool prints the one version" {
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
    [ -n "$version" ]
    for tool in $TOOLS; do
        expect 0 "$tool" --version
        [ "${lines[0]}" = "$tool (profutils) $version" ]
    done
}
