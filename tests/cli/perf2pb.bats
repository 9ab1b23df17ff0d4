# perf2pb: recordings of Linux perf. perf.data is a fixture; others are recorded
# here, and perf script says what is in them.

load helper
load perf

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    make_work
    cp work stripped
    strip -s stripped
    perf record -q -N -e cpu-clock:u -F 1500 -g -o work.data ./work || true
}

# Records the program with these options.
record() { # FILE OPTION...
    needs_perf
    perf record -q -N -F 1500 -o "$@" -- "$BATS_FILE_TMPDIR/work"
}

recorded() {
    needs_perf
    cp "$BATS_FILE_TMPDIR"/work.data .
}

# The stacks by name, folded, with periods.
script_folded() { # FILE
    perf script -f --no-inline -i "$1" -F period,ip,sym 2>script.err |
        perl -ne '
            if (/^\t\s*[0-9a-f]+ (.*?)\s*$/) { unshift @frames, $1 }
            elsif (/^\s*(\d+)/) { $period = $1 }
            elsif (@frames) { $sum{join ";", @frames} += $period; @frames = () }
            END { $sum{join ";", @frames} += $period if @frames;
                  print "$_ $sum{$_}\n" for sort keys %sum }'
}

# Folded stacks from main on: its callers in libc have names only where libc's
# debug symbols are installed.
below_main() {
    sed -n 's/^.*;main;/main;/p' | sort
}

# The same records a number of times, in one file.
repeat() { # FILE TIMES
    perl -e 'local $/; my $k = pop; $_ = <>;
        my ($at, $n, $bits) = unpack "x40 Q2 x16 b256";
        my ($head, $data) = (substr($_, 0, $at), substr $_, $at, $n);
        substr($head, 48, 8) = pack "Q", $k * $n;
        print $head;
        print $data for 1 .. $k;
        my $tail = substr $_, $at + $n;
        for my $i (0 .. ($bits =~ tr/1//) - 1) {
            substr($tail, 16 * $i, 8) = pack "Q",
                ($k - 1) * $n + unpack "Q", substr $tail, 16 * $i, 8;
        }
        print $tail' "$1" "$2"
}

@test "the fixture: value types, mappings, comments, time" {
    fixture perf.data a.out
    expect 0 perf2pb --path=. -o out.pb.gz perf.data
    [ -z "$stderr" ]
    expect 0 pprof_totals out.pb.gz
    same 'cpu-clock:u_sample/count 245
cpu-clock:u_event/nanoseconds 980000000'
    expect 0 pbcat -n 1 --unit=s out.pb.gz
    [[ $output = *'Total samples = 0.98s '* ]]
    expect 0 pbcat --comments out.pb.gz
    same 'perf-command:/usr/bin/perf record -q -N -e cpu-clock:u -F 250 -g -k CLOCK_MONOTONIC -o perf.data ./a.out
perf-version:6.1.192'
    expect 0 pbcat --raw out.pb.gz
    [[ $output = *$'\n1: 0x'*'/src/'*'a.out 28b9c78da183391df5986f170b6e8df0b46f9306 '* ]]
    expect 0 pbcat -n 2 --compact-labels out.pb.gz
    [[ $output = *' checksum'*' Mutex_lock'* ]]
}

@test "call chains are those of perf script" {
    recorded
    same_chains work.data
}

@test "functions are those of perf script" {
    recorded
    script_folded work.data | below_main >wanted
    perf2pb --no-inlines work.data | pbcat --folded | below_main >got
    grep -q '^main;deep;deep;deep;leaf ' got
    grep -v '\[unknown\]' wanted >wanted.main
    grep '^main;' got >got.main
    [ "$(wc -l <wanted.main)" -ge 4 ]
    diff -u wanted.main got.main
}

@test "--no-symbols, and pbsym later, give the same" {
    recorded
    perf2pb -o now.pb.gz work.data
    perf2pb --no-symbols work.data | pbsym -o later.pb.gz
    cmp now.pb.gz later.pb.gz
    perf2pb --no-symbols work.data | pbsym --symtab-only -o later.pb.gz
    perf2pb --symtab-only -o now.pb.gz work.data
    cmp now.pb.gz later.pb.gz
    pbcat --folded now.pb.gz >folded
    grep -q ';deep;leaf ' folded
    expect 0 pbcat --raw now.pb.gz
    [[ $output != *work.c* ]]
    # Also with another name for the program.
    cp "$BATS_FILE_TMPDIR/work" renamed
    perf2pb -e renamed -o now.pb.gz work.data
    perf2pb --no-symbols -e renamed -o later.pb.gz work.data
    [[ $(pbcat -n 1 later.pb.gz) = 'File: renamed'* ]]
    pbsym later.pb.gz | cmp - now.pb.gz
}

@test "kernel and user, several events, groups that are read together" {
    record two.data -e cpu-clock,task-clock -g
    same_chains two.data
    record group.data -e '{cpu-clock,task-clock,page-faults}:S' -g
    same_chains group.data
}

@test "compressed records, standard input, pipes" {
    record packed.data -e cpu-clock:u -g -z
    same_chains packed.data
    perf2pb -o named.pb.gz --no-symbols packed.data
    perf2pb --no-symbols <packed.data | cmp - named.pb.gz
    # The file is smaller, but not what its records decompress to.
    expect 3 perf2pb --max-size="$(stat -c %s packed.data)" packed.data
    same_err 'perf2pb: packed.data: offset ' ... ': compressed records exceed ' ... ' bytes (see --max-size)'
    record - -e cpu-clock:u -g >pipe.data
    perf2pb --no-symbols pipe.data -o named.pb.gz
    # shellcheck disable=SC2002 # a pipe is meant
    cat pipe.data | perf2pb --no-symbols | cmp - named.pb.gz
    perf script -i - -F period,event,ip,sym <pipe.data 2>/dev/null |
        perl "$ROOT/tests/cli/perf.pl" script >wanted
    pbcat --raw named.pb.gz | perl "$ROOT/tests/cli/perf.pl" raw >got
    [ "$(wc -l <wanted)" -ge 5 ]
    diff -u wanted got
}

@test "compressed files and archives" {
    # More than what is looked at to find out what an entry is.
    recorded
    mv work.data plain.data
    repeat plain.data 50 >work.data
    [ "$(wc -c <work.data)" -gt 80000 ]
    perf2pb --no-symbols -o wanted.pb.gz work.data
    gzip -k work.data
    zstd -q work.data
    tar -cf work.tar work.data
    zip -q work.zip work.data
    echo work.data | cpio -o -H newc --quiet >work.cpio
    tar -czf work.tgz work.data
    tar -cf nested.tar work.data.zst
    local file
    for file in work.data.gz work.data.zst work.tar work.zip work.cpio \
        work.tgz nested.tar; do
        perf2pb --no-symbols "$file" | cmp - wanted.pb.gz
        perf2pb --no-symbols <"$file" | cmp - wanted.pb.gz
    done
    head -c -9 work.data.gz >cut.gz
    expect 3 perf2pb --no-symbols -o none.pb.gz cut.gz
    [ ! -e none.pb.gz ]
    # Entries before and after others, and one that is damaged.
    cp work.data again.data
    echo text | tee other >text
    tar -cf many.tar text work.data other again.data
    pbmerge wanted.pb.gz wanted.pb.gz >sum
    perf2pb -q --no-symbols many.tar | cmp - sum
    perf2pb -q --no-symbols --each -o each/ many.tar
    cmp each/work.data.pb.gz wanted.pb.gz
    cmp each/again.data.pb.gz wanted.pb.gz
    for t in 1 2 5; do
        perf2pb -q --no-symbols -T$t --each -o each.tar many.tar
        tar -xOf each.tar work.data.pb.gz | cmp - wanted.pb.gz
    done
    head -c 70000 work.tar >cut.tar
    expect 3 perf2pb --no-symbols -o none.pb.gz cut.tar
    [[ $stderr = 'perf2pb: cut.tar(work.data): invalid tar data '*'the rest of the archive is not read' ]]
    expect 5 perf2pb -k --no-symbols -o out.pb.gz cut.tar work.data
    cmp out.pb.gz wanted.pb.gz
    expect 3 perf2pb --no-symbols --max-size=70000 -o none.pb.gz work.tar
    same_err 'perf2pb: work.tar(work.data): exceeds 70000 bytes (see --max-size)'
    [ ! -e none.pb.gz ]
}

# Converts a file from a pipe, and fails if much memory is in use when the first
# BYTES of it have been read.
converts_in_little() { # FILE BYTES OUTPUT
    local pid peak
    perf2pb --no-symbols -o "$3" <pipe &
    pid=$!
    {
        head -c "$2" "$1"
        sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" >peak
        tail -c +$(($2 + 1)) "$1"
    } >pipe
    wait $pid
    peak=$(cat peak)
    echo "$1: $peak KiB"
    [ "$peak" -gt 1000 ]
    [ "$peak" -lt 30000 ] || [[ $(nm "$BIN/perf2pb") = *__asan* ]]
}

@test "memory does not grow with a recording, in an archive or not" {
    recorded
    local size kind times
    times=$((120000000 / $(wc -c <work.data)))
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1
    repeat work.data $times >big.data
    size=$(wc -c <big.data)
    [ "$size" -gt 40000000 ]
    mkfifo pipe
    tar -cf big.tar big.data
    zstd -q -1 big.data
    tar -cf big.tar.zst big.data.zst
    for kind in data tar; do
        converts_in_little big.$kind "$size" $kind.pb.gz
    done
    perf2pb --no-symbols big.data | cmp - tar.pb.gz
    perf2pb --no-symbols big.tar.zst | cmp - tar.pb.gz
    [ "$(pprof_totals tar.pb.gz | sed -n 's/.*sample.count //p')" = \
        $((times * $(perf script -f -i work.data -F ip -G | grep -c .))) ]
}

@test "memory does not grow with the output of perf script" {
    recorded
    local size i
    perf script -f --no-inline -i work.data >work.txt 2>/dev/null
    size=$(wc -c <work.txt)
    for ((i = 0; i < 60000000 / size; i++)); do cat work.txt; done >big.txt
    mkfifo pipe
    converts_in_little big.txt 59000000 text.pb.gz
    perf2pb --no-symbols -o one.pb.gz work.txt
    pprof_totals one.pb.gz |
        awk -v n="$i" '{ printf "%s %.0f\n", $1, n * $2 }' >wanted
    pprof_totals text.pb.gz | diff wanted -
    gzip -1 big.txt
    perf2pb --no-symbols big.txt.gz | cmp - text.pb.gz
    # A line has an end.
    head -c 17000000 /dev/zero | tr '\0' x >>work.txt
    expect 3 perf2pb -o none work.txt
    same_err "perf2pb: work.txt: line $(wc -l <work.txt | awk '{ print $1 + 1 }'): longer than 16 MiB"
    [ ! -e none ]
}

@test "directories of perf record --threads" {
    local options
    for options in -z ''; do
        rm -rf work.dir
        # shellcheck disable=SC2086 # an option or none
        record work.dir --threads $options -e cpu-clock:u -g
        [ -s work.dir/data.0 ] || [ -s work.dir/data.1 ]
        same_chains work.dir
        perf script -f -i work.dir -F pid,tid,comm,ip -G |
            sed 's/^ *//; s/ .*//' | sort | uniq -c >wanted
        perf2pb --no-symbols --labels=comm work.dir/ | pbcat --tags \
            --sample_index=cpu-clock:u_sample >tags
        awk '{ print $1, $2 }' wanted | while read -r n name; do
            grep -Eq "^ +$n(\.0)? .*: $name$" tags || {
                echo "$n $name"
                return 1
            }
        done
    done
    # The header alone; what is not such a directory; a part that is missing.
    local header="the samples are not in this file: perf record --threads wrote them to data.0, data.1, ...; convert their directory"
    expect 3 perf2pb work.dir/data
    same_err "perf2pb: work.dir/data: $header"
    tar -cf work.tar work.dir
    expect 3 perf2pb work.tar
    same_err "perf2pb: work.tar(work.dir/data): $header"
    # The end of one of the files is missing.
    local part
    part=$(find work.dir -name 'data.*' -printf '%s %f\n' | sort -n | tail -n 1)
    part=${part#* }
    cp -r work.dir cut.dir
    head -c -3 "work.dir/$part" >"cut.dir/$part"
    expect 0 perf2pb --no-symbols -o cut.pb.gz cut.dir
    same_err "perf2pb: cut.dir: warning: $part: offset " ... ': truncated or damaged record; it and all later records are skipped'
    expect 3 perf2pb <work.dir
    same_err 'perf2pb: (standard input): is a directory'
    rm work.dir/data.*
    expect 3 perf2pb work.dir
    same_err 'perf2pb: work.dir: incomplete directory of perf record --threads: data.0 does not exist'
    # Opening a pipe would wait for someone who writes to it.
    mkfifo work.dir/data.0
    expect 3 timeout 1000 perf2pb work.dir
    same_err 'perf2pb: work.dir: data.0: not a regular file'
    mkdir -p other/data
    expect 3 perf2pb other
    same_err 'perf2pb: other: is a directory'
}

@test "samples that perf lost are a loss" {
    recorded
    # LOST: 7 records, in place of the first record; of a file its size stays.
    perl -e 'local $/; $_ = <>; my ($at, $n) = unpack "x40 Q2";
        my $lost = pack "LSSQQ", 2, 0, 24, 0, 7;
        substr($_, 48, 8) = pack "Q", $n + 24;
        my ($end, $bits) = ($at + $n, unpack "x72 b256");
        my $rows = $bits =~ tr/1//;
        for my $i (0 .. $rows - 1) {
            my $row = $end + 16 * $i;
            substr($_, $row, 8) = pack "Q", 24 + unpack "Q", substr $_, $row;
        }
        substr($_, $at, 0) = $lost; print' work.data >lost.data
    perf report -f --stats -i lost.data 2>/dev/null |
        grep -Eq 'LOST events: +1 '
    expect 3 perf2pb --no-symbols --strict -o none lost.data
    same_err 'perf2pb: lost.data: perf lost 7 records while recording (use a lower -F or a larger -m) (an error with --strict)'
    [ ! -e none ]
    expect 0 perf2pb --no-symbols -o out.pb.gz lost.data
    same_err 'perf2pb: lost.data: warning: perf lost 7 records while recording (use a lower -F or a larger -m)'
    expect 1 pbcat --check out.pb.gz
    [[ $output = *"is 'incomplete: "*"[incomplete]"* ]]
    # Each process lacks them.
    perf2pb -q --no-symbols --each=process -o each/ lost.data
    local file
    for file in each/*; do
        pbcat --comments "$file" | grep -q '^incomplete: .*lost 7 records'
    done
}

@test "recordings joined by cat are refused" {
    recorded
    local size
    size=$(wc -c <work.data)
    cat work.data work.data >joined.data
    expect 3 perf2pb --no-symbols -o none joined.data
    same_err "perf2pb: joined.data: offset $size: another recording follows: several files joined by cat? Convert them as separate files"
    # shellcheck disable=SC2002 # a pipe is meant
    expect 3 bash -c 'cat joined.data | perf2pb --no-symbols -o none'
    [[ $stderr = *"offset $size: another recording follows"* ]]
    record - -e cpu-clock:u -g >pipe.data
    size=$(wc -c <pipe.data)
    cat pipe.data pipe.data >joined.data
    expect 3 perf2pb --no-symbols -o none joined.data
    [[ $stderr = *"offset $size: another recording follows"* ]]
    [ ! -e none ]
}

@test "several recordings add up" {
    recorded
    perf2pb --no-symbols -o one.pb.gz work.data
    pbmerge one.pb.gz one.pb.gz >wanted
    cp work.data again.data
    perf2pb --no-symbols work.data again.data | cmp - wanted
}

@test "the output of perf script" {
    recorded
    perf script -f --no-inline -i work.data >work.txt 2>/dev/null
    script_folded work.data | below_main >wanted
    expect 0 perf2pb --labels=tid,event -o out.pb.gz work.txt
    [ -z "$stderr" ]
    pbcat --folded out.pb.gz | below_main | diff -u wanted -
    perf2pb --no-symbols -o data.pb.gz work.data
    pprof_totals data.pb.gz >wanted
    pprof_totals out.pb.gz | diff wanted -
    # Without call chains; without time; with blanks in names.
    printf '%s\n' '# comment' '' \
        'a b  12/13 [001]  5.000001:  7 cycles:u:  12ab f(int, char)+0x1 (/bin/a b)' \
        'a b  12/13 [001]  6.000001:  8 cycles:u:  12ab f(int, char)+0x2 (/bin/a b)' \
        >flat.txt
    expect 0 bash -c 'perf2pb --labels=pid,tid,cpu,comm flat.txt | pbcat --raw'
    [[ $output = *'cycles:u_sample/count cycles:u_event/count[dflt]
          2         15: 1 
                comm:a b cpu:1 pid:12 tid:13'* ]] ||
        [[ $output = *'comm:'*'a b'* && $output = *' f(int, char) '* ]]
    expect 0 perf2pb --labels=pid,process_comm -o none.pb.gz flat.txt
    same_err 'perf2pb: flat.txt: warning: no sample has the label process_comm: the recording lacks its values (see --labels in perf2pb(1))'
    expect 0 perf2pb --time=6, -o one.pb.gz flat.txt
    [ -z "$stderr" ]
    [ "$(pprof_totals one.pb.gz)" = $'cycles:u_sample/count 1\ncycles:u_event/count 8' ]
    expect 0 perf2pb --pid=99 -o none.pb.gz flat.txt
    same_line 0 'perf2pb: flat.txt: warning: none of 2 samples match --pid'
    perf2pb -o out.pb.gz flat.txt
    expect 0 perf2pb -e /bin/sh -o same.pb.gz flat.txt
    same_err 'perf2pb: flat.txt: warning: --executable has no effect on the output of perf script: it already has symbols'
    cmp out.pb.gz same.pb.gz
    expect 3 perf2pb --event=cycles:k -o none flat.txt
    same_err "perf2pb: flat.txt: no event 'cycles:k'"
    # The first record is none of a sample (--show-switch-events).
    { echo 'a b  12/13 [001]  4.900000: PERF_RECORD_SWITCH IN' && cat flat.txt; } |
        perf2pb | cmp out.pb.gz -
    printf 'cycles: \n\t 10 g (inlined)\n\t 10 f+0x1 (/bin/a)\n\t 20 [unknown] (/bin/a)\n\n' |
        perf2pb | pbcat --folded >folded
    grep -q ';f;g 1$' folded
}

@test "perf script -F +misc, +srcline, and without frames" {
    # The mode of the processor belongs to no name.
    printf '%s\n' 'a b  12/13 [001] K  5.000001:  7 cycles:u:  12ab f+0x1 (/a)' \
        '  a.c:7' \
        'a b  12/13 [001] U  6.000001:  8 cycles:u:  12ab f+0x1 (/a)' \
        '  ??:0' 'K  12/13 [001]  7.000001:  9 cycles:u:  12ab f+0x1 (/a)' \
        '  a.c:7' >misc
    expect 0 bash -c 'perf2pb -v --labels=pid,tid,cpu,comm misc | pbcat --jsonl'
    [[ $stderr = *'misc: note: 3 lines skipped: not frames'* ]]
    diff -u <(echo "$output" | sed 's/.*"cycles:u_event/"cycles:u_event/') - <<'EOF'
"cycles:u_event/count":9},"label":[{"key":"comm","str":"K"},{"key":"cpu","num":1,"num_unit":"cpu"},{"key":"pid","num":12,"num_unit":""},{"key":"tid","num":13,"num_unit":""}],"stack":["f"]}
"cycles:u_event/count":15},"label":[{"key":"comm","str":"a b"},{"key":"cpu","num":1,"num_unit":"cpu"},{"key":"pid","num":12,"num_unit":""},{"key":"tid","num":13,"num_unit":""}],"stack":["f"]}
EOF
    # perf script -F +period omits the frames of tracepoints.
    printf 'a 12 [001]  %s.000001:  1 sched:sched_switch: prev_comm=a\n' \
        5 6 7 >bare
    expect 0 perf2pb -o out.pb.gz bare
    same_err 'perf2pb: bare: warning: no frames in 3 of 3 samples: run perf script with -F +ip,+sym,+dso'
    # Without the time (-F -time).
    sed 's/ [0-9.]*:  1 /  1 /' bare >timeless
    expect 0 perf2pb -q -o same.pb.gz timeless
    [ "$(pprof_totals same.pb.gz)" = "$(pprof_totals out.pb.gz)" ]
    # With these, and without call chains, it appends them to the data.
    sed "s,\$,$(printf ' %16s %s' 12ab 'f+0x1 (/a)')," bare >framed
    sed "s,\$,$(printf ' %16s %s' ffffffff81000012 'g ([kernel])')," bare |
        head -n 1 >>framed
    expect 0 bash -c 'perf2pb framed | pbcat --folded'
    [ -z "$stderr" ]
    [ "$output" = $'f 3\ng 1' ]
}

# 127 frames are the default limit of perf script, and of the kernel.
@test "long stacks of perf script" {
    stack() { # FRAMES
        echo 'deep 7 1.5: 1 cycles:'
        seq "$1" | sed 's,.*,\t &00 f+0x0 (/bin/deep),'
        echo
    }
    { stack 127; for i in {1..99}; do stack 126; done; } >few.txt
    expect 0 perf2pb --strict -o few.pb.gz few.txt
    expect 0 perf2pb -o out.pb.gz <(stack 127; cat few.txt)
    same_err 'perf2pb: /dev/fd/63: warning: callers may be missing from 2 of 101 samples: stacks end at 127 frames, the default limit of the kernel (sysctl kernel.perf_event_max_stack) and of perf script (--max-stack)'
    [[ $(pbcat --comments out.pb.gz) = 'incomplete: callers may be missing from 2 of 101 samples: '* ]]
    [ -z "$(pbcat --comments few.pb.gz)" ]
    stack 127 >one.txt
    expect 3 perf2pb -q --strict -o none one.txt
    # Longer ones show that it was not the limit.
    expect 0 perf2pb --strict -o out.pb.gz <(stack 127; stack 128)
    expect 0 perf2pb --max-stack=3 -q -o out.pb.gz one.txt
    pbcat --json out.pb.gz | jq -e '.sample[0].location | length == 3'
    expect 2 perf2pb --max-stack=0 one.txt
}

@test "--flat is the leaf of each stack" {
    recorded
    expect 0 perf2pb --flat --no-symbols -o flat.pb.gz work.data
    expect 0 perf2pb --max-stack=1 --no-symbols -o leaf.pb.gz work.data
    cmp <(pbcat --raw flat.pb.gz) <(pbcat --raw leaf.pb.gz)
    pbcat --json flat.pb.gz | jq -e 'all(.sample[]; .location | length == 1)'
    # Of an inlined function, the frames that are one location stay.
    printf '%s\n' 'a 7 1.5: 1 cycles:' $'\t10 f+0x0 (inlined)' \
        $'\t10 g+0x0 (/bin/a)' $'\t20 h+0x0 (/bin/a)' '' >one.txt
    expect 0 perf2pb --flat -o flat.pb.gz one.txt
    [ "$(pbcat --folded flat.pb.gz)" = 'g;f 1' ]
    expect 0 perf2pb --flat --no-symbols --max-stack=3 -o flat.pb.gz one.txt
    same_line 0 'perf2pb: warning: --max-stack has no effect with --flat'
}

# switches.data: a recording of threads that run at the same time, on a machine
# with three processors.  Lines of standard input: TIME in|out|exit, or
# TIME ADDRESS PERIOD for a sample.  Records are not in order of time.
make_switches() { # [FLAGS of the event]
    perl -e '
        my $flags = shift // 1 << 18 | 1 << 26;
        sub record { my ($type, $misc, $body) = @_;
            pack("LSS", $type, $misc, 8 + length $body) . $body }
        my ($samples, $others) = ("", "");
        while (<STDIN>) {
            chomp;
            my ($time, $what, $period) = split;
            my $end = pack "L2Q", 7, 7, $time;
            if (defined $period) {
                $samples .= record(9, 2, pack "QL2Q2", hex $what, 7, 7, $time,
                    $period);
            } elsif ($what eq "exit") {
                $others = record(4, 0, pack("L4Q", 7, 7, 7, 7, $time) . $end) .
                    $others;
            } else {
                $others = record(14, $what eq "out" ? 1 << 13 : 0, $end) .
                    $others;
            }
        }
        my $data = $samples . $others;
        print pack("a8Q8Cx31", "PERFILE2", 104, 128, 104, 128, 232, length $data,
                0, 0, 1 << 7),
            pack("L2Q5x64Q2", 1, 112, 0, 1000, 0x107, 0, $flags, 0, 0), $data,
            pack("Q2L2", 232 + 16 + length $data, 8, 3, 3)' "$@" >switches.data
}

@test "--latency: time in which several threads run counts once" {
    make_switches <<'END'
10 100 900
20 in
30 100 100
31 200 101
40 in
50 200 200
51 200 200
52 100 300
60 out
70 200 100
80 exit
90 200 10
100 in
101 in
102 in
110 200 30
120 out
121 out
122 out
123 out
124 out
130 200 7
END
    # 900 + 100/2 + 300/3; 101/2 + 2 * 200/3 + 100/2 + 10, then not 4 but 3
    # processors, and at least one thread: 30/3 + 7.
    expect 0 perf2pb --latency --no-symbols --labels=parallelism -o out.pb \
        switches.data
    [ -z "$stderr" ]
    expect 0 bash -c 'pbcat --json out.pb | jq -r ".sample_type[].type"'
    same 'cpu-clock_sample
cpu-clock_event
cpu-clock_latency'
    # perf 7.3 prints the same shares: 80.10% and 19.90%.
    expect 0 bash -c 'pbcat --addresses --sample-index=cpu-clock_event \
        --ratio=cpu-clock_latency --format=tsv out.pb | cut -f 3,4,10'
    same $'name\tflat\tcpu-clock_latency/nanoseconds
0000000000000100 <unknown>\t1300\t1050
0000000000000200 <unknown>\t648\t261'
    expect 0 bash -c 'pbcat --tags --sample-index=cpu-clock_event --format=tsv \
        out.pb | cut -f 3,6'
    same $'name\tcum\n1\t917\n3\t730\n2\t301'
    # It is the default of reports.
    expect 0 pbcat --addresses --compact-labels -n 1 --unit=ns out.pb
    [[ $output = *'Showing nodes accounting for 1050ns, 80.09% of 1311ns total'* ]]
    # Parts of the recording have the same values.
    perf2pb --latency --no-symbols --time=0.00000005,0.000000055 switches.data |
        pbcat --unit=ns --compact-labels >part
    grep -q 'of 233ns total' part
    # Recordings are added up.
    expect 0 bash -c 'perf2pb --latency --no-symbols switches.data switches.data |
        pbcat --compact-labels --unit=ns'
    [[ $output = *'of 2622ns total'* ]]
}

@test "--latency needs context switches" {
    make_switches $((1 << 18)) <<<'10 100 900'
    expect 3 perf2pb --latency --no-symbols switches.data
    same_err 'perf2pb: switches.data: --latency: the recording has no context switches; record with perf record --latency or --switch-events'
    expect 0 perf2pb --labels=parallelism --no-symbols -o out.pb switches.data
    same_err 'perf2pb: switches.data: warning: no sample has the label parallelism: the recording lacks its values (see --labels in perf2pb(1))'
    make_switches <<<"10 100 $((1 << 60))"
    expect 0 perf2pb --no-symbols -o out.pb switches.data
    expect 3 perf2pb --latency --no-symbols switches.data
    same_err 'perf2pb: switches.data: --latency: a period exceeds 53 bits'
    printf '%s\n' 'a 7 1.5: 1 cycles:' $'\t10 f+0x0 (/bin/a)' '' >one.txt
    expect 3 perf2pb --latency one.txt
    same_err 'perf2pb: one.txt: --latency: the output of perf script has no context switches; convert the perf.data file'
}

@test "labels and filters" {
    recorded
    perf2pb --no-symbols --labels=pid,tid,comm,process_comm,event,execution_mode \
        -o out.pb.gz work.data
    expect 0 pbcat --tags out.pb.gz
    [[ $output = *' worker'* && $output = *' Host User'* ]]
    [[ $output = *' cpu-clock:u'* ]]
    local pid samples
    pid=$(perf script -f -i work.data -F pid 2>/dev/null | sort -n | uniq -c |
        sort -rn | awk 'NR == 1 { print $2 }')
    samples=$(perf script -f -i work.data --pid "$pid" -F pid,ip -G |
        grep -c .)
    perf2pb --no-symbols --pid="$pid" work.data >of_pid
    pprof_totals of_pid | grep -qx "cpu-clock:u_sample/count $samples"
    samples=$(perf script -f -i work.data --comm worker -F pid,ip -G |
        grep -c .)
    perf2pb --no-symbols --comm=worker work.data >of_comm
    pprof_totals of_comm | grep -qx "cpu-clock:u_sample/count $samples"
    # The label is of the thread, too; that of its process is another.
    for key in comm=worker process_comm=work; do
        pbfilter --tagfocus="$key" -o of_label out.pb.gz
        pprof_totals of_label | grep -qx "cpu-clock:u_sample/count $samples"
        samples=$(perf script -f -i work.data -F ip -G | grep -c .)
    done
    expect 0 perf2pb --no-symbols --labels=tid,cgroup -o none.pb.gz work.data
    same_err 'perf2pb: work.data: warning: no sample has the label cgroup: the recording lacks its values (see --labels in perf2pb(1))'
    # A comma does not separate names.
    expect 0 perf2pb --no-symbols --comm=worker,main -o none.pb.gz work.data
    [[ $stderr = *"none of $samples samples match --comm"* ]]
    # The second half by time.
    local from
    from=$(perf script -f -i work.data -F time,ip -G | sed 's/:.*//' |
        sort | awk '{ t[NR] = $1 } END { print t[int(NR / 2)] }')
    samples=$(perf script -f -i work.data -F time,ip --time "$from," -G |
        grep -c .)
    perf2pb --no-symbols --time="$from," work.data >of_time
    pprof_totals of_time | grep -qx "cpu-clock:u_sample/count $samples"
}

@test "--event, and events that do not exist" {
    record two.data -e cpu-clock:u,task-clock:u
    perf2pb --no-symbols --event=task-clock:u two.data >of_event
    [[ $(pprof_totals of_event) != *cpu-clock* ]]
    expect 3 perf2pb --no-symbols --event=cycles two.data
    same_err 'perf2pb: two.data: no event '\''cycles'\''; the recording has cpu-clock:u, task-clock:u'
}

@test "--each=process writes a profile for each process" {
    recorded
    perf2pb --no-symbols --each=process -o each/ work.data
    perf2pb --no-symbols -o all.pb.gz work.data
    perf script -f -i work.data -F pid,ip -G | awk '{ print $1 }' |
        sort -u >pids
    printf '%s\n' each/* | sed 's/.*data\.//; s/\.pb\.gz//' | sort |
        diff pids -
    pprof_totals all.pb.gz >wanted
    pbmerge -q -o sum.pb.gz each/*
    pprof_totals sum.pb.gz | diff wanted -
}

@test "--each=process of the output of perf script" {
    recorded
    perf script -f --no-inline -i work.data -F +pid >work.txt 2>/dev/null
    perf2pb --no-symbols -o all.pb.gz work.txt
    perf2pb --each=process -o each/ work.txt
    perf script -f -i work.data -F pid,ip -G | awk '{ print $1 }' | sort |
        uniq -c | awk '{ print $2, $1 }' >wanted
    local file
    for file in each/work.txt.*.pb.gz; do
        echo "$(cut -d. -f3 <<<"$file")" \
            "$(pprof_totals "$file" | sed -n 's/.*sample.count //p')"
    done | sort | diff wanted -
    pbmerge -q each/* | pbcat --folded | sort >got
    pbcat --folded all.pb.gz | sort | diff - got
    # Without the number of the process, as perf script prints by default.
    perf script -f -i work.data >work.txt 2>/dev/null
    expect 3 perf2pb --each=process -o none/ work.txt
    [[ $stderr = 'perf2pb: work.txt: line '*': no process ID, which --each=process requires: run perf script with -F +pid' ]]
}

@test "--each=process warns of the same once" {
    recorded
    perf2pb --no-symbols --each=process -o each/ work.data
    [ "$(printf '%s\n' each/* | wc -l)" -ge 2 ]
    # The program is gone, and all of its processes lack it.
    perf2pb --no-symbols --labels=pid -o all.pb.gz work.data
    perl -pe "s|\Q$BATS_FILE_TMPDIR/work\E(?=\0)|'/' . 'x' x (length(\$&) - 1)|ge" \
        work.data >gone.data
    expect 0 perf2pb --each=process -o gone/ gone.data
    [ "$(grep -c '^perf2pb: gone.data: warning: /xx*: no function names for' \
        <<<"$stderr")" = 1 ]
    grep -q '^perf2pb: warning: 1 more profile: .*/xx*: no function names for' \
        <<<"$stderr"
}

@test "a kernel whose build ID is not known" {
    grep -qv '^0* ' /proc/kallsyms ||
        skip 'this user sees no addresses in /proc/kallsyms'
    needs_perf -e cpu-clock:k
    record_kernel() {
        perf record -q "$@" -e cpu-clock:k -F 2000 -o - \
            dd if=/dev/zero of=/dev/null bs=1k count=400000 2>/dev/null
    }
    names_of_script() { # FILE: that out.pb.gz has them
        perf script -i - -F ip,sym <"$1" | awk '{ print $2 }' | sort -u >wanted
        pbcat --folded out.pb.gz | sed 's/ [0-9]*$//' | sort -u >got
        # Several functions may have one address, of which each shows one.
        [ "$(comm -12 wanted got | wc -l)" -ge \
            $((($(wc -l <wanted) + 1) / 2)) ]
    }
    # Host, release and address of a symbol say that this kernel was recorded.
    record_kernel --no-buildid-mmap >here.data
    expect 0 perf2pb -o out.pb.gz here.data
    [[ $stderr != *'build ID of the kernel'* ]]
    names_of_script here.data
    perf2pb --no-symbols here.data | pbsym -q | cmp - out.pb.gz
    # Another host, release or address.
    local change
    for change in "s/\Q$(uname -n)\E(?=\0)/'x' x length(\$&)/ge" \
        "s/\Q$(uname -r)\E(?=\0)/'x' x length(\$&)/ge" \
        's/.{8}(?=\[kernel.kallsyms\])/pack "Q", 0xffffffff80000040/se'; do
        perl -0777 -pe "$change" here.data >pipe.data
        ! cmp -s here.data pipe.data || false
        expect 0 perf2pb -o out.pb.gz pipe.data
        [[ $stderr = 'perf2pb: pipe.data: warning: [kernel.kallsyms]_text: no function names for 100% of cpu-clock:k_event ('*': the build ID of the kernel is not known; use --kallsyms or --vmlinux; perf record --buildid-mmap records it' ]]
    done
    record_kernel --buildid-mmap >pipe.data
    expect 0 perf2pb -o out.pb.gz pipe.data
    [[ $stderr != *'build ID of the kernel'* ]]
    names_of_script pipe.data
    # On another machine, with a copy of the list.
    cat /proc/kallsyms >listing
    perl -0777 -pe "s/\Q$(uname -n)\E(?=\0)/'x' x length(\$&)/ge" \
        here.data >pipe.data
    expect 0 perf2pb --kallsyms=listing -o out.pb.gz pipe.data
    [[ $stderr != *'build ID of the kernel'* ]]
    names_of_script here.data
}

@test "recordings that were killed or cut" {
    recorded
    perf2pb --no-symbols work.data >whole
    # Killed: without the size of the data, and what follows them.
    perl -e 'local $/; $_ = <>; my ($at, $n) = unpack "x40 Q2";
        substr($_, 48, 8) = "\0" x 8; print substr($_, 0, $at + $n)' \
        work.data >killed.data
    expect 0 perf2pb --no-symbols -o killed killed.data
    same_err 'perf2pb: killed.data: warning: the header has no data size: perf record was killed; build IDs and names of events may be missing' ...
    # perf names the event after its attributes, too.
    [ "$(perf evlist -f -i killed.data 2>err)" = cpu-clock:uH ]
    pprof_totals killed | grep -q '^cpu-clock:uH_event/nanoseconds '
    # Within its records: some processors make thousands, others hundreds.
    perl -e 'local $/; $_ = <>; my ($at, $n) = unpack "x40 Q2";
        print substr($_, 0, $at + int($n / 2) + 3)' work.data >cut.data
    expect 0 perf2pb --no-symbols -o cut cut.data
    same_err 'perf2pb: cut.data: warning: offset ' ... ': truncated or damaged record; it and all later records are skipped' ...
    expect 3 perf2pb --strict --no-symbols -o none cut.data
    [ ! -e none ]
    # The third record is larger than what is left of the data.
    local at
    at=$(perl -e 'local $/; $_ = <>; my ($at) = unpack "x40 Q";
        $at += unpack "v", substr $_, $at + 6 for 1, 2; print $at' work.data)
    perl -e 'local $/; my $at = pop; $_ = <>; my ($data) = unpack "x40 Q";
        substr($_, 48, 8) = pack "Q", $at - $data + 60000;
        substr($_, $at + 6, 2) = "\xff\xff"; print' work.data "$at" >damaged.data
    expect 0 perf2pb --no-symbols -o damaged damaged.data
    same_err "perf2pb: damaged.data: warning: offset $at: truncated or damaged record; it and all later records are skipped" ...
    head -c 100 work.data >cut.data
    expect 3 perf2pb --no-symbols -o none cut.data
    [ ! -e none ]
}

# Sizes in a file are not believed: no memory is allocated for them.
@test "sections that are larger than the file" {
    recorded
    perf2pb --no-symbols -o whole work.data
    perl -e 'local $/; $_ = <>; my ($at, $n) = unpack "x40 Q2";
        substr($_, $at + $n + 8, 8) = pack "Q", 1 << 60; print' \
        work.data >section.data
    expect 0 perf2pb --no-symbols -o out section.data
    same_err "perf2pb: section.data: warning: offset $(wc -c <section.data): unexpected end of file in a feature section: build IDs and names may be missing"
    # Without its name, the event has the one that perf script gives it.
    pprof_totals out | sed 's/^cpu-clock:uH_/cpu-clock:u_/' >totals
    diff totals <(pprof_totals whole)
    perl -e 'local $/; $_ = <>; substr($_, 40, 8) = pack "Q", 1 << 60; print' \
        work.data >header.data
    expect 3 perf2pb --no-symbols -o none header.data
    same_err "perf2pb: header.data: offset $(wc -c <header.data): unexpected end of file in the header"
}

# As perf inject writes a file of a pipe: features, ids and attributes come last.
@test "attributes that follow the data" {
    recorded
    perf2pb --no-symbols -o whole work.data
    perl -e 'local $/; $_ = <>;
        my ($entry, $attrs, $n, $data) = unpack "x16 Q4";
        for (my $at = $attrs; $at < $attrs + $n; $at += $entry) {
            my ($ids, $k) = unpack "Q2", substr $_, $at + $entry - 16, 16;
            substr($_, $at + $entry - 16, 8) = pack "Q", length;
            $_ .= substr $_, $ids, $k;
        }
        substr($_, 24, 8) = pack "Q", length;
        $_ .= substr $_, $attrs, $n;
        substr($_, 104, $data - 104) = "\xff" x ($data - 104);
        print' work.data >last.data
    expect 0 perf2pb --no-symbols -o out last.data
    [ -z "$stderr" ]
    cmp whole out
    gzip -k last.data
    perf2pb --no-symbols -o out last.data.gz
    cmp whole out
    expect 3 perf2pb --no-symbols < <(cat last.data)
    same_err "perf2pb: (standard input): the event attributes follow the data, so the file cannot be read from a pipe or an archive"
    head -c -1 last.data >cut.data
    expect 3 perf2pb --no-symbols cut.data
    same_err "perf2pb: cut.data: invalid header: no event attributes"
}

# The record of the kernel's mapping, with a length of one page.
@test "code of the kernel behind its mapping" {
    grep -qv '^0* ' /proc/kallsyms ||
        skip 'this user sees no addresses in /proc/kallsyms'
    needs_perf -e cpu-clock:k
    perf record -q -e cpu-clock:k -F 2000 -g -o kernel.data \
        dd if=/dev/zero of=/dev/null bs=1k count=400000 2>dd.err
    perf2pb -q kernel.data >whole
    pbcat --raw whole >raw
    grep -q '\[kernel.kallsyms\].*FN' raw
    perl -e 'local $/; $_ = <>; my $at = index $_, "[kernel.kallsyms]";
        substr($_, $at - 16, 8) = pack "Q", 4096; print' kernel.data >short.data
    perf2pb -q short.data >short
    pbcat --folded whole >names
    pbcat --folded short | diff names -
    # A broken chain may have the address 0, of which there is a warning.
    run pbcat --check short
    [[ $output = *'short: 0 errors, '* && $output != *mapping* ]]
}

# Without feature sections, the attribute is all there is. Of the flags, bits 4
# to 6 exclude user, kernel and hypervisor, 15 and 16 say how precise addresses
# are, 19 and 20 exclude host and guests.
@test "events without names are named as perf names them" {
    recorded
    local type config flags
    while read -r type config flags; do
        perl -e 'my ($type, $config, $flags) = map { oct } @ARGV;
            local $/;
            $_ = <STDIN>;
            my $at = unpack "x24 Q";
            my $old = unpack "Q", substr $_, $at + 40, 8;
            substr($_, $at, 4) = pack "L", $type;
            substr($_, $at + 8, 8) = pack "Q", $config;
            substr($_, $at + 40, 8) = pack "Q", $old & ~0x198070 | $flags;
            substr($_, $at + 52, 12) = pack "LQ", 5, 0x401000;
            substr($_, 72, 32) = "\0" x 32;
            print' "$type" "$config" "$flags" <work.data >named.data
        perf evlist -i named.data 2>evlist.err | head -n 1 >wanted
        perf2pb -q --no-symbols named.data | pbcat --raw |
            sed -n 's,_sample/count .*,,p' | diff wanted -
    done <<'END'
0x0 0x0 0x108000
0x0 0x1 0x110000
0x0 0x4 0x100060
0x1 0x0 0x118000
0x1 0x1 0x60
0x1 0x2 0x80050
0x1 0x0 0x18000
0x1 0x0 0x80000
0x1 0x0 0x180000
0x3 0x0 0x8000
0x3 0x10002 0x8060
0x3 0x10103 0x50
0x3 0x203 0x108000
0x3 0x10201 0x108000
0x4 0x1c2 0x108010
0x5 0x0 0x108000
END
}

@test "other tools name perf2pb" {
    fixture perf.data
    expect 3 pbcat perf.data
    [[ $stderr = *'a perf.data file; use perf2pb'* ]]
    expect 3 prof2pb perf.data
    [[ $stderr = *'a perf.data file; use perf2pb'* ]]
    expect 3 perf2pb /bin/sh
    same_err 'perf2pb: /bin/sh: not a perf.data file: found a program or library (ELF)'
    # perf script -F comm,ip,sym, and -F ip,sym
    printf '%b' 'a \n\t          401136 main\n\n' >comm
    printf '%b' '\n\t          401136 main\n\n' >ip
    for f in comm ip; do
        expect 3 perf2pb $f
        same_err "perf2pb: $f: not a perf.data file: found the output of perf script without events; use it without -F, or add event to -F"
    done
    echo '# To display the perf.data header info, please use' >report
    expect 3 perf2pb report
    same_err 'perf2pb: report: not a perf.data file: found the output of perf report; pass perf.data to perf2pb'
    expect 3 perf2pb /dev/null
    same_err 'perf2pb: /dev/null: empty file (did perf record fail, or was it killed?)'
}

@test "as perf_to_profile it serves Go's pprof" {
    recorded
    mkdir bin
    ln -s "$BIN/perf2pb" bin/perf_to_profile
    PATH=$PWD/bin:$PATH expect 0 go_pprof -top work.data
    [[ $output = *' leaf'* ]]
    expect 0 bin/perf_to_profile -i work.data -o out -f
    pbcat out | grep -q leaf
    expect 2 bin/perf_to_profile -i work.data -o out
    same_err 'perf_to_profile: out: file exists; use -f to overwrite it'
    ln work.data hard
    expect 2 bin/perf_to_profile -i work.data -o hard -f
    same_err 'perf_to_profile: hard: the output is also an input; write to another file'
    cmp work.data "$BATS_FILE_TMPDIR/work.data"
    expect 4 bin/perf_to_profile -i work.data -o nonesuch/out
    same_err 'perf_to_profile: nonesuch/out: cannot open: No such file or directory'
    expect 2 bin/perf_to_profile -i work.data
    expect 2 bin/perf_to_profile --help
    [ "${stderr_lines[0]}" = 'usage: perf_to_profile -i INPUT -o OUTPUT [-f]' ]
}

@test "--time since the first sample, and in percent" {
    record work.data -e cpu-clock:u
    local range samples
    for range in 0%-10% 20%-60% 90%-100%; do
        samples=$(perf script -f -i work.data -F time,ip --time "$range" -G |
            grep -c .)
        perf2pb --no-symbols --time="$range" work.data >of_time
        pprof_totals of_time | grep -qx "cpu-clock:u_sample/count $samples"
    done
        perf script -f -i work.data -F time,ip --ns -G | sed 's/:.*//' | sort >times
    samples=$(awk 'NR == 1 { t = $1 } $1 - t >= 0.02 && $1 - t <= 0.05 { n++ }
        END { print n }' times)
    perf2pb --no-symbols --time=+0.02,+0.05 work.data >of_time
    pprof_totals of_time | grep -qx "cpu-clock:u_sample/count $samples"
    expect 0 perf2pb -v --no-symbols -o out.pb.gz work.data
    [[ $stderr = *"note: time of the samples: $(head -n 1 times | tr -d ' '),$(
        tail -n 1 times | tr -d ' ')"* ]]
    # What has no header does not know where it ends.
    perf script -f -i work.data -F comm,pid,tid,time,event,ip,sym,dso >work.txt
    expect 3 perf2pb --time=10%-20% -o out.pb.gz work.txt
    same_err 'perf2pb: work.txt: the recording does not have the times of its first and last sample; use --time=+FROM,+TO'
    perf2pb -q --no-symbols --time=+0,+0 work.txt >of_time
    pprof_totals of_time | grep -qx "cpu-clock:u_sample/count 1"
    for range in 1%-200% 20%-10% +2,+1 1,+2 +1,2 1% 5 x,y; do
        expect 2 perf2pb --time="$range" work.data
    done
}

@test "--time since a first sample whose time is near the end of 64 bits" {
    printf 'prog 10/10 9000000000.%s: 1 cycles:\n\t401000 main (/opt/prog)\n\n' \
        000000 500000 >work.txt
    local range
    for range in +0,+0.4:1 +0,+9999999999:2 +9999999999,:0; do
        perf2pb -q --no-symbols --time="${range%:*}" work.txt >of_time || :
        pprof_totals of_time | grep -qx "cycles_sample/count ${range#*:}"
    done
}

@test "--tid and --cpu, and the host as label" {
    record work.data -e cpu-clock:u --sample-cpu
    local tids cpus tid cpu samples
    perf script -f -i work.data -F tid,cpu,ip -G | tr -d '[]' >list
    mapfile -t tids < <(awk '{ print $1 }' list | sort -nu)
    mapfile -t cpus < <(awk '{ print $2 + 0 }' list | sort -nu)
    [ "${#tids[@]}" -ge 2 ]
    for tid in "${tids[@]}"; do
        samples=$(awk -v tid="$tid" '$1 == tid' list | wc -l)
        perf2pb --no-symbols --tid="$tid" work.data >of_tid
        pprof_totals of_tid | grep -qx "cpu-clock:u_sample/count $samples"
    done
    for cpu in "${cpus[@]}"; do
        samples=$(awk -v cpu="$cpu" '$2 + 0 == cpu' list | wc -l)
        perf2pb --no-symbols --cpu="$cpu" work.data >of_cpu
        pprof_totals of_cpu | grep -qx "cpu-clock:u_sample/count $samples"
    done
    # Ranges, lists and repetition add up.
    samples=$(wc -l <list)
    perf2pb --no-symbols --cpu="0-${cpus[-1]}" --tid="${tids[0]},${tids[1]}" \
        --tid="${tids[0]}-${tids[-1]}" --labels=host work.data >all
    pprof_totals all | grep -qx "cpu-clock:u_sample/count $samples"
    pbcat --tags all | grep -q "$(uname -n)"
    for tid in x 1- 3-1 '1,' -1 '' 4294967296; do
        expect 2 perf2pb --tid="$tid" work.data
        same_err "perf2pb: invalid value '$tid' for --tid: expected numbers and ranges, such as 0-3,5"
    done
}

@test "without operands, perf.data is read in place of a terminal" {
    recorded
    cp work.data perf.data
    script -qec 'perf2pb --no-symbols -o out.pb.gz' /dev/null >said
    perf2pb --no-symbols perf.data | cmp - out.pb.gz
    perf2pb --no-symbols <work.data | cmp - out.pb.gz
    rm perf.data
    script -qec 'perf2pb --no-symbols -o out.pb.gz' /dev/null >said ||
        grep -q "no input; specify files (for example, 'perf2pb perf.data')" said
    grep -q 'no input' said
}

# perf report's table of two.data: a program and a copy of it with another
# build ID, whose functions have the same names.  Functions of libraries are
# omitted, as these have aliases.
two_reported() { # COLUMN,...
    needs_perf
    # perf compares more bytes than a shorter ID has.
    local id=1234567890123456789012345678901234567890
    cp "$BATS_FILE_TMPDIR"/work one
    gcc -O1 -g -fno-omit-frame-pointer -Wl,--build-id=0x$id -o two \
        "$BATS_FILE_TMPDIR"/work.c -lpthread
    # Tests run at once, and each has another program of this build ID.
    perf --buildid-dir "$PWD/cache" record -q -e cpu-clock:u -F 1500 -g \
        -o two.data -- bash -c './one & ./two; wait'
    perf --buildid-dir "$PWD/cache" report -f -i two.data --stdio -q \
        --no-children -g none --no-inline --sort "$1" -F "period,$1" \
        2>/dev/null |
        awk 'NF { value = $1; $1 = ""; print $0, value }' |
        sed 's/^ //' | sort
}

@test "functions by binary: those of perf report --sort dso,sym" {
    two_reported dso,sym | grep -E '^(one|two) ' >wanted
    perf2pb -q two.data |
        pbcat --mappings --no-inlines --no-trim --unit=ns --format=tsv |
        awk -F'\t' '$4 > 0 { split($3, name, / \[\.\] /)
            if (name[2] == "one" || name[2] == "two")
                print name[2], "[.]", name[1], $4 }' | sort >got
    grep -q '^one .*leaf' wanted
    grep -q '^two .*leaf' wanted
    diff -u wanted got
}

@test "threads by name: those of perf report --sort comm" {
    two_reported comm,dso,sym | grep -E '^[a-z]+ (one|two) ' >wanted
    perf2pb -q --flat --labels=comm two.data |
        pbcat --mappings --no-inlines --tagroot=comm --folded |
        sed -nE 's/^(\w+);(\w+) \[\.\] (one|two) ([0-9]+)$/\1 \3 [.] \2 \4/p' |
        sort >got
    grep -q '^worker one .*leaf' wanted
    diff -u wanted got
    two_reported comm >wanted
    perf2pb -q --labels=comm two.data |
        pbcat --tags --unit=ns --format=tsv |
        awk -F'\t' '$2 == "comm" { print $3, $6 }' | sort >got
    diff -u wanted got
}

@test "the name of the thread is the root of its stacks" {
    recorded
    perf script -f --no-inline -i work.data -F comm,period,ip,sym 2>/dev/null |
        perl -ne '
            if (/^\t\s*[0-9a-f]+ (.*?)\s*$/) { unshift @frames, $1 }
            elsif (/^\s*(\S+)\s+(\d+)/) { ($comm, $period) = ($1, $2) }
            elsif (@frames) {
                $sum{join ";", $comm, @frames} += $period; @frames = () }
            END { print "$_ $sum{$_}\n" for sort keys %sum }' |
        sed -n 's/;.*;main;/;main;/p' | sort >wanted
    perf2pb -q --labels=comm work.data |
        pbcat --no-inlines --tagroot=comm --folded |
        sed -n 's/;.*;main;/;main;/p' | sort >got
    [ -s wanted ]
    diff -u wanted got
}

@test "--binaries are perf's --sort dso" {
    recorded
    # Own samples, and those whose stack contains the binary.
    perf script -f -i work.data -F period,ip,dso 2>/dev/null | perl -ne '
        if (/^\s+[0-9a-f]+ \((?:.*\/)?(.*)\)$/) {
            $flat{$1} += $period unless %seen;
            $cum{$1} += $period unless $seen{$1}++;
        } elsif (/^\s*(\d+)/) { $period = $1; %seen = () }
        END { printf "%s %d %d\n", $_, $flat{$_} // 0, $cum{$_}
                  for sort keys %cum }' | grep -v unknown >wanted
    perf2pb -q work.data |
        pbcat --binaries --unit=ns --no-trim --compact-labels |
        awk '/flat%/ { rows = 1; next } rows { sub("ns", "", $1); sub("ns", "", $4);
            print $6, $1, $4 }' | grep -v unknown | sort >got
    [ "$(wc -l <wanted)" -ge 2 ]
    diff -u <(sort wanted) got
    # The same in other formats, and as a profile.
    perf2pb -q work.data >work.pb
    pbfilter --granularity=binaries work.pb | pbcat --folded >folded
    pbcat --folded --binaries work.pb | cmp - folded
    grep -q '^work;' folded || grep -q ';work;' folded
    expect 0 pbcat --flame --binaries -o page.html work.pb
}
