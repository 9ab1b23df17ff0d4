# Folded stacks to profile.proto: the command line, pbcat and pprof behind it,
# and the programs that write such text.

load helper

# Folded stacks added up and sorted, by other means.
add_up() {
    perl -e '
        while (<>) {
            /^(.*) (-?\d+)$/s or die "no stack: $_";
            $sum{$1} += $2;
        }
        print "$_ $sum{$_}\n" for grep { $sum{$_} } sort keys %sum;' "$@"
}

# What stackcollapse-perf.pl --all makes of samples of perf: the process first,
# kernel frames with [k], compiled ones with [j], inlined ones with [i].
perf_stacks() {
    printf '%s\n' \
        'java;[unknown];start_thread;Thread::run;Interpreter;io/Loop:.run_[j];io/Loop:.poll_[j];io/Key:.get_[i];sys_epoll_wait_[k];schedule_[k] 12' \
        'java;[unknown];start_thread;Thread::run;Interpreter;io/Loop:.run_[j];io/Loop:.poll_[j];io/Key:.get_[i] 30' \
        'java;[unknown];start_thread;Thread::run;operator new(unsigned long) 1' \
        'swapper;start_kernel_[k];cpu_idle_[k];native_safe_halt_[k] 200' \
        'V8_WorkerThread;[libc.so.6];   3'
}

@test "a profile of each distinct stack" {
    printf '%s\n' 'main;parse 2' 'main;run;copy (inlined) 5' 'main 1' \
        'main;parse 3' >in
    folded2pb -o out.pb.gz in
    expect 0 pbcat --raw out.pb.gz
    same 'PeriodType:  
Period: 0
Samples:
samples/count
          1: 1 
          5: 3 1 
          5: 2 4 1 
Locations
     1: 0x0 main :0:0 s=0
     2: 0x0 copy (inlined) :0:0 s=0
     3: 0x0 parse :0:0 s=0
     4: 0x0 run :0:0 s=0
Mappings'
    expect 0 pbcat --folded out.pb.gz
    same 'main 1
main;parse 5
main;run;copy (inlined) 5'
    expect 0 pprof_totals out.pb.gz
    same 'samples/count 11'
}

@test "what stackcollapse-perf.pl writes, names as they are" {
    perf_stacks >in
    folded2pb <in >out.pb.gz
    pbcat --folded out.pb.gz | add_up | diff -u <(add_up in) -
    [ "$(pprof_totals out.pb.gz)" = 'samples/count 246' ]
    expect 0 go_pprof -top -focus='io/Key:.get_\[i\]' out.pb.gz
    [[ $output = *' 30 12.20% '*' io/Key:.get_[i]'* ]]
}

@test "google-pprof --collapsed, and what prof2pb makes of the same file" {
    fixture cpu.prof prog
    google-pprof --collapsed prog cpu.prof 2>/dev/null >collapsed
    [ -s collapsed ]
    folded2pb -o ours.pb.gz collapsed
    pbcat --folded ours.pb.gz | add_up | diff -u <(add_up collapsed) -
    prof2pb -o theirs.pb.gz cpu.prof
    [ "$(pprof_totals ours.pb.gz)" = \
        "$(pprof_totals theirs.pb.gz | grep ^samples/)" ]
}

# Frames of anything, with what could be taken for something else, few enough
# that stacks come again; stacks of at most nine, values of either sign.
random_folded() { # SEED
    perl -e '
        srand shift;
        my @odd = ("", " ", "  ", "# c", "#", "a 1", "a -2", "-", "1", "<no stack>",
            "_[k]", "f_[i]", "\t", "x\t", "\xff", "\xc3\xa9", "\x7f",
            "f(a, b) const", "[unknown]", "a.c:12", "\"q\"", "\\", "samples");
        my @names = map { rand() < .3 ? $odd[rand @odd]
            : join "", map { ("a" .. "f")[rand 6] } 1 .. 1 + rand 20 } 1 .. 60;
        for (1 .. 3000) {
            my @stack = map { $names[rand() ** 2 * @names] } 1 .. 2 + rand 8;
            print join(";", @stack), " ", int(rand 2000) - 500, "\n";
        }' "$1"
}

@test "random stacks come back from pbcat, and again" {
    local seed
    for seed in 1 2 3; do
        random_folded $seed >in
        folded2pb -o out.pb.gz in
        pbcat --folded -o one out.pb.gz
        # of an empty frame nothing is known; control characters are spaces
        perl -pe '1 while s/(^|;)(?=;| -?\d+$)/$1<unknown>/; tr/\t\x7f/ /' in |
            add_up >wanted
        add_up one | diff -u wanted -
        folded2pb one | pbcat --folded | cmp one -
    done
}

# A profile with functions of any names: UTF-8, as text format wants it.
random_profile() { # SEED
    perl -e '
        srand shift;
        my @chars = (map(chr, 1 .. 126), "\xc3\xa9", ";", " ", "\n", "\t", "#");
        my $n = 40;
        my @names = map { join "", map { $chars[rand @chars] } 1 .. rand 8 } 1 .. $n;
        print "sample_type { type: 1 unit: 2 }\n";
        for (1 .. 500) {
            print "sample { ", (map { "location_id: " . (1 + int rand $n) . " " }
                1 .. rand 6), "value: ", int(rand 100) - 20, " }\n";
        }
        for my $i (1 .. $n) {
            print "location { id: $i line { function_id: $i } }\n";
            print "function { id: $i name: ", $i + 2, " }\n";
        }
        for my $s ("", "cpu", "count", @names) {
            (my $quoted = $s) =~ s/([^a-z])/sprintf "\\%03o", ord $1/ge;
            print "string_table: \"$quoted\"\n";
        }' "$1" | encode
}

@test "what pbcat --folded prints of random profiles comes back" {
    local seed
    for seed in 1 2 3 4 5; do
        random_profile $seed >in.pb
        pbcat --folded -o one in.pb
        [ "$(wc -l <one)" -gt 300 ]
        folded2pb -o back.pb.gz one
        pbcat --folded back.pb.gz | cmp one -
    done
    fixture cpu.pb.gz heap.pb.gz
    local file options
    for file in cpu heap; do
        for options in --functions --lines --addresses; do
            pbcat --folded $options -o one $file.pb.gz
            folded2pb one | pbcat --folded | cmp one -
        done
    done
}

@test "the same bytes in any order, in several files, and from pbmerge" {
    random_folded 7 >in
    folded2pb -o wanted in
    tac in | folded2pb | cmp wanted -
    split -l 700 in part.
    folded2pb part.* | cmp wanted -
    folded2pb part.ad part.aa part.ae part.ac part.ab | cmp wanted -
    pbmerge wanted | cmp wanted -
    for part in part.a?; do
        folded2pb -o $part.pb.gz $part
    done
    pbmerge part.*.pb.gz | cmp wanted -
    sed 's/$/\r/' in | folded2pb | cmp wanted -
}

@test "compressed, in archives, and each for itself" {
    echo 'main;a 1' >one
    echo 'main;b 2' >two
    echo 'Read me: 12' >README
    folded2pb -o wanted one two
    gzip -k one two
    cat one.gz two.gz | folded2pb | cmp wanted -
    tar -czf all.tar.gz one README two
    expect 0 folded2pb -v -o got all.tar.gz
    cmp wanted got
    same_err ... 'all.tar.gz(README): note: skipped: not a file of folded stacks: found text' ...
    expect 3 folded2pb --strict all.tar.gz
    same_err 'folded2pb: all.tar.gz(README): not a file of folded stacks: found text'
    expect 0 folded2pb --each -o each/ all.tar.gz
    folded2pb one | cmp - each/one.pb.gz
    folded2pb two | cmp - each/two.pb.gz
    # without counts, stacks look like this
    printf '%s\n' 'main;c' >three
    tar -cf some.tar README three
    folded2pb --no-counts -o got some.tar
    [ "$(pbcat --folded got)" = 'main;c 1' ]
}

@test "several values" {
    printf '%s\n' 'main;parse 10 -12' "main;run	4  0" 'main;run 1 1' >in
    folded2pb --sample-types=before,after/bytes -o out.pb.gz in
    expect 0 pprof_totals out.pb.gz
    same 'before/count 15
after/bytes -11'
    expect 0 pbcat --folded --sample-index=before out.pb.gz
    same 'main;parse 10
main;run 5'
    expect 0 folded2pb -o out.pb.gz in
    same_err "folded2pb: in: warning: every line has one more number than --sample-types has names; it was read as part of the last frame (add a name to --sample-types)"
    # the option given last counts
    expect 0 folded2pb -q --sample-types=a,b --sample-types=n/bytes -o out.pb.gz in
    expect 0 pprof_totals out.pb.gz
    same 'n/bytes -11'
}

@test "sample types that make no sense are usage errors" {
    local list
    for list in '' ',' 'a,' ',a' a/ /b 'a,,b'; do
        expect 2 folded2pb --sample-types=$list </dev/null
        same_err "folded2pb: invalid value '" ... "' for --sample-types: expected TYPE or TYPE/UNIT, not '" ... "'"
    done
    expect 2 folded2pb --sample-types=a/x,a/y </dev/null
    same_err "folded2pb: --sample-types: duplicate sample type 'a'"
    expect 2 folded2pb --sample-types=a,b --no-counts </dev/null
    same_err 'folded2pb: --no-counts allows only one sample type, not 2'
    expect 2 folded2pb --root-label= </dev/null
    same_err "folded2pb: invalid value '' for --root-label: expected a label name"
}

@test "lines without values" {
    printf '%s\n' 'main;parse' 'main;thread 1' '' 'main;parse' >in
    expect 3 folded2pb in
    [ -z "$output" ]
    same_err "folded2pb: in: line 1: 'main;parse' does not end in a space and a number (if no line does, use --no-counts)"
    folded2pb --no-counts --sample-types=events -o out.pb.gz in
    expect 0 pbcat --folded out.pb.gz
    same 'main;parse 2
main;thread 1 1'
    [ "$(pprof_totals out.pb.gz)" = 'events/count 3' ]
}

@test "lines that are no stacks are errors that name them; -k leaves the file out" {
    echo 'main 1' >good
    printf '%s\n' 'main;a 1' 'main;b 12.5' >fraction
    printf '%s\n' 'main;a 1' '' '# comment' 'main;b 9223372036854775808' >large
    expect 3 folded2pb -o out good fraction large
    same_err "folded2pb: fraction: line 2: '12.5': values must be integers"
    [ ! -e out ]
    expect 5 folded2pb -k -o out fraction good large
    same_err "folded2pb: fraction: line 2: '12.5': values must be integers
folded2pb: large: line 4: number out of range: 9223372036854775808"
    folded2pb good | cmp out -
    printf 'main\033 x\n' >control
    expect 3 folded2pb control
    same_err "folded2pb: control: line 1: 'main\\x1b x' does not end in a space and a number (if no line does, use --no-counts)"
}

@test "sums that do not fit are errors" {
    printf '%s\n' 'main;a 9223372036854775807' 'main;a 1' >in
    expect 3 folded2pb in
    [ -z "$output" ]
    same_err 'folded2pb: the sum of samples/count ' ... ' exceeds 64 bits'
    printf '%s\n' 'main;a 9223372036854775807' 'main;b -9223372036854775807' |
        folded2pb -o out.pb.gz
    expect 0 pbcat --raw out.pb.gz
    [[ $output = *' 9223372036854775807: '* ]]
    [[ $output = *' -9223372036854775807: '* ]]
}

@test "no stacks, and stacks that amount to nothing" {
    expect 3 folded2pb /dev/null
    same_err 'folded2pb: /dev/null: empty file'
    printf '# text\n\n' >in
    expect 3 folded2pb in
    same_err 'folded2pb: in: no stacks found'
    printf '%s\n' 'a;b 2' 'a;b -2' 'a 0' >in
    expect 0 folded2pb -o out in
    same_err 'folded2pb: warning: no samples'
    [ -z "$(pbcat --folded out)" ]
}

@test "a byte order mark is no part of the first frame" {
    printf '\xef\xbb\xbfmain;a 1\r\nmain;b 2\r\n' >in
    expect 0 folded2pb -v -o out in
    same_err 'folded2pb: in: note: byte order mark skipped'
    expect 0 pbcat --folded out
    same 'main;a 1
main;b 2'
    printf 'a 1\n\xef\xbb\xbfa 2\n' | folded2pb | pbcat --folded >names
    [ "$(wc -l <names)" = 2 ]
}

@test "UTF-16 is read as what it says; by others it is named" {
    printf 'main;\303\274 1\r\nmain;b 2\r\n' >plain
    folded2pb -o wanted plain
    { printf '\377\376'; iconv -f UTF-8 -t UTF-16LE plain; } >in
    expect 0 folded2pb -v -o out in
    same_err 'folded2pb: in: note: converted from UTF-16'
    cmp wanted out
    { printf '\376\377'; iconv -f UTF-8 -t UTF-16BE plain; } | gzip >in.gz
    folded2pb -o out in.gz
    cmp wanted out
    # A name of these bytes is no mark.
    printf '\377\376;a 1\n' >named
    folded2pb named | pbcat --folded | cmp named
    expect 3 pbmerge in
    same_err 'pbmerge: in: not a profile.proto message: found text in UTF-16'
    tar -cf a.tar in in.gz
    folded2pb -q --each -o each/ a.tar
    cmp wanted each/in.pb.gz
    printf '\377\376a\0;\0b\0 \0001\0\n\0\0\330' >bad
    expect 3 folded2pb bad
    same_err 'folded2pb: bad: offset 14: invalid UTF-16: unpaired surrogate'
    # What could not be read is no less an error where it is an entry, unless
    # it is none of this tool's.
    tar -cf b.tar bad in
    expect 3 folded2pb b.tar
    same_err 'folded2pb: b.tar(bad): offset 14: invalid UTF-16: unpaired surrogate'
    printf '\377\376r\0e\0a\0d\0 \0m\0e\0\0\330' >bad
    tar -cf b.tar bad in
    expect 0 folded2pb -v -o out b.tar
    same_err ... 'b.tar(bad): note: skipped: not a file of folded stacks: found text in UTF-16' ...
    cmp wanted out
}

@test "stacks and frames of nothing, and names that end in blanks" {
    printf '%s\n' ' 12' ';main; 3' 'main;a  4' '<no stack> 1' >in
    expect 0 folded2pb -v -o out in
    same_err "folded2pb: in: note: line 2: frame without a name
folded2pb: in: note: line 3: extra spaces before the number are part of the last frame's name"
    expect 0 pbcat --folded out
    same '<no stack> 13
<unknown>;main;<unknown> 3
main;a  4'
    expect 0 folded2pb -o out in
    [ -z "$stderr" ]
}

@test "annotations: inlined frames are lines, others have mappings" {
    perf_stacks >in
    folded2pb --annotations -o out.pb.gz in
    sed 's/_\[[a-z]\]//g' in | add_up >wanted
    pbcat --folded out.pb.gz | add_up | diff -u wanted -
    pbcat --folded --noinlines out.pb.gz | add_up |
        diff -u <(sed 's/;io.Key:.get_\[i\]//; s/_\[[a-z]\]//g' in | add_up) -
    pbfilter --focus='^\[kernel\]$' out.pb.gz | pbcat --folded | add_up |
        diff -u <(grep '_\[k\]' in | sed 's/_\[[a-z]\]//g' | add_up) -
    # What the program is called is not known.
    expect 0 pbcat out.pb.gz
    [[ $output = 'Type: samples'* ]]
    [[ $output = *' io/Key:.get (inline)'* ]]
    go_pprof -top out.pb.gz >top
    [[ $(cat top) = 'Type: samples'*' io/Key:.get (inline)'* ]]
    pbmerge out.pb.gz | cmp out.pb.gz -
    printf '%s\n' 'a_[1] 1' 'b_[0] 2' 'c_[i] 3' 'd_[w] 4' |
        folded2pb --annotations | pbcat --raw >raw
    diff -u - raw <<'END'
PeriodType:  
Period: 0
Samples:
samples/count
          3: 1 
          4: 2 
          2: 3 
          1: 4 
Locations
     1: 0x0 M=1 c :0:0 s=0
     2: 0x0 M=1 d_[w] :0:0 s=0
     3: 0x0 M=2 b :0:0 s=0
     4: 0x0 M=3 a :0:0 s=0
Mappings
1: 0x0/0x0/0x0   [FN]
2: 0x0/0x0/0x0 [interpreter]  [FN]
3: 0x0/0x0/0x0 [jit]  [FN]
END
}

@test "annotations: deep inlining is one location" {
    perl -e 'print "a", ";b_[i];c_[i]" x 100000, " $_\n" for 1, 2' >in
    folded2pb --annotations -o out.pb.gz in
    expect 0 bash -c 'pbcat --raw out.pb.gz | grep -c "b :0:0"'
    same 100000
    pbcat --folded out.pb.gz |
        cmp - <(perl -e 'print "a", ";b;c" x 100000, " 3\n"')
}

@test "the root as a label, and back" {
    perf_stacks >in
    folded2pb --root-label=comm -o out.pb.gz in
    expect 0 pbcat --traces out.pb.gz
    [[ $output = *'comm:  java'*'comm:  swapper'* ]]
    pbfilter --tagroot=comm out.pb.gz | pbcat --folded | add_up |
        diff -u <(add_up in) -
    pbfilter --tagfocus=comm=swapper out.pb.gz >one.pb.gz
    [ "$(pprof_totals one.pb.gz)" = 'samples/count 200' ]
    printf '%s\n' 'sh 1' ' 2' >in
    folded2pb --root-label=comm -o out.pb.gz in
    expect 0 pbcat --json out.pb.gz
    [ "$(jq -c '[.sample[] | [.location, .label[].key, .label[].str]]' \
        <<<"$output")" = '[[[]],[[],"comm","sh"]]' ]
}

@test "each tool says whose folded stacks are" {
    perf_stacks >in
    fixture cpu.prof gmon.out cycles.dcpi cpu.pb.gz
    local tool
    local -A kinds=(
        [prof2pb]='a profile that prof2pb reads'
        [gmon2pb]='a gmon.out file'
        [dcpi2pb]='a DCPI profile'
    )
    for tool in prof2pb gmon2pb dcpi2pb pbmerge pbfilter pbsym pbcat; do
        expect 3 $tool in
        [ -z "$output" ]
        same_err "$tool: in: not ${kinds[$tool]:-a profile.proto message}: found folded stacks; use folded2pb"
    done
    expect 3 folded2pb cpu.pb.gz
    same_err 'folded2pb: cpu.pb.gz: not folded stacks: found a profile.proto message; it needs no conversion'
    expect 3 folded2pb cpu.prof
    same_err 'folded2pb: cpu.prof: not folded stacks: found a gperftools CPU profile; use prof2pb'
    expect 3 folded2pb gmon.out
    same_err 'folded2pb: gmon.out: not folded stacks: found a gmon.out file; use gmon2pb'
    expect 3 folded2pb cycles.dcpi
    same_err 'folded2pb: cycles.dcpi: not folded stacks: found a DCPI profile; use dcpi2pb'
    printf 'PERFILE2\0\0\0\0' >perf.data
    expect 3 folded2pb perf.data
    same_err 'folded2pb: perf.data: not folded stacks: found a perf.data file; use perf2pb'
    # of bytes that do not compress all are there
    printf '\2!L\30\7\0\0\0`a;b 1\n' >packed
    expect 3 folded2pb packed
    same_err 'folded2pb: packed: not folded stacks: found lz4 data in the legacy format'
    # whatever the names in it begin like
    printf '%s\n' 'gmond;main 3' >in
    folded2pb in | pbcat --folded | cmp in -
}

@test "--annotations, and back with pbcat --folded=annotations" {
    printf '%s\n' 'main;read_[k] 4' 'main;read_[k];copy_[k];byte_[i] 3' \
        'main;run_[j];tmp_[i] 5' 'main;eval_[0];main_[k] 2' 'main 1' |
        sort >stacks
    folded2pb --annotations stacks | pbcat --folded=annotations | sort |
        diff stacks -
    # Without, names have no suffixes.
    folded2pb --annotations stacks | pbcat --folded | grep -c _ | grep -qx 0
    # As they are in recordings of perf.
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        my @files = qw([kernel.kallsyms] [nf_tables] [vdso] /tmp/perf-7.map
            /lib/modules/6.1/a.ko /boot/vmlinux /usr/bin/prog [unknown]);
        print text(1, int64(1, 1) . int64(2, 1)),
            (map { text(3, int64(1, $_) . int64(2, 4096 * $_) .
                int64(3, 4096 * $_ + 4096) . int64(5, 3 + $_)) } 1 .. @files),
            (map { text(4, int64(1, $_) . int64(2, $_) . text(4, int64(1, 1))) .
                text(2, text(1, num($_)) . text(2, num($_))) } 1 .. @files),
            text(5, int64(1, 1) . int64(2, 3)), text(6, ""), text(6, "n"),
            text(6, "m"), text(6, "f"), map { text(6, $_) } @files' >maps.pb
    expect 0 pbcat --folded=annotations --sample-index=0 maps.pb
    # Values are the numbers of the files, from 1.
    same 'f 18
f_[j] 4
f_[k] 14'
}
