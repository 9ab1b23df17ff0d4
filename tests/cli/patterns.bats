# Expressions that are hostile, by every option that takes one and as a
# profile's own: in bounded time and memory they match, or are refused in
# words that name the option.

bats_require_minimum_version 1.5.0
load helper

setup() {
    setup_scratch
    profile '' >p.pb
    ulimit -t 60
    [[ $BUILD = *-asan ]] || ulimit -v 1000000
    # A part of them; with WHOLE=yes, all.
    STEP=4
    if [ "${WHOLE-}" = yes ]; then
        STEP=1
    elif [[ $BUILD = *-asan ]]; then
        STEP=12
    fi
}

# Names of many "a", and labels of them; PATTERN as drop_frames.
profile() { # PATTERN, where \0 is a NUL and N{TEXT} that text N times
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        my $pattern = shift =~ s/\\0/\0/gr =~ s/(\d+)\{\{(.*?)\}\}/$2 x $1/ger;
        print text(1, int64(1, 1) . int64(2, 1));
        print text(6, $_) for "", "n", "key", $pattern;
        my $id = 0;
        for my $name ("main", map({ "a" x 50 . $_ } 1 .. 20),
            map { "a" x 2000 . "b$_" } 1 .. 5) {
            $id++;
            print text(6, $name), text(5, int64(1, $id) . int64(2, $id + 3)),
                text(4, int64(1, $id) . text(4, int64(1, $id))),
                text(2, text(1, num($id) . num(1)) . text(2, num(1)) .
                    text(3, int64(1, 2) . int64(2, $id + 3)));
        }
        print int64(7, 3);' "$1"
}

# What RE2 does not have, or nobody has.
refused=(
    '(?C)' '(?C1)a' '(?C"text")a' '\C' '(*LIMIT_MATCH=1)a' '(*UTF)a'
    '(*NO_AUTO_POSSESS)a' '(*ACCEPT)' '(*COMMIT)a' '(?R)' '(?1)' '(?&n)'
    '(?<=a+)b' '(?<=a)b' '(?<!a)b' '(?=a)' '(?!a)' '(?>a+)b' 'a++b' 'a*+'
    '\Ka' '\Ga' '\Za' '(?P<n>a)(?P=n)' '(a)\1' '(a)\g1' '(?<n>a)\k<n>'
    '\p{Foo}' '[[:foo:]]' '[z-a]' '(?x) a' '(?(1)a|b)' '(?|a|b)' '(?#c)a'
    '\R' '\X' '\N' '\h' '\8' '\x{110000}' 'a{2,1}' 'a{1001}'
    'a{99999999999999999999}x{1001}' '(' ')' '[' '*' '\' '(?' '(?P<' '(?P<n'
    '(?-' $'\xff' $'a\xed\xa0\x80' '((a{100}){100}){100}'
)
# What is matched, though others backtrack for ever.
matched=(
    '(a+)+z' '(a|a)*z' '(.*)*z' '(a*)*(a*)*z' '.*.*.*.*.*.*z' '(a|b|ab)*bz$'
    '(^$)*a{200}z' '(a*?)*?$' '(\b)*z' '(|)*' '^*' '$*' '|' '()' '(?:)'
    '\Qabc(' '\p{Greek}z' '(?i)A{50}1$' 'a{,5}' '[a-\x{10ffff}]z'
)

@test "expressions that are none, and that take long, by --focus" {
    local re nth
    for ((nth = 0; nth < ${#refused[@]}; nth += STEP)); do
        re=${refused[nth]}
        expect 2 pbfilter -q "--focus=$re" -o out p.pb
        same_err "pbfilter: --focus: invalid regular expression '" ... "': " ...
        [ ! -e out ]
    done
    for ((nth = 0; nth < ${#matched[@]}; nth += STEP)); do
        re=${matched[nth]}
        expect 0 pbfilter -q "--focus=$re" -o out p.pb
    done
}

@test "the same by every option that takes one" {
    local re option nth
    local some=('(?R)' '((a?){30}){30}a{100}$' '(*LIMIT_MATCH=1)a' $'\xff(')
    for ((nth = 0; nth < ${#some[@]}; nth += (STEP + 1) / 2)); do
        re=${some[nth]}
        for option in focus ignore hide show show-from prune-from tagfocus \
            tagignore tagshow taghide drop-frames keep-frames; do
            run --separate-stderr pbfilter -q "--$option=$re" -o out p.pb
            # Some are not asked of every name.
            [ "$status" = 2 ] || [[ $re = '((a'* && $status = 0 ]]
            [ "$status" = 0 ] ||
                [[ $stderr =~ ^'pbfilter: '('p.pb: ')?"--$option: "('invalid regular expression'|'regular expression')" '" ]]
        done
        for option in list peek weblist disasm; do
            run --separate-stderr pbcat -q "--$option=$re" p.pb
            [ "$status" = 2 ] || [[ $re = '((a'* && $status = 1 ]]
            [ "$status" = 1 ] || [[ $stderr =~ ^"pbcat: p.pb: --$option: "('invalid regular expression'|'regular expression')" '" ]]
        done
    done
}

@test "tens of thousands of groups, alternatives and characters" {
    local re
    re=$(printf '(%.0s' {1..60000})a$(printf ')%.0s' {1..60000})
    expect 2 pbfilter --focus="$re" p.pb
    same_err ... ': groups are nested too deeply'
    re=$(printf 'x%s|' {1..15000})a
    expect 2 pbfilter --focus="$re" p.pb
    same_err ... ': regular expression is too large'
    re=$(printf 'x%s|' {1..2000})a
    expect 0 pbfilter --focus="$re" -o out p.pb
    re="[$(printf '\\x{%x}' {200..9000..2})]"
    expect 0 pbfilter --ignore="$re" -o out p.pb
}

@test "a profile's own expression of a megabyte, and of every kind" {
    local re
    for re in '1000000{{a}}' '200000{{a|}}b' '100000{{(}}a100000{{)}}' \
        '20000{{(a*)*}}b' '(((a+)+[0-9]+)+)+x' '(?R)' '(?C1)' '(*UTF)a' \
        'main\0(' '('; do
        profile "$re" >own.pb
        expect 0 pbcat --text --no-trim own.pb
        [[ $output = *"Showing nodes accounting for 26n, 100% of 26n total"* ]]
        # It is told, and nothing is dropped; what can be matched is.
        [[ $re = '(((a'* ]] ||
            same_err ... 'warning: drop_frames of the profile: ' ... 'all frames are shown'
        expect 0 pbmerge -0 -o sum.pb own.pb p.pb
        expect 0 pbmerge -0 -o again.pb sum.pb
        cmp sum.pb again.pb
    done
}

@test "ranges of labels that do not fit, or are none" {
    local range
    for range in 9223372036854775808: :9223372036854775808 18446744073709551616 \
        99999999999999999999999999kb: -9223372036854775809: \
        :99999999999999999999999999years; do
        expect 2 pbfilter --tagfocus="$range" -o out p.pb
        same_err 'pbfilter: --tagfocus: number too large: ' ...
        expect 2 pbfilter --tagignore="key=$range" -o out p.pb
        same_err 'pbfilter: --tagignore: number too large: ' ...
    done
    for range in 9223372036854775807: 9223372036854775807pb: \
        :9223372036854775807weeks -9223372036854775808:-1 1e999: nan: 5: : :: \
        5:3 kb: 1:2:3; do
        run --separate-stderr pbfilter --tagfocus="$range" -o out p.pb
        [ "$status" = 0 ] || [[ $status = 2 && $stderr = "pbfilter: "* ]]
    done
}
