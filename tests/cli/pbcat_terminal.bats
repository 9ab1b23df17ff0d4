# pbcat on a terminal, which script(1) makes: what fits, what has colours.

load helper

# A table of names of 60 and 20 characters.
tables() {
    long=github.com/somebody/somethin/internal/package.Function_of_60
    [ "${#long}" = 60 ]
    printf '%s\n' "main;$long 50" 'main;ten 30' 'main;fifty 3' 'main;rest 1' |
        folded2pb -o a.pb.gz
}

# What a command prints on a terminal of so many columns.
on_terminal() { # COLUMNS COMMAND
    COLUMNS=$1 script -qec "$2" /dev/null </dev/null | tr -d '\r'
}

@test "a name too long for its line is shortened in the middle" {
    tables
    export TERM=dumb
    on_terminal 80 'pbcat a.pb.gz' >shown
    pbcat a.pb.gz >whole
    grep -F "$long" whole
    # 44 columns of numbers leave 36: 14, the dots, 19.
    sed "s|$long|github.com/som...kage.Function_of_60|" whole | diff - shown
    [ "$(awk '{ print length }' shown | sort -n | tail -1)" = 80 ]
}

@test "nothing is shortened where it fits, or where there is no room" {
    tables
    export TERM=dumb
    pbcat a.pb.gz >whole
    for width in 104 200 59 20; do
        on_terminal "$width" 'pbcat a.pb.gz' | diff whole -
    done
    on_terminal 103 'pbcat a.pb.gz' | grep -F ...
}

@test "characters are counted, not bytes" {
    export TERM=dumb
    printf 'main;%s 1\n' "$(printf '\303\251%.0s' {1..50})" |
        folded2pb -o a.pb.gz
    on_terminal 94 'pbcat a.pb.gz' | diff <(pbcat a.pb.gz) -
    on_terminal 93 'pbcat a.pb.gz' >shown
    # 49 columns: 19, the dots, 27.
    e=$(printf '\303\251%.0s' {1..50})
    grep -F "  ${e:0:38}...${e:0:54}" shown
    iconv -f UTF-8 -t UTF-8 shown >/dev/null
}

@test "files and pipes have all of it, whatever COLUMNS says" {
    tables
    pbcat a.pb.gz >whole
    COLUMNS=60 pbcat a.pb.gz | diff whole -
    COLUMNS=60 pbcat a.pb.gz -o file
    diff whole file
    on_terminal 60 'pbcat a.pb.gz -o named'
    diff whole named
}

@test "trees, traces and the classic table fit as well; JSON is left alone" {
    tables
    export TERM=dumb
    for format in tree traces text=classic; do
        on_terminal 90 "pbcat --$format a.pb.gz" >shown
        pbcat "--$format" a.pb.gz >whole
        [ "$(wc -l <shown)" = "$(wc -l <whole)" ]
        [ "$(awk '{ print length }' shown | sort -n | tail -1)" -le 90 ]
    done
    on_terminal 60 'pbcat --json a.pb.gz' | diff <(pbcat --json a.pb.gz) -
    on_terminal 60 'pbcat --folded a.pb.gz' | diff <(pbcat --folded a.pb.gz) -
}

# Shares of 84: 59.5, 35.7, 3.6 and 1.2 %, and main's 0.
@test "colours say what weighs" {
    tables
    export TERM=xterm
    unset NO_COLOR
    e=$'\033'
    on_terminal 200 'pbcat a.pb.gz' >shown
    grep -F "${e}[1m      flat  flat%   sum%        cum   cum%${e}[0m" shown
    grep -F "${e}[1;31m        50 59.52%" shown | grep -F "$long${e}[0m"
    grep -F "${e}[1;31m        30 35.71%" shown
    grep -F "${e}[33m         3  3.57%" shown
    grep -x '         1  1.19%.*rest' shown
    grep -F "${e}[2m         0     0%" shown
    # Nothing but colours was added.
    sed "s/${e}\[[0-9;]*m//g" shown | diff <(pbcat a.pb.gz) -
}

@test "when there are colours" {
    tables
    e=$'\033'
    TERM=xterm on_terminal 99 'pbcat --color=never a.pb.gz' | grep -F "$e" && false
    TERM=dumb on_terminal 99 'pbcat a.pb.gz' | grep -F "$e" && false
    NO_COLOR=1 TERM=xterm on_terminal 99 'pbcat a.pb.gz' | grep -F "$e" && false
    NO_COLOR='' TERM=xterm on_terminal 99 'pbcat a.pb.gz' | grep -qF "$e"
    NO_COLOR=1 TERM=xterm on_terminal 99 'pbcat --color=always a.pb.gz' |
        grep -qF "$e"
    TERM=xterm pbcat a.pb.gz | grep -F "$e" && false
    TERM=dumb pbcat --color=always a.pb.gz | grep -qF "$e"
    pbcat --color=always --json a.pb.gz | cmp - <(pbcat --json a.pb.gz)
    expect 2 pbcat --color=blue a.pb.gz
    same_err "pbcat: invalid value 'blue' for --color: expected auto, always or never"
}

@test "names cannot colour, move or end a line" {
    printf 'main;\033[31mred\rx\233y 1\n' | folded2pb -q -o a.pb.gz
    on_terminal 99 'pbcat --color=never a.pb.gz' >shown
    grep -F '\x1b[31mred\x0dx\x9by' shown
    pbcat --color=always a.pb.gz | grep -F '\x1b[31mred'
    # A pipe may lead to a terminal.
    pbcat a.pb.gz | grep -F '\x1b[31mred\x0dx\x9by'
}
