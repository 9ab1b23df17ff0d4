# What the checks of tests/lint find, and what they let pass.

load helper

noticed() { # finds what standard input has, a script
    cat >script
    expect 1 "$ROOT/tests/lint/negated.sh" script
    [[ $output = 'script:'*': a negated command '* ]]
}

@test "a negated command that asserts nothing" {
    noticed <<<'! cmp a b'
    noticed <<<$'f() {\n    ! grep -q x file\n    cmp a b\n}'
    noticed <<<'for f in *; do ! cmp a $f; done'
    noticed <<<'if true; then ! false; fi'
    noticed <<<'[ -s a ] && ! cmp a b'
    noticed <<<'true; ! false'
    noticed <<<'! grep "a || b" file'
    noticed <<<$'! cmp a \\\n    b'
    noticed <<<$'a |\n    b\n! cmp a b'
}

@test "a negated command whose failure counts" {
    cat >script <<'END'
! cmp a b || false
! cmp a \
    b || return
if ! cmp a b; then true; fi
while true && ! cmp a b; do true; done
[ ! -e a ] # ! cmp a b
# ! cmp a b
echo 'x; ! cmp a b'
END
    expect 0 "$ROOT/tests/lint/negated.sh" script
    [ -z "$output$stderr" ]
}
