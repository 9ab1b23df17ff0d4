#!/bin/bash
# negated.sh FILE... - commands after `!` whose failure nobody notices
#
# set -e, and bats with it, ignores a command that `!` negates, unless it is the
# last of its function: `! cmp a b` then asserts nothing.  Such a command has
# to end with `|| false`, `|| return` or the like.  Prints where one does not,
# and exits with 1.
set -eu

awk '
    function look(  text) {
        text = statement
        statement = ""
        gsub(/\\./, "", text)
        gsub(/'\''[^'\'']*'\''|"[^"]*"/, "", text)
        if (text ~ /^[ \t]*#/ || text ~ /\|\|/)
            return
        sub(/[ \t]#.*/, "", text)
        gsub(/(^|[ \t;])(if|elif|while|until)[ \t][^;]*(;[ \t]*(then|do))?/,
            "; then ", text)
        if (text !~ /(^|;|[^a-z]do|[^a-z]then|[^a-z]else|[{(]|&&)[ \t]*! /)
            return
        printf "%s:%d: a negated command that fails is not noticed: add || false\n",
            FILENAME, line
        bad = 1
    }
    FNR == 1 { statement = "" }
    statement == "" { line = FNR }
    { statement = statement $0 }
    /(\\|&&|\|\||\|)$/ { sub(/\\$/, "", statement); next }
    { look() }
    END { exit bad }' "$@"
