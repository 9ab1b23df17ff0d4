# prof2pb on thread profiles, with go tool pprof for comparison.

load helper
load pprof_oracle

# shellcheck disable=SC2154 # set by run

maps='--- Memory map: ---
  00400000-00500000: /bin/server
  7f0000000000-7f0000100000: /lib/libc.so.6'

thread() {
    echo "--- Thread 7f794ab90940 (name: $1) stack: ---"
    shift
    printf '  %s\n' "$@"
}

pool() {
    printf -- '--- threadz 1 ---\n\n'
    thread main/14748 'PC:  0x00401010: helper(arg *)' '0x00402010: main'
    thread worker/14751 'PC: 0x401020 0x7f0000000010' '    0x7f0000000020' \
        '    creator: 0x401030 0x402020 0x402030'
    thread io/disk/14752 'PC: 0x401020' '0x401030: Wait(int)' '    creator:' \
        '0x402020: main'
    thread worker/14759 '[same as previous thread]'
    thread worker/14760 '[same as previous thread]'
    echo "$maps"
}

@test "threads of every shape give what pprof reads" {
    pool >threads
    expect 0 prof2pb --no-symbols threads -o o.pb.gz
    [ -z "$stderr" ]
    run pprof_samples o.pb.gz
    same 'thread/count
          1: 1 2
          3: 3 4 5
          1: 3 6 7 4 5 8
Locations
     1: 0x401010 M=1
     2: 0x40200f M=1
     3: 0x401020 M=1
     4: 0x40102f M=1
     5: 0x40201f M=1
     6: 0x7f000000000f M=2
     7: 0x7f000000001f M=2
     8: 0x40202f M=1'
    same_as_pprof threads
}

@test "a file may begin with a thread, and after comments" {
    { printf '# text\n\n'; thread a/1 'PC: 0x401010'; echo "$maps"; } >threads
    same_as_pprof threads
    pprof_samples ours.pb.gz | grep -qx '          1: 1'
    # Frames that are numbered are no comments.
    { thread a/1 '#0 0x401010 in f ()' '#1 0x402010 in g ()'
      echo "$maps"; } >threads
    same_as_pprof threads
    pprof_samples ours.pb.gz | grep -qx '          1: 1 2'
    { echo '--- threadz 1 ---'; echo 'Taken at 0x10 today'; echo
      thread a/1 'PC: 0x401010'; echo "$maps"; } >threads
    same_as_pprof threads
    pprof_samples ours.pb.gz | grep -qx '     1: 0x401010 M=1'
}

@test "a second frame that repeats the leaf is taken out, as pprof does" {
    { thread a/1 'PC: 0x401010 0x401010 0x402010'
      thread b/2 'PC: 0x401010 0x401011 0x402010'; echo "$maps"; } >threads
    same_as_pprof threads
    pprof_samples ours.pb.gz | grep -c ': 1 [12]' | grep -qx 2
}

@test "threads of no stack at the end are as with pprof" {
    { thread a/1 'PC: 0x401010'
      echo '---- no stack trace for 3 threads: 17, 18, 19'
      echo "$maps"; } >threads
    expect 0 prof2pb --no-symbols threads -o o.pb.gz
    same_err "prof2pb: threads: warning: line 3: '---- no stack trace for 3 threads: 17, 18, 19' is all the file contains about these threads"
    same_as_pprof threads
}

@test "names are those of the file, which pprof drops" {
    pool >threads
    prof2pb -q threads -o o.pb.gz
    pprof_samples o.pb.gz >ours
    grep -qx '     [0-9]*: 0x401010 M=1 helper(arg \*) :0.*' ours
    grep -qx '     [0-9]*: 0x40200f M=1 main :0.*' ours
    pprof_samples threads >theirs
    run grep -c helper theirs
    [ "$output" = 0 ]
}

@test "--per-thread labels samples with name and number" {
    pool >threads
    prof2pb --no-symbols --per-thread threads -o o.pb.gz
    go_pprof -raw o.pb.gz | sed -n 's/^ *\(thread.*:\[.*\)$/\1/p' >labels
    diff -u - <(sed 's/ *$//' labels | sort) <<'END'
thread:[io/disk]
thread:[main]
thread:[worker]
thread:[worker]
thread:[worker]
thread_id:[14748]
thread_id:[14751]
thread_id:[14752]
thread_id:[14759]
thread_id:[14760]
END
    pprof_totals o.pb.gz | grep -qx 'thread/count 5'
    # Without labels they are the samples of the others.
    prof2pb --no-symbols threads -o plain.pb.gz
    pbfilter --taghide=. o.pb.gz | cmp - plain.pb.gz
}

@test "a thread without a stack is one, where pprof counts another again" {
    { thread a/1 'PC: 0x401010'; thread b/2 '-'; echo "$maps"; } >threads
    expect 0 prof2pb --no-symbols threads -o o.pb.gz
    same_err 'prof2pb: threads: warning: 1 thread without a stack kept as a sample without frames'
    pbcat --raw o.pb.gz | sed -n '/^Samples/,/^Loc/p' | grep -c '^  *1: ' |
        grep -qx 2
    pprof_samples threads | grep -qx '          2: 1'
}

@test "threads after those of no stack are read, where pprof stops" {
    { thread a/1 'PC: 0x401010'; echo '---- no stack trace for 2 threads'
      thread b/2 'PC: 0x402010'; echo "$maps"; } >threads
    prof2pb -q --no-symbols threads -o o.pb.gz
    pprof_totals o.pb.gz | grep -qx 'thread/count 2'
    pprof_totals threads | grep -qx 'thread/count 1'
}

@test "a number in a name is no address, where pprof takes it for one" {
    { thread a/1 'PC: 0x401010: f<0x99>()' '0x402010: main'
      echo "$maps"; } >threads
    prof2pb --no-symbols threads -o o.pb.gz
    pprof_samples o.pb.gz | sed 1d | head -n 1 | grep -qx '          1: 1 2'
    pprof_samples threads | grep -q ': 0x98'
}

@test "a file without mappings is read, where pprof refuses it" {
    thread a/1 'PC: 0x401010' >threads
    expect 0 prof2pb --no-symbols threads -o o.pb.gz
    same_err 'prof2pb: threads: warning: no list of mappings'
    pprof_totals o.pb.gz | grep -qx 'thread/count 1'
    pprof_refuses threads 'unrecognized profile format'
}

@test "mappings may come as in heap profiles, which pprof refuses" {
    { thread a/1 'PC: 0x401010'
      echo "$maps" | sed 's/^---.*/MAPPED_LIBRARIES:/'; } >threads
    expect 0 prof2pb --no-symbols threads -o o.pb.gz
    [ -z "$stderr" ]
    pprof_samples o.pb.gz | grep -qx '     1: 0x401010 M=1'
    pprof_refuses threads 'unrecognized profile format'
}

@test "what is no thread is an error that names the line" {
    { thread a/1 'PC: 0x401010'; echo '--- What ---'; echo "$maps"; } >threads
    expect 3 prof2pb -o out threads
    same_err "prof2pb: threads: line 3: '--- What ---' is not the first line of a thread"
    [ ! -e out ]
    pprof_refuses threads 'unrecognized profile format'
}

@test "a profile behind the mappings of another is added to it" {
    pool >a
    { thread other/9 'PC: 0x401010' && echo "$maps"; } >b
    cat a b a >abc
    expect 0 prof2pb --no-symbols abc -o o.pb.gz
    same_err 'prof2pb: abc: warning: the file contains 3 profiles; they are added'
    prof2pb --no-symbols a b a | cmp - o.pb.gz
    run pprof_totals o.pb.gz
    same 'thread/count 11'
    # pprof reads the first, and says nothing.
    go_pprof -proto -output=theirs.pb.gz abc
    run pprof_totals theirs.pb.gz
    same 'thread/count 5'
}
