# pbcat beside go tool pprof: the same profile and options, the same text.
#
# Where pprof has changed since the version that distributions have, pbcat
# does as the current one, and current() below rewrites what the old one
# prints.  Each difference is named there; nothing else may differ.

load helper

setup_file() {
    command -v protoc >/dev/null
    cd "$BATS_FILE_TMPDIR"
    export PATH="$BIN:$PATH" LC_ALL=C TZ=UTC HOME=$BATS_FILE_TMPDIR
    export GOPATH=$BATS_FILE_TMPDIR GOPROXY=off
    make_go_profiles
    fixture cpu.prof prog old.pb.gz new.pb.gz
    prof2pb cpu.prof | pbmerge -o gperftools.pb.gz
    prof2pb --no-symbols cpu.prof | pbmerge -o addresses.pb.gz
    pbmerge -o diff.pb.gz --base=old.pb.gz new.pb.gz
    rm old.pb.gz new.pb.gz
    make_odd_profile | gzip >odd.pb.gz
}

# CPU, heap, mutex and block profiles of something with deep stacks; merged,
# because old versions of pprof sum up equal stacks of one file and leave out
# samples of zeros, and current ones do not.
make_go_profiles() {
    mkdir busy
    printf 'module busy\n' >busy/go.mod
    cat >busy/busy_test.go <<'END'
package busy

import (
	"bytes"
	"encoding/json"
	"go/format"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

const source = `package p
import "fmt"
type t struct { a , b int; c map[string][]func(int) error }
func (x *t) f(n int) (s string) {
for i := 0 ; i<n ; i ++ { s+=fmt.Sprint( x.a , x.b*i ) ; if i%2==0 {continue} }
return }
`

func work(mu *sync.Mutex, words *[]string) {
	word := regexp.MustCompile(`(\w+)\s*(\W?)`)
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
		text, err := format.Source([]byte(source))
		if err != nil {
			panic(err)
		}
		var out bytes.Buffer
		if err := json.NewEncoder(&out).Encode(strings.Fields(string(text))); err != nil {
			panic(err)
		}
		found := word.FindAllString(out.String(), -1)
		sort.Strings(found)
		mu.Lock()
		*words = append((*words)[:0], found...)
		time.Sleep(time.Microsecond)
		mu.Unlock()
	}
}

func TestBusy(t *testing.T) {
	var mu sync.Mutex
	var words []string
	var wg sync.WaitGroup
	mu.Lock() // so that they wait once at least
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); work(&mu, &words) }()
	}
	time.Sleep(20 * time.Millisecond)
	mu.Unlock()
	wg.Wait()
}
END
    (cd busy && go test -vet=off -memprofilerate 8192 -cpuprofile cpu.pb.gz \
        -memprofile heap.pb.gz -mutexprofile mutex.pb.gz \
        -mutexprofilefraction 1 -blockprofile block.pb.gz . >../go.log)
    for profile in cpu heap mutex block; do
        pbmerge -o $profile.pb.gz busy/$profile.pb.gz
    done
}

# What real profiles seldom have: inlined and called functions, recursion,
# places without symbols, names that need cleaning, labels of all kinds,
# samples without frames or value, sparse ids.
make_odd_profile() {
    local names=('' samples count weight bytes main inner 'ns::f(int; char)' \
        ./src//a/../main.c /proc/self/cwd/./lib/x.h /usr/lib/libx.so \
        /opt/prog thread 'worker 1' main-thread alignment request latency \
        milliseconds '# not shown' 'shown in headers' 0123abcd sys_inner \
        nosuch bytes_read)
    {
        printf 'string_table: "%s"\n' "${names[@]}"
        cat <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
default_sample_type: 1
period_type { type: 3 unit: 4 }
period: 4096
time_nanos: 1700000000123456000
duration_nanos: 61500000000
comment: 19
comment: 20
mapping { id: 3 memory_start: 4194304 memory_limit: 4202496 filename: 11
  build_id: 21 has_functions: true has_line_numbers: true }
mapping { id: 9 memory_start: 1048576 memory_limit: 2097152 file_offset: 4096
  filename: 10 }
function { id: 4 name: 5 system_name: 5 filename: 8 start_line: 3 }
function { id: 7 name: 6 system_name: 22 filename: 9 start_line: 1 }
function { id: 8 name: 7 system_name: 7 }
function { id: 9 filename: 8 start_line: 40 }
location { id: 11 mapping_id: 3 address: 4194400 line { function_id: 4 line: 10 } }
location { id: 12 mapping_id: 3 address: 4194500
  line { function_id: 7 line: 2 } line { function_id: 4 line: 12 } }
location { id: 13 mapping_id: 3 address: 4194600 line { function_id: 7 line: 4 } }
location { id: 14 mapping_id: 9 address: 1049000 }
location { id: 15 mapping_id: 9 address: 1049016 }
location { id: 16 address: 77 }
location { id: 17 mapping_id: 3 address: 4194700 line { function_id: 8 line: 5 } is_folded: true }
location { id: 19 mapping_id: 9 address: 1049032 line { function_id: 9 line: 41 } }
location { id: 4000000000 mapping_id: 3 address: 4194800
  line { function_id: 7 line: 2 } line { function_id: 8 line: 7 } line { function_id: 4 line: 13 } }
sample { location_id: 12 location_id: 11 value: 40 value: 1048576
  label { key: 12 str: 13 } label { key: 12 str: 14 } }
sample { location_id: 13 location_id: 11 value: 30 value: 4000
  label { key: 15 num: 64 } label { key: 16 num: 4096 num_unit: 4 } label { key: 17 num: 1500 num_unit: 18 } label { key: 17 num: 2 } }
sample { location_id: 13 location_id: 13 location_id: 12 location_id: 11 value: 7 value: 1 }
sample { location_id: 14 location_id: 11 value: 5 value: 9000 label { key: 24 num: -5 } label { key: 12 str: 13 } }
sample { location_id: 15 location_id: 14 value: 3 value: 77 }
sample { location_id: 16 value: 2 value: 5 }
sample { location_id: 17 location_id: 17 location_id: 11 value: 4 value: 600 }
sample { location_id: 4000000000 location_id: 19 value: 6 value: 123456789 }
sample { location_id: 19 location_id: 4000000000 value: 1 value: -3000 }
sample { value: 8 value: 100 }
END
    } | protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile profile.proto
}

# Rows that only differ in how they are inlined, which today's pprof orders as
# locations stand in the file: in the order of their text.
ties() {
    awk '{ row = $0; sub(/ \((partial-)?inline\)$/, "", row) }
        row != last { n++; last = row } { print n "\t" $0 }' |
        sort -s -t "$(printf '\t')" -k1,1n -k2 | cut -f2-
}

# What the pprof of today prints where that of Go 1.19 prints:
#   the time to the minute, "Jan 2, 2006 at 3:04pm (MST)"
current() {
    local time
    [ "$(go_minor)" -lt 22 ] || { ties; return; }
    cat >old
    time=$(sed -nE 's/^Time: (.*) at ([0-9:]+[ap]m) \((.*)\)$/\1 \2 \3/p' old)
    [ -z "$time" ] || time=$(date -d "$time" +'%Y-%m-%d %H:%M %Z')
    sed "s/^Time: .* at .*/Time: $time/" old
}

# For an old one, pbcat's time to the minute likewise, and without columns of
# source lines, which it did not show: "x.c:10:3" was "x.c:10".
ours() {
    [ "$(go_minor)" -lt 22 ] || { ties; return; }
    sed -E 's/^(Time: [-0-9]+ [0-9]+:[0-9]+):[0-9]+ ([A-Z]+)$/\1 \2/
        s/(:[0-9]+):[0-9]+( \(inline\)| \(partial-inline\)| s=.*)?$/\1\2/'
}

# Both programs with these options, in pprof's spelling, for one profile.
alike() { # PROFILE OPTION...
    local profile=$1 option
    local -a options=()
    shift
    for option in "$@"; do
        [ "$option" != -files ] || option=-granularity=files
        options+=("-$option")
    done
    go_as_is "$@" "$profile" >pprof.out
    current <pprof.out >theirs
    pbcat "${options[@]}" "$profile" >pbcat.out
    ours <pbcat.out >ours
    [ -s ours ]
    diff -u --label "go tool pprof $* $profile" theirs \
        --label "pbcat ${options[*]} $profile" ours
}

# The same for every profile.
all_alike() { # OPTION...
    local profile
    for profile in "$BATS_FILE_TMPDIR"/*.pb.gz; do
        alike "$profile" "$@"
    done
}

@test "the profiles have what the tests are about" {
    cd "$BATS_FILE_TMPDIR"
    pbcat --no-trim cpu.pb.gz >table
    grep -q ' (inline)$' table
    pbcat --no-trim odd.pb.gz | grep -q ' (partial-inline)$'
    pbcat --no-trim diff.pb.gz | grep -qE '^ +-'
    [ "$(pbcat --raw heap.pb.gz | grep -c '^ *[0-9]*: 0x')" -gt 50 ]
    for profile in cpu heap mutex block gperftools addresses; do
        [ "$(pbcat --no-trim "$profile.pb.gz" | wc -l)" -gt 5 ]
    done
}

@test "text" {
    all_alike -text
}

@test "text of each granularity, flat and cum" {
    for granularity in addresses lines functions filefunctions files; do
        all_alike -text "-$granularity" -nodefraction=0.01
    done
    for granularity in addresses lines files; do
        all_alike -text "-$granularity" -cum -trim=false
    done
}

@test "text without inlined functions" {
    all_alike -text -noinlines
    all_alike -text -noinlines -lines -nodefraction=0
}

@test "text of the first nodes" {
    all_alike -text -nodecount=5
    all_alike -text -cum -nodecount=12 -lines -nodefraction=0.001
}

@test "text without light nodes and calls" {
    all_alike -text -nodefraction=0.1
    all_alike -text -edgefraction=0.2 -nodefraction=0
}

@test "text of each sample type" {
    for type in alloc_objects alloc_space inuse_objects inuse_space 1; do
        alike "$BATS_FILE_TMPDIR/heap.pb.gz" -text "-sample_index=$type"
    done
    for type in contentions delay; do
        alike "$BATS_FILE_TMPDIR/block.pb.gz" -text "-sample_index=$type"
        alike "$BATS_FILE_TMPDIR/mutex.pb.gz" -text "-sample_index=$type"
    done
    alike "$BATS_FILE_TMPDIR/odd.pb.gz" -text -sample_index=weight
}

@test "text of mean values" {
    all_alike -text -mean -sample_index=1 -nodefraction=0
    all_alike -text -mean -sample_index=1 -cum -nodecount=6
}

@test "text in other units" {
    for unit in ms us hrs auto MB kb bytes count nonsense; do
        alike "$BATS_FILE_TMPDIR/cpu.pb.gz" -text "-unit=$unit"
        alike "$BATS_FILE_TMPDIR/heap.pb.gz" -text "-unit=$unit"
    done
    all_alike -text -divide_by=3
    all_alike -text -divide_by=0.001 -unit=auto -nodecount=8
}

@test "text of a difference" {
    alike "$BATS_FILE_TMPDIR/diff.pb.gz" -text -drop_negative -trim=false
    alike "$BATS_FILE_TMPDIR/odd.pb.gz" -text -drop_negative \
        -sample_index=weight -lines -trim=false
}

@test "text of several profiles" {
    cd "$BATS_FILE_TMPDIR"
    fixture build
    go_pprof -text -lines build/*/*.pb.gz | current >theirs
    pbcat --lines build/*/*.pb.gz | ours >ours
    [ "$(wc -l <ours)" -gt 8 ]
    diff -u theirs ours
}

@test "traces" {
    all_alike -traces
}

@test "traces of each granularity, in other units, means" {
    for granularity in addresses lines filefunctions files; do
        all_alike -traces "-$granularity"
    done
    all_alike -traces -noinlines -unit=auto
    all_alike -traces -mean -sample_index=1 -divide_by=2
}

# The ids are those that pprof gives, as old versions give their own ones to
# whatever they read.
@test "raw" {
    for profile in "$BATS_FILE_TMPDIR"/*.pb.gz; do
        go_pprof -proto -output=theirs.pb.gz "$profile"
        alike theirs.pb.gz -raw
    done
}

@test "comments" {
    all_alike_comments() {
        pbcat --comments "$1" >ours
        go_pprof -comments "$1" >theirs
        diff -u theirs ours
    }
    all_alike_comments "$BATS_FILE_TMPDIR/odd.pb.gz"
    [ "$(cat ours)" = '# not shown
shown in headers' ]
}

# Calls whose values differ in sign only are in any order there.
alike_but_for_order() { # PROFILE OPTION...
    alike "$@" >/dev/null || diff -u <(sort theirs) <(sort ours)
}

@test "tree" {
    for profile in cpu heap mutex gperftools addresses odd; do
        alike "$BATS_FILE_TMPDIR/$profile.pb.gz" -tree
    done
    for profile in cpu odd; do
        profile=$BATS_FILE_TMPDIR/$profile.pb.gz
        alike "$profile" -tree -lines -cum -nodecount=9 -nodefraction=0.02
        alike "$profile" -tree -addresses -trim=false -drop_negative
        alike "$profile" -tree -noinlines -edgefraction=0.1 -nodecount=0
        alike "$profile" -tree -mean -sample_index=1 -unit=auto
    done
    alike_but_for_order "$BATS_FILE_TMPDIR/diff.pb.gz" -tree
    alike_but_for_order "$BATS_FILE_TMPDIR/diff.pb.gz" -tree -drop_negative
}

@test "peek" {
    alike "$BATS_FILE_TMPDIR/cpu.pb.gz" -peek='busy|^runtime\.m'
    alike "$BATS_FILE_TMPDIR/odd.pb.gz" -peek='[abc]' -lines -cum
    alike_but_for_order "$BATS_FILE_TMPDIR/diff.pb.gz" -peek=. -nodecount=3
}

# The labels of testdata, with addresses and names to filter by.
labels() {
    encode <"$DATA/labels.textproto" | gzip >labels.pb.gz
}

@test "filters of samples and frames" {
    labels
    for options in '-focus=work' '-ignore=idle|alloc' '-hide=help' \
        '-show=main|work -lines' '-show_from=work' '-prune_from=helper' \
        '-focus=main -hide=idle -ignore=grow -cum' '-focus=nothing' \
        '-focus=work -relative_percentages' '-show=work -compact_labels'; do
        # shellcheck disable=SC2086 # several options
        alike labels.pb.gz -text $options
    done
    odd=$BATS_FILE_TMPDIR/odd.pb.gz
    alike "$odd" -tree -focus=inner -relative_percentages -nodefraction=0
    alike "$odd" -traces -ignore=inner
    alike "$odd" -peek=main -hide='^ns::'
    alike "$BATS_FILE_TMPDIR/cpu.pb.gz" -text -focus='busy\.work' \
        -ignore='[Gg]c' -hide='^runtime' -lines -nodecount=7
}

@test "filters by label" {
    labels
    mapfile -t keys < <(pbcat --json labels.pb.gz |
        jq -r '.sample[].label[].key' | sort -u)
    [ "${#keys[@]}" -gt 4 ]
    for options in "-tagfocus=${keys[0]}" "-tagignore=${keys[0]}" \
        -tagfocus=1kb: -tagignore=:2kb -tagfocus=4kb:64kb \
        "-tagshow=${keys[1]}" "-taghide=${keys[1]}|${keys[2]}"; do
        alike labels.pb.gz -traces "$options"
        alike labels.pb.gz -text "$options"
    done
    for key in "${keys[@]}"; do
        alike labels.pb.gz -text "-tagroot=$key" -focus=.
        alike labels.pb.gz -tree "-tagleaf=$key" -unit=kb
    done
}

@test "a long filter is cut in the header" {
    labels
    alike labels.pb.gz -text \
        -focus="work|$(printf 'x%.0s' {1..90})" -hide='é|ü|main'
    [ "$(sed -n 's/^   focus=//p' ours | wc -m)" -lt 83 ]
}

# Both programs' profiles of the first nodes, read by pprof.
alike_topproto() { # PROFILE OPTION...
    local profile=$1
    shift
    go_pprof -topproto -output=theirs.pb.gz "$@" "$profile" >/dev/null
    pbcat -q --topproto "${@/#/-}" "$profile" >ours.pb.gz
    for made in theirs ours; do
        go_as_is -raw $made.pb.gz >$made
    done
    diff -u theirs ours
    grep -q '^ *[0-9]* *-*[0-9]*: 1 $' ours
}

@test "topproto" {
    for profile in cpu heap odd gperftools; do
        alike_topproto "$BATS_FILE_TMPDIR/$profile.pb.gz" -nodecount=10
    done
    alike_topproto "$BATS_FILE_TMPDIR/odd.pb.gz" -lines -cum -unit=kb
    alike_topproto "$BATS_FILE_TMPDIR/cpu.pb.gz" -addresses -focus=busy \
        -nodefraction=0.05 -unit=ns
}

@test "bases" {
    fixture old.pb.gz new.pb.gz
    for options in -base=old.pb.gz -diff_base=old.pb.gz \
        '-diff_base=old.pb.gz -normalize' '-base=old.pb.gz -normalize' \
        '-diff_base=old.pb.gz -drop_negative' '-base=old.pb.gz -cum'; do
        # shellcheck disable=SC2086 # several options
        alike new.pb.gz -text -nodefraction=0 $options
    done
    alike_but_for_order new.pb.gz -tree -diff_base=old.pb.gz -focus=Deposit
}
