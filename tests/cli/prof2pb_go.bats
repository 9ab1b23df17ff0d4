# prof2pb on what Go's runtime writes as text, with go tool pprof's reading of
# it, and with the profile.proto that the same program writes.

load helper
load pprof_oracle

# shellcheck disable=SC2154 # set by run

setup_file() {
    export HOME=$BATS_FILE_TMPDIR
    export GOPATH=$BATS_FILE_TMPDIR GOPROXY=off GOFLAGS=-mod=mod
    cd "$BATS_FILE_TMPDIR"
    cat >main.go <<'END'
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
)

var keep [][]byte

//go:noinline
func grow(n int) {
	for i := 0; i < n; i++ {
		keep = append(keep, make([]byte, 10000))
	}
}

func inlined(n int) { keep = append(keep, make([]byte, n)) }

//go:noinline
func caller() {
	for i := 0; i < 50; i++ {
		inlined(2000)
	}
}

//go:noinline
func again(n int) {
	if n > 0 {
		again(n - 1)
	} else {
		grow(20)
	}
}

//go:noinline
func free() {
	for i := 0; i < 100; i++ {
		inlined(50000)
		keep = keep[:len(keep)-1]
	}
}

//go:noinline
func add(p *pprof.Profile, value interface{}) { p.Add(value, 0) }

func write(name string) {
	for debug, end := range []string{".pb.gz", ".txt"} {
		f, err := os.Create(name + end)
		if err != nil {
			panic(err)
		}
		pprof.Lookup(name).WriteTo(f, debug)
		f.Close()
	}
}

func main() {
	runtime.MemProfileRate = 512
	grow(100)
	caller()
	again(3)
	free()
	own := pprof.NewProfile("example.org/own")
	for i := 0; i < 5; i++ {
		add(own, i)
	}
	stop := make(chan int)
	labels := pprof.Labels("user", "a \"b\"\n\u00e9", "n", "1")
	pprof.Do(context.Background(), labels, func(context.Context) {
		go func() { <-stop }()
	})
	for i := 0; i < 3; i++ {
		go func() { <-stop }()
	}
	for i := 0; i < 10; i++ {
		runtime.Gosched()
	}
	runtime.GC()
	debug.SetGCPercent(-1)
	write("heap")
	write("allocs")
	write("threadcreate")
	os.Mkdir("example.org", 0777)
	write("example.org/own")
	write("goroutine")
}
END
    go build -o prog main.go
    ./prog
}

setup() {
    setup_scratch
    records
    cp -R "$BATS_FILE_TMPDIR"/{prog,*.txt,*.pb.gz,example.org} .
}

@test "heap and count profiles give what pprof reads" {
    grep -q '^heap profile: .* @ heap/1024$' heap.txt
    same_as_pprof heap.txt
    grep -q '^heap profile: .* @ heap/1024$' allocs.txt
    same_as_pprof allocs.txt
    grep -qx 'example.org/own profile: total 5' example.org/own.txt
    same_as_pprof example.org/own.txt
    pprof_totals ours.pb.gz | grep -qx 'example.org/own/count 5'
    grep -v '^# labels:' goroutine.txt >plain.txt
    same_as_pprof plain.txt
    pprof_totals ours.pb.gz | grep -qx 'goroutine/count 5'
}

# Cumulative values of the program's functions (their own may differ: what the
# runtime allocates for them is not dropped without its names).
functions() {
    pbcat --nodefraction=0 --unit=B "$@" |
        awk '/%/ && $6 ~ /^main\./ { print $6, $4 }' | sort
}

@test "allocations of the runtime count for what called it" {
    # 0x20 is named in another stack, in which nothing else has run.
    printf '%b' 'heap profile: 3: 30 [3: 30] @ heap/2\n' \
        '1: 10 [1: 10] @ 0x11 0x21 0x31 0x41\n' \
        '#\t0x30\tmain.f+0x1\t/a.go:3\n\n' \
        '1: 10 [1: 10] @ 0x21 0x13 0x31 0x41\n' \
        '#\t0x30\tmain.f+0x1\t/a.go:3\n\n' \
        '1: 10 [1: 10] @ 0x21\n#\t0x20\truntime.malg+0x1\t/m.go:3\n' >text
    expect 0 prof2pb -o out.pb.gz text
    same_err ''
    expect 0 pbcat --folded --sample-index=inuse_space out.pb.gz
    same 'runtime.goexit;main.f 20
runtime.malg 10'
    sed 's/^heap profile.*/goroutine profile: total 3/; s/^1: 10 .1: 10./1/' \
        text >count
    expect 0 prof2pb -q -o out.pb.gz count
    expect 0 pbcat --folded out.pb.gz
    [[ $output = *'main.f;<unknown>;'* ]]
}

@test "their names and values are those of the profile.proto" {
    prof2pb -q heap.txt -o ours.pb.gz
    local type
    for type in inuse_space inuse_objects alloc_space alloc_objects; do
        functions --sample-index=$type heap.pb.gz >theirs
        functions --sample-index=$type ours.pb.gz >ours
        diff -u theirs ours
        grep -q '^main.main ' ours
    done
    prof2pb -q goroutine.txt -o ours.pb.gz
    functions ours.pb.gz | grep "func" >ours
    functions goroutine.pb.gz | grep "func" | diff -u - ours
    [ "$(wc -l <ours)" = 2 ]
}

@test "pprof leaves the names and labels of comments out" {
    prof2pb -q goroutine.txt -o ours.pb.gz
    go_pprof -raw ours.pb.gz >raw
    grep -q ' main\.main\.func[0-9.]* .*/main\.go:[1-9]' raw
    grep -qF 'n:[1] user:[a "b"' raw
    grep -q ' runtime\.goexit ' raw
    go_pprof -raw goroutine.txt >raw
    run ! grep -q 'main\.main\|user:' raw
    # Labels are no symbols.
    prof2pb -q --no-symbols goroutine.txt -o ours.pb.gz
    go_pprof -raw ours.pb.gz >raw
    run ! grep -q 'main\.main' raw
    grep -qF 'n:[1] user:[a "b"' raw
    # They are those of the profile.proto.
    go_pprof -raw goroutine.pb.gz | grep -F 'user:[' >theirs
    go_pprof -raw ours.pb.gz | grep -F 'user:[' | diff -u theirs -
}

@test "mutex and block profiles have names as well" {
    cd "$BATS_FILE_TMPDIR"
    go run "$DATA/golocks/main.go" mutex block
    cd "$BATS_TEST_TMPDIR"
    local file
    for file in mutex block; do
        prof2pb -q "$BATS_FILE_TMPDIR/$file" -o ours.pb.gz
        go_pprof -raw ours.pb.gz >raw
        grep -q ' main\.hold .*/golocks/main\.go:[1-9]' raw
        prof2pb -q --no-symbols "$BATS_FILE_TMPDIR/$file" -o ours.pb.gz
        go_pprof -raw ours.pb.gz >raw
        run ! grep -q 'main\.hold' raw
    done
}

@test "threads without stacks are counted, where pprof stops" {
    # Go 1.24 writes 32 addresses of 0 where there is no stack.
    sed -i -E 's/^([0-9]+ @)( 0x0)+$/\1/' threadcreate.txt
    threads=$(sed -n 's/^threadcreate profile: total //p' threadcreate.txt)
    grep -qx "$threads @" threadcreate.txt
    prof2pb -q threadcreate.txt | pbcat --raw >text
    grep -Eqx " *$threads: *" text
    pprof_refuses threadcreate.txt 'malformed profile format'
}

@test "the runtime's leaves have names with the program, not without" {
    prof2pb -q goroutine.txt -o ours.pb.gz
    go_pprof -raw ours.pb.gz >raw
    run ! grep -q runtime.gopark raw
    prof2pb -q -e ./prog goroutine.txt -o ours.pb.gz
    go_pprof -raw ours.pb.gz >raw
    grep -q ' runtime\.gopark ' raw
}

@test "blank lines may come first, where pprof refuses heaps" {
    prof2pb -q --no-symbols heap.txt -o plain.pb.gz
    { echo && cat heap.txt; } >blank.txt
    prof2pb -q --no-symbols blank.txt | cmp - plain.pb.gz
    expect 1 go tool pprof -symbolize=none -raw blank.txt
    { echo && cat example.org/own.txt; } >blank.txt
    same_as_pprof blank.txt
}

@test "a line that is not understood is named by both" {
    sed '3s/.*/who knows/' example.org/own.txt >bad.txt
    sed '2s/$/ main/' example.org/own.txt >words.txt
    expect 3 prof2pb -o out words.txt
    same_err "prof2pb: words.txt: line 2: invalid address 'main': expected 0x and a hexadecimal number of 64 bits"
    expect 1 go tool pprof -symbolize=none -raw words.txt
    same_err ... 'malformed profile format' ...
    expect 3 prof2pb -o out bad.txt
    same_err "prof2pb: bad.txt: line 3: 'who knows' is not a count profile sample"
    [ ! -e out ]
    expect 1 go tool pprof -symbolize=none -raw bad.txt
}

@test "names may have blanks, which pprof refuses" {
    sed '1s|example.org/own|my own|' example.org/own.txt >own.txt
    grep -qx 'my own profile: total 5' own.txt
    expect 0 prof2pb -q own.txt -o o.pb.gz
    go_pprof -raw o.pb.gz | grep -qx 'my own/count'
    expect 1 go tool pprof -symbolize=none -raw own.txt
    same_err ... 'unrecognized profile format' ...
}
