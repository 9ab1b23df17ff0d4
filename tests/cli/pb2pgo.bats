# pb2pgo: what compilers read of a profile, with values that are derived by hand

load helper

# Frames are written NAME:LINE, and a location is what "<" joins, the caller on
# the right; "-" is a location without lines.  A function starts at the line that
# `start` has for it.  A sample is a stack, the leaf first, and its values.
profile() { # TYPES START... -- then samples on standard input, "VALUES LOCATION..."
    perl -e '
        my ($types, %start) = (shift, map { split /=/ } @ARGV);
        my (@string, %string, %function, %location);
        sub id { $string{$_[0]} //= do { push @string, $_[0]; $#string } }
        id("");
        my ($samples, $locations, $functions) = ("", "", "");
        sub function {
            my ($name) = @_;
            $function{$name} //= do {
                my ($n, $line) = (1 + keys %function, $start{$name} // 0);
                $functions .= sprintf("function { id: %d name: %d start_line: %d }\n",
                    $n, id($name), $line);
                $n;
            };
        }
        sub location {
            my ($text) = @_;
            $location{$text} //= do {
                my $n = 1 + keys %location;
                my $lines = join " ", map { /^(.*):(-?\d+)$/ ?
                    sprintf("line { function_id: %d line: %d }", function($1), $2) : ""
                } split /</, $text;
                $locations .= "location { id: $n address: $n $lines }\n";
                $n;
            };
        }
        for (split /,/, $types) {
            my ($type, $unit) = map { id($_) } split m{/};
            print "sample_type { type: $type unit: $unit }\n";
        }
        while (<STDIN>) {
            my ($values, @stack) = split;
            $samples .= "sample { " . join(" ", (map { "value: $_" } split /,/, $values),
                map { "location_id: " . location($_) } @stack) . " }\n";
        }
        print $samples, $locations, $functions;
        printf "string_table: \"%s\"\n", $_ for @string;
    ' "$@" | encode
}

text() { pb2pgo --preprofile "$@"; }

@test "edges are the calls of the last two locations, with what is inlined there" {
    # main called work at its line 12, and work, which starts at 20, inlined
    # step, which had called leaf; above, nothing counts.
    profile samples/count main=10 work=20 step=30 leaf=40 <<'END' >in.pb
5 leaf:41 step:33<work:22 main:12
3 step:33<work:22 main:12
2 work:22 main:12 main:11
4 leaf:41
END
    text in.pb >out
    diff -u - out <<'END'
GO PREPROFILE V1
work
step
2 8
main
work
2 5
step
leaf
3 5
END
}

@test "the heaviest edge is first; equal ones are sorted by caller, callee, line" {
    profile samples/count a=1 b=1 c=1 <<'END' >in.pb
1 c:9 b:1
1 c:9 a:3
1 c:9 a:2
1 b:9 a:2
2 b:9 c:1
END
    diff -u - <(text in.pb | sed 1d | paste -d ' ' - - -) <<'END'
c b 0 2
a b 1 1
a c 1 1
a c 2 1
b c 0 1
END
}

@test "a sample counts once for each call, and not for a frame that calls itself" {
    # f:2 is inlined into f:3 twice over, and one location is the stack.
    profile samples/count f=1 g=1 <<'END' >in.pb
7 f:2<f:3<f:2<f:3
2 g:4<g:4
END
    diff -u - <(text in.pb | sed 1d | paste -d ' ' - - -) <<'END'
f f 1 7
f f 2 7
END
}

@test "frames without a function have the empty name" {
    profile samples/count f=1 <<'END' >in.pb
3 f:1 -
2 - f:4
END
    printf 'GO PREPROFILE V1\n\nf\n0 3\nf\n\n3 2\n' | diff -u - <(text in.pb)
    pb2pgo -o small.pb in.pb
    text small.pb | diff -u <(text in.pb) -
}

# What //line directives make, and functions that have no start line.
@test "offsets may be below 0, and of lines as they are" {
    profile samples/count f=10 g=0 <<'END' >in.pb
3 f:4 f:3
2 f:4 f:9
1 f:4 g:100
END
    diff -u - <(text in.pb | sed 1d | paste -d ' ' - - -) <<'END'
f f -7 3
f f -1 2
g f 100 1
END
    pb2pgo -o small.pb in.pb
    text small.pb | diff -u <(text in.pb) -
}

@test "the profile has the same edges, and nothing else" {
    fixture server.pb.gz
    text -o wanted server.pb.gz
    expect 0 pb2pgo -o small.pb.gz server.pb.gz
    [ -z "$stderr" ]
    text small.pb.gz | cmp wanted -
    pb2pgo small.pb.gz | cmp small.pb.gz -
    pbmerge small.pb.gz | cmp small.pb.gz -
    pb2pgo --go --preprofile --go -T1 <server.pb.gz | cmp small.pb.gz -
    [ "$(stat -c %s small.pb.gz)" -lt "$(($(stat -c %s server.pb.gz) / 2))" ]
    pbcat --raw small.pb.gz >raw
    run grep -cE 'server|/bank|branch|nanoseconds' raw
    same 0
    grep -q '^Time: ' raw
    pbcat --check small.pb.gz
}

@test "functions that move leave the bytes as they are" {
    profile samples/count f=10 g=20 <<<'3 g:22 f:12' >one.pb
    profile samples/count f=15 g=90 <<<'3 g:95 f:17' >two.pb
    pb2pgo -o 1 one.pb
    pb2pgo -o 2 two.pb
    cmp 1 2
}

@test "inputs are added, and only types that all have are kept" {
    local order
    profile samples/count,cpu/nanoseconds f=10 g=20 <<<'3,30 g:22 f:12' >one.pb
    profile samples/count,cpu/nanoseconds f=11 h=20 <<<'2,20 h:22 f:13' >two.pb
    pb2pgo -o small.pb one.pb
    text -o wanted one.pb two.pb
    diff -u - <(sed 1d wanted | paste -d ' ' - - -) <<'END'
f g 2 3
f h 2 2
END
    for order in 'two.pb one.pb' 'small.pb two.pb' 'two.pb small.pb' \
        '-T2 one.pb two.pb'; do
        # shellcheck disable=SC2086 # words
        text $order | cmp wanted -
    done
    pbmerge one.pb two.pb | text | cmp wanted -
}

@test "the weights are of the first type that Go reads" {
    profile cpu/nanoseconds,samples/count f=1 g=1 <<<'30,3 g:1 f:1' >ns.pb
    profile wall/nanoseconds,samples/count f=1 g=1 <<<'30,3 g:1 f:1' >count.pb
    [ "$(text ns.pb | sed -n 4p)" = '0 30' ]
    [ "$(text count.pb | sed -n 4p)" = '0 3' ]
    profile cpu/seconds,space/bytes f=1 g=1 <<<'30,3 g:1 f:1' >none.pb
    expect 3 pb2pgo none.pb
    same_err 'pb2pgo: none.pb: no sample type samples/count or cpu/nanoseconds, which the Go compiler requires (found: cpu/seconds, space/bytes); use a CPU profile, or '\''pbfilter --rename-type'\''; for other compilers add --llvm or --gcc'
}

@test "a profile without start lines is an error that names a function" {
    profile samples/count <<<'3 g:1 f:1' >in.pb
    expect 3 pb2pgo -o out in.pb
    [ ! -e out ]
    same_err "pb2pgo: in.pb: no function has a start line, which the Go compiler needs ('g' has none): use a profile that the Go runtime (1.20 or newer) wrote, or pass -e BINARY to add them"
    profile samples/count <<<'3 - -' >in.pb
    expect 3 pb2pgo in.pb
    same_err 'pb2pgo: in.pb: the samples have no functions: pass -e BINARY to add them'
}

@test "callers without start lines are a warning with their share" {
    profile samples/count f=10 <<'END' >in.pb
9 g:3 f:12
1 g:3 h:4
END
    expect 0 text in.pb
    same_err 'pb2pgo: warning: 10.00% of the calls have a caller without a start line, so that the Go compiler cannot place them: pass -e BINARY to add start lines'
    printf '%s\n' '999 g:3 f:12' '1 g:3 h:4' | profile samples/count f=10 >in.pb
    expect 0 text in.pb
    [ -z "$stderr" ]
    expect 0 text -v in.pb
    [[ $stderr = *'0.10% of the calls have a caller without'* ]]
}

@test "a difference of profiles is an error" {
    profile samples/count f=1 g=1 <<<'-3 g:1 f:1' >in.pb
    expect 3 pb2pgo in.pb
    same_err 'pb2pgo: in.pb: sample 0: the value -3 is negative: compilers cannot use a difference of profiles'
}

@test "weights beyond 64 bits and names of two lines are errors" {
    profile samples/count f=1 g=1 h=1 <<'END' >in.pb
9223372036854775807 g:1 f:1
1 h:1 g:1
END
    expect 3 pb2pgo in.pb
    same_err 'pb2pgo: in.pb: the weights of all calls exceed 64 bits'
    profile samples/count 'f=1' 'g\n=1' <<<'1 g\n:1 f:1' >in.pb
    expect 3 text in.pb
    same_err "pb2pgo: in.pb: the name of a function has a newline, which Go's text form cannot contain"
    expect 0 pb2pgo -o out in.pb
}

@test "--check: values beyond 64 bits are an error, of what calls nothing too" {
    profile samples/count f=1 g=1 <<'END' >in.pb
9223372036854775807 f:1
1 g:1
END
    expect 3 pb2pgo --check in.pb
    same_err 'pb2pgo: in.pb: the values of all samples exceed 64 bits'
}

@test "a profile without calls is written, with a warning" {
    profile samples/count f=1 <<<'3 f:1' >in.pb
    expect 0 pb2pgo -o out in.pb
    same_err 'pb2pgo: warning: no calls: compilers cannot use this profile'
    [ "$(text -q in.pb)" = 'GO PREPROFILE V1' ]
}

# Sums of the weights of "CALLER CALLEE OFFSET WEIGHT", and how many of them the
# compiler takes for hot.
hot() { # PERCENT
    sed 1d | paste -d ' ' - - - | awk -v percent="$1" '
        { sum += $4; upto[NR] = sum; line[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                print line[i]
                if (upto[i] / sum * 100 > percent)
                    break
            }
            print "of " sum
        }'
}

@test "--cdf keeps the hot edges, and one for the rest" {
    profile samples/count f=1 <<'END' >in.pb
90 a:1 f:1
6 b:1 f:2
2 c:1 f:3
1 d:1 f:4
1 e:1 f:5
END
    diff -u - <(text --cdf=95 in.pb) <<'END'
GO PREPROFILE V1
f
a
0 90
f
b
1 6
~cold
~cold
0 4
END
    pb2pgo --cdf=95 in.pb | text - | diff -u <(text --cdf=95 in.pb) -
    # 96 is not above 96
    [ "$(text --cdf=96 in.pb | grep -c '^f$')" = 3 ]
    [ "$(text --cdf=99.5 in.pb | grep -c '^f$')" = 5 ]
    text --cdf=99.5 in.pb | cmp - <(text in.pb)
}

@test "--cdf: none of the rest is heavier than what is kept, nor before it" {
    local i
    for i in {1..50}; do
        echo "3 a:1 f:$i"
        echo "2 b:1 f:$i"
    done | profile samples/count f=1 a=1 b=1 >in.pb
    for percent in 50 75 90 99; do
        text --cdf=$percent in.pb >kept
        diff -u <(text in.pb | hot $percent) <(hot $percent <kept)
    done
    # 226 of 250 is above 90 percent: 150 and 38 * 2; 24 are 12 * 2.
    text --cdf=90 in.pb >kept
    [ "$(grep -c '^f$' kept)" = 88 ]
    [ "$(grep -c '^~cold$' kept)" = 24 ]
    # What sorts after ~cold is kept with all of its weight.
    for i in {1..50}; do
        echo "3 a:1 ~d:$i"
        echo "2 b:1 ~d:$i"
    done | profile samples/count '~d=1' a=1 b=1 >in.pb
    text --cdf=50 in.pb >kept
    [ "$(grep -c '^~d$' kept)" = 50 ]
    [ "$(tail -n 1 kept)" = '49 2' ]
    diff -u <(text in.pb | hot 50) <(hot 50 <kept)
}

@test "--cdf takes a share above 0 and below 100" {
    local value
    for value in 0 -1 x ''; do
        expect 2 pb2pgo --cdf="$value" missing.pb
        same_err "pb2pgo: invalid value '$value' for --cdf: expected a number greater than 0"
    done
    expect 2 pb2pgo --cdf=100 missing.pb
    same_err "pb2pgo: invalid value '100' for --cdf: expected a number below 100"
}

@test "--check prints how much of a profile the compiler can use" {
    # Of 200 calls 10 have no name, 30 of g no start line, and 4 no line.
    profile samples/count f=10 leaf=1 h=7 <<'END' >in.pb
156 leaf:1 f:12
30 leaf:1 g:5
10 - f:12
4 leaf:1 h:0
1000 leaf:1
END
    expect 0 pb2pgo --check -o report in.pb
    [ -z "$stderr" ]
    grep -v ^size report | diff -u - <(cat <<'END'
sample type   samples/count
calls         200 in 4 edges of 5 functions
hot           200 in 4 edges of 5 functions
named         95.00% of calls
lines         98.00% of calls
start lines   85.00% of calls
END
    )
    [ "$(sed -n 's/^size  *//p' report)" = "$(pb2pgo -9 in.pb | wc -c) bytes as call edges" ]
}

@test "--check: the age is in days, and shares are not rounded up" {
    local now
    profile samples/count f=10 g=10 <<'END' >in.pb
99999 g:1 f:12
1 g:1 -
END
    now=$(date +%s)
    { cat in.pb; protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile profile.proto; } \
        <<<"time_nanos: $((now - 90000))000000000 duration_nanos: 1500000000" >old.pb
    pb2pgo --check -o report old.pb
    grep -qx 'recorded      [0-9]*-[0-9]*-[0-9]* [0-9:]* UTC, 1 day ago' report
    grep -qx 'duration      1.50 s' report
    grep -qx 'named         99.99% of calls' report
}

@test "--check is 1 if the compiler has no use for the profile" {
    profile samples/count <<<'3 g:1 f:1' >in.pb
    expect 1 pb2pgo --check in.pb
    same_err "pb2pgo: in.pb: no function has a start line, which the Go compiler needs ('g' has none): " ...
    [[ $output = *'start lines   0.00% of calls'* ]]
}

@test "--overlap compares calls by their shares" {
    profile samples/count f=10 g=20 h=30 <<'END' >new.pb
60 g:21 f:12
40 h:31 f:13
END
    # The same but for one call, of another length; and functions moved.
    profile samples/count f=15 g=25 k=35 <<'END' >old.pb
8 g:26 f:17
2 k:36 f:18
END
    pb2pgo --overlap=old.pb -o report new.pb
    [ "$(tail -n 1 report)" = 'overlap       60.00%; hot edges: 1 as before, 1 new, 1 gone' ]
    pb2pgo --overlap=new.pb -o report new.pb
    [ "$(tail -n 1 report)" = 'overlap       100.00%; hot edges: 2 as before, 0 new, 0 gone' ]
    expect 4 pb2pgo --overlap=missing.pb new.pb
    [ -z "$output" ]
    expect 3 pb2pgo --overlap=report new.pb
    [ -z "$output" ]
    for option in --check --llvm --gcc=2 --autofdo --bolt --overlap=old.pb; do
        expect 2 pb2pgo $option --cdf=99 new.pb
        same_err 'pb2pgo: --cdf applies only to --go and --preprofile'
    done
}

@test "git shows functions of default.pgo, and merges two of them" {
    export GIT_CONFIG_GLOBAL=$PWD/config GIT_CONFIG_SYSTEM=/dev/null
    git config --global user.name a
    git config --global user.email a@example.org
    git config --global init.defaultBranch main
    profile samples/count f=10 g=20 <<<'9 g:22 f:12' | pb2pgo -o one.pgo -
    profile samples/count f=10 h=20 <<<'5 h:22 f:13' | pb2pgo -o two.pgo -
    profile samples/count f=10 k=20 <<<'3 k:22 f:14' | pb2pgo -o three.pgo -
    git init -q tree
    cd tree
    echo 'default.pgo diff=pgo merge=pgo' >.gitattributes
    git config diff.pgo.textconv 'pb2pgo --preprofile'
    git config merge.pgo.driver 'pb2pgo -o %A %A %B'
    commit() { cp "../$1" default.pgo; git add -A; git commit -qm "$1"; }
    commit one.pgo
    git checkout -qb other
    commit two.pgo
    git diff main other >changes
    grep -qx -- "+h" changes
    git checkout -q main
    commit three.pgo
    git merge -q -m merge other
    pb2pgo ../two.pgo ../three.pgo | cmp - default.pgo
}

@test "--no-inline leaves all but the names of callees as it is" {
    profile samples/count f=1 g=1 <<'END' >in.pb
5 g:1 f:1
5 g.func1:1 f:1
3 h:1 f:1
2 h:1 g:2
1 f:1 g:2
END
    diff -u - <(text --no-inline='^[gh]$' in.pb | sed 1d | paste -d ' ' - - -) <<'END'
f g!noinline 0 5
f g.func1 0 5
f h!noinline 0 3
g h!noinline 1 2
g f 1 1
END
    # What it wrote is an input too.
    pb2pgo --no-inline='^[gh]$' -o small.pb in.pb
    text --no-inline='^[gh]$' --cdf=90 in.pb >wanted
    text --no-inline='^[gh]$' --cdf=90 small.pb | cmp wanted -
    expect 0 text --no-inline='^k' -o out in.pb
    same_err "pb2pgo: warning: --no-inline: no function that is called matches '^k'"
    text in.pb | cmp out -
    expect 2 pb2pgo --no-inline='(' missing.pb
    same_err "pb2pgo: --no-inline: " ...
    expect 2 pb2pgo --no-inline=g --llvm in.pb
    same_err 'pb2pgo: --no-inline applies only to --go and --preprofile'
}

@test "--rename replaces what matches, or what its group matches, by the first rule" {
    profile samples/count old.com/a.f=1 old.com/a/b.g=1 old.com/c.h=1 <<'END' >in.pb
5 old.com/a/b.g:1 old.com/a.f:1
3 old.com/c.h:1 old.com/a.f:1
2 new.org/a.f:1 old.com/a.f:1
END
    diff -u - <(text --rename='^old\.com/a=new.org/a' --rename='/(c)\.=d' \
        --rename='^old=never' -q in.pb | sed 1d | paste -d ' ' - - -) <<'END'
new.org/a.f new.org/a/b.g 0 5
new.org/a.f old.com/d.h 0 3
new.org/a.f new.org/a.f 0 2
END
    # A name that is no UTF-8 stays, and does not keep others from it.
    sed 's/old\.com/o\xffd.com/' <in.pb >odd.pb
    pbcat --strings odd.pb | grep -qF "o\xffd.com"
    expect 0 pb2pgo -q --rename='/(c)\.=d' --preprofile -o odd.txt odd.pb
    grep -q '/d\.' odd.txt
    expect 0 pb2pgo --rename=k=l -o out in.pb
    same_err "pb2pgo: warning: --rename: no function matches 'k'"
    for value in x =x; do
        expect 2 pb2pgo --rename=$value in.pb
        same_err "pb2pgo: invalid value '$value' for --rename: expected REGEX=TEXT"
    done
    expect 2 pb2pgo --rename=a=b --bolt in.pb
    same_err 'pb2pgo: --rename has no effect on --autofdo and --bolt: they have no names of functions'
    # Other compilers know functions by their linkage names.
    profile samples/count old_f=1 <<<'3 old_f:3' >in.pb
    [[ $(pb2pgo --llvm --rename=^old=new in.pb) = new_f:3:* ]]
}

@test "--check for clang and gcc counts samples at lines" {
    # Of 200 samples 10 have no name, 30 no start line, and 4 no line.
    profile samples/count f=10 leaf=1 h=7 <<'END' >in.pb
155 leaf:1 f:12
1 leaf:2
30 g:5
10 -
4 h:0
END
    pb2pgo --llvm --check -o report in.pb
    grep -v ^size report | diff -u - <(cat <<'END'
sample type   samples/count
samples       156 in 2 lines of 1 function
hot           155 in 1 line of 1 function
named         95.00% of samples
lines         93.00% of samples
start lines   80.00% of samples
END
    )
    grep -qx "size          $(pb2pgo --llvm in.pb | wc -c) bytes for clang" report
    pb2pgo --overlap=in.pb --gcc=3 -o report in.pb
    grep -qx "size          $(pb2pgo --gcc=3 in.pb | wc -c) bytes for gcc" report
    grep -qx 'overlap       100.00%; hot lines: 1 as before, 0 new, 0 gone' report
    profile samples/count <<<'3 g:1 f:1' >none.pb
    expect 1 pb2pgo --check --llvm none.pb
    same_err "pb2pgo: none.pb: no function has a start line" ...
    [[ $output = *'start lines   0.00% of samples'* ]]
}

@test "--check says when a profile is of several builds" {
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 3 value: 6 }
sample { location_id: 2 location_id: 3 value: 3 }
sample { location_id: 4 value: 1 }
mapping { id: 1 memory_start: 0x1000 memory_limit: 0x2000 filename: 3 build_id: 4 }
mapping { id: 2 memory_start: 0x3000 memory_limit: 0x4000 filename: 5 build_id: 6 }
mapping { id: 3 memory_start: 0x5000 memory_limit: 0x6000 filename: 7 build_id: 8 }
location { id: 1 mapping_id: 1 address: 0x1001 line { function_id: 1 line: 5 } }
location { id: 2 mapping_id: 2 address: 0x3001 line { function_id: 2 line: 7 } }
location { id: 3 mapping_id: 1 address: 0x1002 line { function_id: 3 line: 7 } }
location { id: 4 mapping_id: 3 address: 0x5002 line { function_id: 4 line: 7 } }
function { id: 1 name: 9 filename: 10 start_line: 4 }
function { id: 2 name: 9 filename: 10 start_line: 6 }
function { id: 3 name: 11 filename: 10 start_line: 4 }
function { id: 4 name: 12 filename: 10 start_line: 4 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "/bin/prog" string_table: "0123456789abcdef0123"
string_table: "/old/prog" string_table: "abcdef" string_table: "/lib/c.so"
string_table: "99" string_table: "f" string_table: "f.go" string_table: "main"
string_table: "g"
END
    pb2pgo --check -o report in.pb
    grep -qx 'builds        2 of the program: 60.00% 0123456789ab, 30.00% abcdef' report
    grep -qx 'moved         90.00% of samples: their functions start at several lines' report
    pb2pgo --check --llvm -o report in.pb
    grep -qx 'moved         90.00% of samples: their functions start at several lines' report
}

# A module, with a package beside main, one that is vendored, and assembly.
go_tree() {
    mkdir -p tree/sub/testdata tree/vendor/lib.org/x.y tree/old
    printf 'module example.com/prog\n\ngo 1.24\n' >tree/go.mod
    cat >tree/main.go <<'END'
// func gone() {
package main

const text = `
func gone() {
`

type T[K any] struct{}

func work(n int) (x interface{ M() }) {
	f := func() {
		'}'; "}"
	}
	f()
}

func (t *T[K]) Run(
	f func() error,
) error {
	step()
}

func (T[K]) Value() {}
func add(x int)

func main() {
	work()
}
END
    echo 'package sub; import "x"
func Do() {
}' >tree/sub/sub.go
    echo 'package sub
func Hidden() {}' >tree/sub/testdata/x.go
    echo 'package y
func Y() {}' >tree/vendor/lib.org/x.y/y.go
}

@test "--against sources of Go: functions by package and receiver, lines inside" {
    go_tree
    while read -r wanted stack; do
        # shellcheck disable=SC2046 # words
        profile samples/count $(tr ' ' '\n' <<<"$stack" | sed 's/:.*/=100/' | sort -u) \
            <<<"9 $stack" >in.pb
        : >report
        pb2pgo --against=tree -o report in.pb || true
        { sed -n 's/^of the build  \(.*\)%.*/\1/p' report; sed -n '/^fresh/{n;p}' report |
            sed 's/  *[0-9.]*% / /'; } | paste -sd ' ' >got
        case $wanted in
        fresh) said=100.00 ;;
        none) said='' ;;
        gone:*) said="100.00 gone ${wanted#*:}" ;;
        line:*) said="100.00 line gone ${wanted#*:}" ;;
        esac
        [ "$(<got)" = "$said" ] || { cat got; echo "$stack"; return 1; }
    done <<'END'
fresh main.work:100 main.main:101
fresh runtime.x:9 main.main:102
line:main.main main.work:100 main.main:103
line:main.main main.work:100 main.main:99
fresh main.(*T[...]).Run:100 main.work:105
fresh main.T[...].Value:100 main.(*T[...]).Run:104
line:main.(*T[...]).Run main.main:100 main.(*T[...]).Run:105
fresh main.work.func1:100 main.work.func1:101
line:main.work.func1 main.main:100 main.work.func1:110
fresh main.add:100 main.add:5000
fresh main.init.0:100 main.glob..func1:9000
gone:main.gone main.gone:100 main.main:101
gone:main.(*T).Stop main.(*T).Stop:100 main.main:101
gone:example.com/prog/sub.Hidden example.com/prog/sub.Hidden:1 main.main:101
gone:example.com/prog/old.F example.com/prog/old.F:1 runtime.x:101
fresh example.com/prog/sub.Do:1 example.com/prog/sub.Do:101
fresh lib.org/x%2ey.Y:1 runtime.y:101
gone:lib.org/x%2ey.Z lib.org/x%2ey.Z:1 runtime.y:101
none runtime.x:1 other.org/a.B:1
END
    profile samples/count a.f=1 <<<'3 a.f:1 runtime.x:1' >in.pb
    expect 3 pb2pgo --against=tree in.pb
    same_err "pb2pgo: in.pb: tree has none of the profile's functions; is it of the same program?"
    # A directory of a module is of this module; only its functions count.
    profile samples/count example.com/prog/sub.Do=1 main.main=1 <<'END' >in.pb
3 example.com/prog/sub.Do:1 main.main:1
1 main.gone:1 main.main:1
END
    pb2pgo --against=tree/sub/ in.pb >report
    grep -qx 'of the build  75.00% of calls' report
    grep -qx 'fresh         100.00% of these' report
}

@test "--against: --min-fresh is the least share, and the heaviest ten are told" {
    go_tree
    for i in {1..12}; do
        echo "$i main.f$i:1 main.main:1"
    done >samples
    echo '122 main.work:1 main.main:2' >>samples
    profile samples/count main.main=1 main.work=1 <samples >in.pb
    expect 0 pb2pgo --against=tree --min-fresh=61 in.pb
    [ "$(grep -c ^gone <<<"$output")" = 10 ]
    grep -qx 'gone          6.00% main.f12' <<<"$output"
    grep -qx 'others        1.50% in 2 rows' <<<"$output"
    expect 1 pb2pgo --against=tree --min-fresh=61.01 in.pb
    same_err 'pb2pgo: in.pb: tree still has 61.00% of the profile, less than --min-fresh=61.01: record a new one'
    # What --go writes has what is needed, and so does --no-inline.
    pb2pgo --no-inline=work in.pb | pb2pgo --against=tree --min-fresh=61 - >report
    grep -qx 'fresh         61.00% of these' report
}

@test "--against sources of C and C++: functions by name, lines inside" {
    mkdir -p tree/src tree/include
    cat >tree/src/a.cc <<'END'
#include <x>
#define MACRO(x) int x() {
/* int commented() { */
namespace ns {
int f(int a, const char *s = "}")
{
#ifdef X
    if (a) {
#else
    if (!a) {
#endif
        call(R"(}})", '}');
    }
    auto lambda = [](int x) {
        return x;
    };
}
class Box final : public Base<int> {
    Box() = default;
    int size() const noexcept { return n; }
    bool operator()(int x) { return x; }
    ~Box();
};
struct Plain { int x; };
}
ns::Box::~Box() try
{
}
template <class T> std::vector<T>::list::list(int n) : a{n}, b(n) {
    body();
}
int old(a, b)
    int a;
    char *b;
{
}
static const int table[] = { 1, 2 };
EXPORT(int) exported(void) {
}
END
    check() { # WANTED NAME:LINE FILE
        encode <<END >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 }
location { id: 1 line { function_id: 1 line: ${2##*@} } }
function { id: 1 name: 3 filename: 4 start_line: 100 }
sample { location_id: 2 value: 1 }
location { id: 2 line { function_id: 2 line: 100 } }
function { id: 2 name: 5 filename: 6 start_line: 100 }
sample { location_id: 3 value: 1 }
location { id: 3 line { function_id: 3 line: 100 } }
function { id: 3 name: 5 filename: 7 start_line: 100 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "${2%@*}" string_table: "$3" string_table: "exported"
string_table: "/build/prog-1.0/src/a.cc" string_table: "/usr/include/x"
END
        pb2pgo --llvm --against=tree in.pb >report
        diff -u <(echo "$1") <(sed -n 's/^of the build  \(.*\)%.*/\1/p; s/^fresh  *\(.*\)%.*/\1/p; s/^\(line gone\|gone\).*/\1/p' report | paste -sd ' ') ||
            { echo "$2"; return 1; }
    }
    local a=/build/prog-1.0/src/a.cc
    check '80.00 100.00' ns::f@112 $a
    check '80.00 25.00 line gone' ns::f@113 $a
    check '80.00 25.00 line gone' ns::f@99 $a
    check '80.00 100.00' 'ns::f(int, char const*)@100' $a
    check '80.00 100.00' 'int ns::f<int>(int)@100' $a
    check '80.00 100.00' 'ns::f(int)::{lambda(int)#1}::operator()@500' $a
    check '80.00 100.00' '(anonymous namespace)::f@100' $a
    check '80.00 100.00' ns::Box::size@100 $a
    check '80.00 100.00' 'ns::Box::operator()@100' $a
    check '80.00 100.00' 'ns::Box::~Box@102' $a
    check '80.00 100.00' 'ns::Plain::~Plain@100' $a
    check '80.00 25.00 gone' ns::Plain@100 $a
    check '80.00 100.00' 'std::vector<int>::list::list@102' $a
    check '80.00 25.00 line gone' 'std::vector<int>::list::list@103' $a
    check '80.00 100.00' old@104 $a
    check '80.00 25.00 line gone' old@105 $a
    check '80.00 25.00 gone' commented@100 $a
    check '80.00 25.00 gone' call@100 $a
    check '80.00 25.00 gone' body@100 $a
    # A file that is gone too, and one that never was of the program.
    check '80.00 25.00 gone' g@100 /build/prog-1.0/src/gone.cc
    check '80.00 100.00' ns::f@100 /build/prog-1.0/src/moved.cc
    check '20.00 100.00' ns::f@100 /elsewhere/a.h
    mkdir empty
    expect 3 pb2pgo --llvm --against=empty in.pb
    same_err "pb2pgo: --against: empty: has none of the profile's source files"
    expect 4 pb2pgo --llvm --against=missing in.pb
    same_err 'pb2pgo: --against: missing: cannot open: No such file or directory'
}

# Text of any kind is no error: what is in it is found or not.
@test "--against sources that are none" {
    mkdir tree
    perl -e '
        srand 1;
        my @parts = ("func ", "f(", "(", "{", "}", "\"", "\x27", "`", "/*", "*/", "//",
            "\n", "#if\n", "#else\n", "#endif\n", "class ", "A", "::", ":", ";",
            "operator", "=", "R\"(", ")\"", "template<", ">", "\\", "package main\n",
            "[", "]", "~", "interface", "struct", " ", "\0", "\xff");
        for my $i (1 .. 200) {
            open my $file, ">", "tree/$i." . ($i % 2 ? "c" : "go") or die;
            print $file map { $parts[rand @parts] } 1 .. rand 300;
        }'
    printf 'module' >tree/go.mod
    mkdir tree/a tree/b
    printf 'module "' >tree/a/go.mod
    ln -s .. tree/b/up
    mkfifo tree/pipe.c tree/pipe.go
    profile samples/count main.f=1 main.g=1 <<<'3 main.f:2 main.g:1' >go.pb
    pb2pgo --against=tree go.pb | grep -q '^of the build  100.00% of calls'
    encode <<'END' >c.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 }
location { id: 1 line { function_id: 1 line: 3 } }
function { id: 1 name: 3 filename: 4 start_line: 2 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "f" string_table: "/x/1.c"
END
    pb2pgo --llvm --against=tree c.pb | grep -q '^of the build  100.00% of samples'
}

@test "--against a binary: functions by its symbols, and lines with code" {
    cat >prog.c <<'END'
int checksum(int n)
{
    int sum = n;

    return sum + 1;
}
int main(void) { return checksum(1); }
END
    gcc -g -O0 -o prog prog.c
    profile samples/count checksum=1 gone=1 main=7 <<'END' >in.pb
4 checksum:5
3 main:7
2 checksum:4
1 gone:1
END
    pb2pgo --llvm --against=prog in.pb >report
    diff -u - <(sed -n '/^of the/,$p' report) <<'END'
of the build  100.00% of samples
fresh         70.00% of these
line gone     20.00% checksum
gone          10.00% gone
END
    # Without debug information only names are known.
    strip -g -o names prog
    pb2pgo --llvm --against=names in.pb >report
    diff -u - <(sed -n '/^fresh/,$p' report) <<'END'
fresh         90.00% of these
gone          10.00% gone
END
    strip -o stripped prog
    expect 3 pb2pgo --llvm --against=stripped in.pb
    same_err 'pb2pgo: --against: stripped: no functions: it is stripped, and its debug file was not found'
    objcopy --only-keep-debug prog prog.debug
    objcopy --add-gnu-debuglink=prog.debug stripped
    mkdir debug
    mv prog.debug debug
    pb2pgo --llvm --against=stripped --path=debug in.pb | grep -qx 'fresh         70.00% of these'
    expect 3 pb2pgo --llvm --against=in.pb in.pb
    same_err 'pb2pgo: --against: in.pb: not an ELF file'
    # The binary of another program.
    echo 'int other(void) { return 1; }' | gcc -g -shared -fPIC -o other -x c -
    expect 0 pb2pgo --llvm --against=other in.pb
    same_err "pb2pgo: warning: other has next to nothing of the profile (0.00%); is it of the same program?"
    grep -qx 'fresh         0.00% of these' <<<"$output"
}

# --- LLVM

@test "--llvm counts samples by line, and in what is inlined at a line" {
    # work was inlined into main at its second line, step there at its third.
    profile samples/count main=10 work=20 step=30 leaf=40 <<'END' >in.pb
5 leaf:41 main:12
3 leaf:41 work:20
4 leaf:43
6 main:11
2 work:24<main:12
7 step:30<work:23<main:12
1 step:31<work:23<main:12
1 step:30<work:21<main:12
1 leaf:40<work:23<main:12
END
    diff -u - <(pb2pgo --llvm in.pb) <<'END'
main:18:6
 1: 6
 2: work:12
  4: 2
  1: step:1
   0: 1
  3: leaf:1
   0: 1
  3: step:8
   0: 7
   1: 1
leaf:12:8
 1: 8
 3: 4
END
}

@test "--llvm: what compilers appended to a name, offsets of 16 bits, equal totals" {
    profile samples/count f=10 f.isra.0=10 f.cold=10 a.b=1 <<'END' >in.pb
2 f:11
3 f.isra.0:11
4 f.cold:9
9 a.b:70000
END
    diff -u - <(pb2pgo --llvm in.pb) <<'END'
a.b:9:9
 4463: 9
f:9:5
 1: 5
 65535: 4
END
}

@test "--llvm takes linkage names, and the number of samples" {
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 } sample_type { type: 3 unit: 4 }
sample { location_id: 1 value: 3 value: 30 }
location { id: 1 line { function_id: 1 line: 5 } }
function { id: 1 name: 5 system_name: 6 start_line: 4 }
string_table: "" string_table: "cycles_sample" string_table: "count"
string_table: "cycles_event" string_table: "count"
string_table: "Bank::pay(int)" string_table: "_ZN4Bank3payEi"
END
    [ "$(pb2pgo --llvm in.pb)" = $'_ZN4Bank3payEi:3:3\n 1: 3' ]
}

@test "--llvm leaves out what has no place, and fails if that is all" {
    profile samples/count f=10 <<'END' >in.pb
1 f:11
1 f:0
1 g:7
1 g:7<f:11
4 -
2 9f:11
END
    expect 0 pb2pgo --llvm in.pb
    same $'f:1:1\n 1: 1'
    same_line 0 'pb2pgo: warning: 70.00% of the samples skipped, most in no file: 40.00% lack a function, 20.00% a start line of one, 10.00% a line: pass -e BINARY or --path=DIRS to read them from debug information (-g)'
    same_line 1 "pb2pgo: warning: 20.00% of the samples skipped: names such as '9f' cannot be in a sample profile"
    printf '%s\n' '98 f:11' '2 f:0' | profile samples/count f=10 >in.pb
    expect 0 pb2pgo --llvm in.pb
    same_err 'pb2pgo: warning: 2.00% of the samples skipped, most in no file: 0.00% lack a function, 0.00% a start line of one, 2.00% a line, as code does that compilers add'
    printf '%s\n' '99 f:11' '1 f:0' | profile samples/count f=10 >in.pb
    expect 0 pb2pgo --llvm in.pb
    [ -z "$stderr" ]
    expect 0 pb2pgo -v --llvm in.pb
    [[ $stderr = *'1.00% of the samples skipped'* ]]
    profile samples/count 'f\n\001=1' <<<'3 f\n\001:7' >in.pb
    expect 3 pb2pgo --gcc=2 in.pb
    same_err "pb2pgo: in.pb: no sample can be used: names such as 'f\\x0a\\x01' cannot be in a sample profile"
    profile samples/count <<<'3 g:7' >in.pb
    expect 3 pb2pgo --llvm in.pb
    same_err "pb2pgo: in.pb: no function has a start line, from which compilers count lines ('g' has none): pass -e BINARY or --path=DIRS to read them from debug information (-g)"
    profile samples/count <<<'3 -' >in.pb
    expect 3 pb2pgo --llvm in.pb
    same_err 'pb2pgo: in.pb: no sample has a function with a line: pass -e BINARY or --path=DIRS to read them from debug information (-g)'
    profile samples/count f=1 <<<'-3 f:2' >in.pb
    expect 3 pb2pgo --llvm in.pb
    same_err 'pb2pgo: in.pb: sample 0: the value -3 is negative: compilers cannot use a difference of profiles'
}

@test "--llvm: calls that are inlined in each other have a limit" {
    local stack
    stack=$(printf 'f:2<%.0s' {1..1000})
    profile samples/count f=1 <<<"1 ${stack%<}" >in.pb
    [ "$(pb2pgo --llvm in.pb | wc -l)" = 1001 ]
    profile samples/count f=1 <<<"1 ${stack}f:2" >in.pb
    expect 3 pb2pgo --llvm in.pb
    same_err 'pb2pgo: in.pb: sample 0: 1001 nested inlined calls; at most 1000 are supported'
}

# What tells the parts of a line from each other may also be in a name, but not
# begin it.
@test "--llvm: names with colons, blanks and digits" {
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 } sample { location_id: 2 value: 9223372036854775790 }
location { id: 1 line { function_id: 1 line: 33 } line { function_id: 2 line: 5 } }
location { id: 2 line { function_id: 3 line: 34 } }
function { id: 1 name: 3 start_line: 28 } function { id: 2 name: 4 start_line: 1 }
function { id: 3 name: 5 start_line: 20 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "ns::f(int, char:3)" string_table: "operator new[](unsigned long)"
string_table: "x: 3\t\"\\"
END
    diff -u - <(pb2pgo --llvm in.pb) <<'END'
x: 3	"\:9223372036854775790:9223372036854775790
 14: 9223372036854775790
operator new[](unsigned long):10:0
 4: ns::f(int, char:3):10
  5: 10
END
}

# --- Addresses

# Two pieces of one file, of which the second is mapped 0x1000 below where it is in
# it, and a library; 0x10 of a sample in none.
mapped() { # BUILD-ID of the program
    encode <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 } sample { location_id: 2 value: 5 }
sample { location_id: 3 value: 9223372036854775700 } sample { location_id: [4, 1] value: 7 }
sample { location_id: 5 value: 1 } sample { value: 2 } sample { location_id: 6 value: 4 }
sample { location_id: 1 value: 4 label { key: 1 str: 1 } }
location { id: 1 mapping_id: 1 address: 0x7000000010 }
location { id: 2 mapping_id: 2 address: 0x700000a0f0 }
location { id: 3 mapping_id: 1 address: 0x7000000000 }
location { id: 4 mapping_id: 3 address: 0x8000000030 }
location { id: 5 mapping_id: 1 address: 0x6fffffffff }
location { id: 6 address: 0x20 }
mapping { id: 1 memory_start: 0x7000000000 memory_limit: 0x7000001000 file_offset: 0x1000 filename: 3 build_id: 4 }
mapping { id: 2 memory_start: 0x700000a000 memory_limit: 0x700000b000 file_offset: 0x2000 filename: 3 build_id: 4 }
mapping { id: 3 memory_start: 0x8000000000 memory_limit: 0x8000001000 file_offset: 0x1000 filename: 5 }
string_table: "" string_table: "cycles:u_sample" string_table: "count"
string_table: "/no/prog" string_table: "$1" string_table: "/no/lib.so"
END
}

@test "--autofdo counts samples by their offset in the file" {
    mapped '' >in.pb
    expect 0 pb2pgo -v --autofdo in.pb
    same "0
3
1000:9223372036854775700
1010:7
20f0:5
0"
    same_err "pb2pgo: note: 0.00% of the samples skipped: they were not taken in the binary '/no/prog'"
    mapped abcdef >id.pb
    pb2pgo --autofdo id.pb | diff - <(pb2pgo --autofdo in.pb)
    pb2pgo --autofdo in.pb id.pb 2>&1 | grep -F 'the values of all samples exceed 64 bits'
    expect 3 pb2pgo --bolt in.pb
    same_err 'pb2pgo: in.pb: /no/prog: no such file; specify the binary with -e, or its directory with --path'
}

# Addresses as nm(1) has them, and offsets of program headers as readelf(1) has.
@test "--bolt and --autofdo find addresses in the binary, which -e chooses" {
    local address vaddr offset start id kind
    echo 'int main(void) { return 0; }' >prog.c
    for kind in -pie -no-pie '-pie -Wl,-Ttext-segment=0x200000'; do
        # shellcheck disable=SC2086 # words
        gcc -g $kind -Wl,--build-id -o prog prog.c
        address=$((16#$(nm prog | sed -n 's/ T main$//p')))
        read -r offset vaddr < <(readelf -lW prog | sed -n 's/^  LOAD *\(0x[^ ]*\) \(0x[^ ]*\) .* R E .*/\1 \2/p')
        id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
        start=$((0x7f0000000000))
        [ "$kind" != -no-pie ] || start=$((vaddr))
        encode <<END >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 } sample { location_id: 2 value: 50 }
location { id: 1 mapping_id: 2 address: $((start + address - vaddr)) }
location { id: 2 mapping_id: 1 address: 0x10 }
mapping { id: 1 memory_start: 0 memory_limit: 0x1000 filename: 3 build_id: 4 }
mapping { id: 2 memory_start: $start memory_limit: $((start + 4096)) file_offset: $((offset)) filename: 3 build_id: 5 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "renamed" string_table: "00ff" string_table: "$id"
END
        [ "$(pb2pgo --bolt -e prog in.pb)" = "$(printf 'S %s:%x 3' "$id" "$address")" ]
        [ "$(pb2pgo --autofdo -e prog in.pb)" = "$(printf '0\n1\n%x:3\n0' $((address - vaddr + offset)))" ]
    done
    # What is in no code of the binary was not taken in it.
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 } sample { location_id: 1 value: 3 }
location { id: 1 address: 0x7fff0000 mapping_id: 1 }
mapping { id: 1 }
string_table: "" string_table: "samples" string_table: "count"
END
    expect 3 pb2pgo --bolt -e prog in.pb
    same_err "pb2pgo: in.pb: no sample was taken in the binary 'prog'; specify another binary of the profile with -e"
    # A mapping without build ID is found by name, or is the main one.
    mapped '' >in.pb
    cp prog lib.so
    [ "$(pb2pgo --autofdo -e lib.so in.pb)" = $'0\n1\n1030:7\n0' ]
    mapped abcdef >id.pb
    expect 3 pb2pgo --bolt -e prog id.pb
    same_err "pb2pgo: id.pb: prog: no mapping of the profile has its build ID ($id)"
    expect 3 pb2pgo --bolt -e missing id.pb
    same_err 'pb2pgo: id.pb: missing: no such file; specify the binary with -e, or its directory with --path'
}

@test "--bolt names the event, and no build ID that is none" {
    local type
    echo 'int main(void) { return 0; }' >prog.c
    gcc -no-pie -o prog prog.c
    for type in cpu-clock:u_sample samples 'a b_sample' _sample; do
        encode <<END >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 }
location { id: 1 mapping_id: 1 address: 0x$(nm prog | sed -n 's/ T main$//p') }
mapping { id: 1 }
string_table: "" string_table: "$type" string_table: "count"
END
        pb2pgo --bolt -e prog in.pb | sed 's/^S [0-9a-f]* 3$/S/'
    done >out
    diff -u - out <<'END'
E cpu-clock:u
S
S
S
S
END
}

@test "--bolt and --autofdo need mappings and samples in the binary" {
    local option
    profile samples/count f=10 <<<'3 f:11' >in.pb
    for option in --bolt --autofdo; do
        expect 3 pb2pgo $option in.pb
        same_err 'pb2pgo: in.pb: the profile has no mappings, which are needed to find addresses in a binary; use a profile of perf2pb, prof2pb or gmon2pb'
    done
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 } sample { location_id: 1 value: 3 }
location { id: 1 address: 3 mapping_id: 1 }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 3 }
string_table: "" string_table: "samples" string_table: "count" string_table: "/a"
END
    expect 3 pb2pgo --autofdo in.pb
    same_err "pb2pgo: in.pb: no sample was taken in the binary '/a'; specify another binary of the profile with -e"
}

# --- GCC

# The words of a file for gcc, as this machine has them, with strings as they are;
# of version 3 also the summary: SHARE: LEAST-COUNT COUNTS.
words() { # FILE
    perl -e '
        local $/;
        my $file = <STDIN>;
        my $at = 0;
        sub word { $at += 4; unpack "L", substr $file, $at - 4, 4 }
        sub count { my $low = word(); $low + 2**32 * word() }
        sub string { my $length = word(); $at += $length;
            unpack "Z*", substr $file, $at - $length, $length }
        sub instance {
            my ($indent) = @_;
            my ($name, $places, $inlined) = (word(), word(), word());
            print "$name[$name]\n";
            for (1 .. $places) {
                my $position = word();
                word() == 0 or die "targets";
                printf "%s%d.%d: %d\n", $indent, $position >> 16, $position & 65535, count();
            }
            for (1 .. $inlined) {
                my $position = word();
                printf "%s%d.%d: ", $indent, $position >> 16, $position & 65535;
                instance("$indent ");
            }
        }
        my @head = (word(), word(), word());
        printf "%08x %d %d\n", @head;
        my $is3 = $head[1] == 3;
        if ($is3) {
            word() == 0xa8000000 or die "tag";
            print join(" ", "summary", map { count() } 1 .. 5), "\n";
            printf "%d: %d %d\n", word(), count(), count() for 1 .. count();
        }
        for my $tag (0xaa000000, 0xac000000, 0xae000000) {
            word() == $tag or die "tag";
            my $end = word();
            $end += $at;
            my @files = map { string() } 1 .. ($is3 && $tag == 0xaa000000 ? word() : 0);
            my $n = word();
            if ($tag == 0xaa000000) {
                for (1 .. $n) {
                    push @name, string();
                    my $of = $is3 ? word() : 2**32 - 1;
                    print "$name[-1] of $files[$of]\n" if $of != 2**32 - 1;
                }
            } elsif ($tag == 0xac000000) {
                for (1 .. $n) {
                    print count(), " calls: ";
                    $is3 && count() and die "time";
                    instance(" ");
                }
            }
            $at == $end or die "length";
        }
        $at == length $file or die "end"' <"$1"
}

@test "--gcc has the samples of --llvm" {
    profile samples/count main=10 work=20 step=30 leaf=40 <<'END' >in.pb
5 leaf:41 main:12
5000000000 leaf:43
6 main:11
2 work:24<main:12
7 step:30<work:23<main:12
END
    pb2pgo --gcc=2 -o out in.pb
    diff -u - <(words out) <<'END'
67636461 2 0
5 calls: leaf
 1.0: 5
 3.0: 5000000000
6 calls: main
 1.0: 6
 2.0: work
  4.0: 2
  3.0: step
   0.0: 7
END
    expect 2 pb2pgo --gcc=4 in.pb
    same_err "pb2pgo: invalid value '4' for --gcc: expected 2 or 3"
    expect 3 pb2pgo --gcc=2 -o out <(profile samples/count <<<'3 g:7')
    run script -qec "pb2pgo --gcc=2 in.pb" /dev/null </dev/null
    [[ $output = *'binary output is not written to a terminal'* ]]
}

# Of 100 samples 40, 30, 30 are the largest counts; those of 30 are hot together.
@test "--gcc=3: a summary of the counts, and the file of each function" {
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 40 } sample { location_id: 2 value: 30 }
sample { location_id: 3 value: 30 } sample { location_id: 4 value: 30000000000 }
location { id: 1 line { function_id: 1 line: 11 } line { function_id: 2 line: 25 } }
location { id: 2 line { function_id: 2 line: 21 } }
location { id: 3 line { function_id: 3 line: 21 } }
location { id: 4 line { function_id: 4 line: 0 } }
function { id: 1 name: 3 start_line: 10 filename: 6 }
function { id: 2 name: 4 start_line: 20 filename: 7 }
function { id: 3 name: 5 start_line: 20 filename: 8 }
function { id: 4 name: 5 start_line: 20 filename: 7 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "step" string_table: "work" string_table: "init"
string_table: "/src/a/util.c" string_table: "b/util.c" string_table: "init.c"
END
    pb2pgo --gcc=3 -o out in.pb
    diff -u - <(words out) <<'END'
67636461 3 0
summary 100 40 30 3 2
10000: 40 1
100000: 40 1
200000: 40 1
300000: 40 1
400000: 40 1
500000: 30 3
600000: 30 3
700000: 30 3
800000: 30 3
900000: 30 3
950000: 30 3
990000: 30 3
999000: 30 3
999900: 30 3
999990: 30 3
999999: 30 3
init of init.c
work of util.c
step of util.c
30 calls: work
 1.0: 30
 5.0: step
  1.0: 40
30 calls: init
 1.0: 30
END
    # A function of two files has none; one beside which nothing is hot; 2^63 - 1.
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 1 } sample { location_id: 2 value: 9223372036854775806 }
location { id: 1 line { function_id: 1 line: 11 } }
location { id: 2 line { function_id: 2 line: 20 } }
function { id: 1 name: 3 start_line: 10 filename: 4 }
function { id: 2 name: 3 start_line: 20 filename: 5 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "init" string_table: "a.c" string_table: "b.c"
END
    pb2pgo --gcc=3 -o out in.pb
    words out >figures
    run sed -n '2,3p; $p' figures
    same_said $'summary 9223372036854775807 9223372036854775806 9223372036854775806 2 1\n10000: 9223372036854775806 1\n 1.0: 1'
    run grep -c ' of ' figures
    same_said 0
}

@test "--gcc asks the installed gcc which version it reads" {
    local version
    unset CC # of the build, perhaps
    profile samples/count f=10 <<<'3 f:11' >in.pb
    mkdir bin
    for version in 12.2.0:2 15.1.0:2 16.2.0:3 17.0.1:3; do
        printf '#!/bin/sh\n[ "$*" = -dumpfullversion ] && echo %s\n' "${version%:*}" >bin/gcc
        chmod +x bin/gcc
        PATH=$PWD/bin:$PATH expect 0 pb2pgo -v --gcc -o out in.pb
        same_err "pb2pgo: note: version ${version#*:} of the format, for gcc ${version%:*} ('gcc')"
        pb2pgo --gcc="${version#*:}" in.pb | cmp out -
    done
    # Makefiles write a command with arguments into CC.
    printf '#!/bin/sh\nexec "$@"\n' >bin/ccache
    chmod +x bin/ccache
    CC=' ccache gcc ' PATH=$PWD/bin:$PATH expect 0 pb2pgo -v --gcc -o out in.pb
    same_err "pb2pgo: note: version 3 of the format, for gcc 17.0.1 (' ccache gcc ')"
    CC=' ' PATH=$PWD/bin:$PATH pb2pgo --gcc in.pb | cmp out -
    printf '#!/bin/sh\necho 11.4.0\n' >bin/old-gcc
    chmod +x bin/old-gcc
    CC=bin/old-gcc expect 2 pb2pgo --gcc in.pb
    same_err 'pb2pgo: bin/old-gcc is gcc 11.4.0, which reads neither version 2 nor 3 of the format: use gcc 12 or newer'
    CC=no-gcc expect 2 pb2pgo --gcc in.pb
    same_err 'pb2pgo: --gcc needs a version: cannot ask gcc for its own (no-gcc: command not found in PATH); specify --gcc=2 for gcc 12 to 15, or --gcc=3 for gcc 16'
    printf '#!/bin/sh\necho some compiler\n' >bin/other
    chmod +x bin/other
    CC=bin/other expect 2 pb2pgo --gcc in.pb
    same_err "pb2pgo: --gcc needs a version: cannot ask gcc for its own (it prints 'some compiler', not a version); specify --gcc=2 for gcc 12 to 15, or --gcc=3 for gcc 16"
    CC="no-gcc$(printf ' %s' {1..29})" expect 2 pb2pgo --gcc in.pb
    same_err 'pb2pgo: --gcc needs a version: cannot ask gcc for its own (no-gcc: command not found in PATH); specify --gcc=2 for gcc 12 to 15, or --gcc=3 for gcc 16'
    CC="no-gcc$(printf ' %s' {1..30})" expect 2 pb2pgo --gcc in.pb
    same_err 'pb2pgo: --gcc needs a version: cannot ask gcc for its own (CC has more than 30 words); specify --gcc=2 for gcc 12 to 15, or --gcc=3 for gcc 16'
    CC=no-gcc pb2pgo --gcc --llvm in.pb | grep -q ^f:
    CC=no-gcc pb2pgo --gcc --gcc=2 in.pb | cmp - <(pb2pgo --gcc=2 in.pb)
}

@test "a check writes no profile" {
    for option in --preprofile --autofdo --bolt; do
        expect 2 pb2pgo --check $option -o out server.pb.gz
        same_err 'pb2pgo: --check, --overlap and --against write no profile: they go with --go, --llvm or --gcc only, for which they print figures'
    done
    expect 2 pb2pgo --min-fresh=10 server.pb.gz
    same_err 'pb2pgo: --min-fresh needs --against'
    expect 2 pb2pgo --against= server.pb.gz
    same_err "pb2pgo: invalid value '' for --against: expected a binary or a directory"
    expect 2 pb2pgo --overlap= server.pb.gz
    same_err "pb2pgo: invalid value '' for --overlap: expected a profile"
    expect 2 pb2pgo --min-fresh=101 --against=. server.pb.gz
    same_err "pb2pgo: invalid value '101' for --min-fresh: expected a number greater than 0 and at most 100"
    [ ! -e out ]
}
