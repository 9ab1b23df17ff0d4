# What `make goldens` makes of tests whose messages have changed.

load helper

# The message of this command has changed, and the test is written anew.
anew() { # MESSAGE
    mkdir -p goldens
    printf '%s\n' "$1" >message
    printf '%s\n' "load $ROOT/tests/cli/helper" '@test "a message" {' \
        '    local name=a.pb' \
        "    expect 0 bash -c 'cat $PWD/message >&2'" \
        "$(cat)" '}' >some.bats
    GOLDENS=$PWD/goldens bats some.bats
    "$ROOT/tests/goldens" goldens
    bats some.bats
}

@test "a message is written into its test" {
    anew "pbcat: a.pb: it's new" <<<'    same_err "pbcat: $name: is old"'
    grep -F "    same_err \"pbcat: \$name: it's new\"" some.bats
}

@test "what stands for anything stays" {
    anew 'pbcat: a.pb: offset 12: new words: for 7 reasons' \
        <<<"    same_err ... 'offset ' ... ': old words: ' ..."
    grep -F "same_err ... 'offset ' ... ': new words: ' ..." some.bats
}

@test "several lines, and one of them" {
    anew $'pbcat: new\npbcat: second' <<'END'
    same_err 'pbcat: old
pbcat: second'
    same_line 0 'pbcat: old'
END
    grep -F "same_line 0 'pbcat: new'" some.bats
}

@test "what is not found in the test is left to people" {
    mkdir goldens
    printf '%s\n' "load $ROOT/tests/cli/helper" '@test "a message" {' \
        '    stderr=new' '    same_err "$(printf o; printf ld)"' '}' >some.bats
    GOLDENS=$PWD/goldens bats some.bats
    run -1 "$ROOT/tests/goldens" goldens
    [[ $output = *'to do by hand:'*'some.bats:4: old'* ]]
}
