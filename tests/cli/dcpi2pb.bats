# dcpi2pb: DCPI profiles and dcpicat text. The files are those of dcpi.pl:
# cycles 29 10 1 2 400 58 at a period of 63488, imiss 3 7 5 1 at 4096.

load helper

# The 0.07 example of the format description: 4 addresses, 42 samples.
vector() { # [HEADER-LINE...] - instead of the usual ones
    [ $# -gt 0 ] || set -- 'version pdb-0.07' 'image 19970328081403c0c18b' \
        'epoch 9805191724' 'platform walnut' 'event cycles' 'period 63488' \
        'tstart 120000000' 'tsize 8388608' 'path /usr/bin/vector'
    printf '%s\n' "$@" samples
    printf '\xb8\xcb\x06\0\3\0\0\0\x1d\0\0\0\0\0\0\0\0\0\0\0'
    printf '\xd0\xcb\x06\0\3\0\0\0\x0a\0\0\0\1\0\0\0\2\0\0\0'
    printf '\4\0\0\0\x2a\0\0\0'
}

# Samples as go tool pprof lists them: "values: address", by address.
samples() { # FILE
    go_pprof -raw "$1" | awk '
        /^Samples:/ { on = 1; next }
        /^Locations/ { on = 0; locations = 1; next }
        /^Mappings/ { locations = 0 }
        on && /:/ { row[$NF] = $0; sub(/: *[0-9]+ *$/, "", row[$NF]) }
        locations { sub(":", "", $1); print $2 ": " row[$1] }' |
        sed -E 's/ +/ /g' | sort
}

@test "one file: samples, cycles and CPU time" {
    fixture cycles.dcpi
    expect 0 dcpi2pb -o out.pb.gz cycles.dcpi
    [ -z "$output$stderr" ]
    run pprof_totals out.pb.gz
    same 'samples/count 500
cycles/count 31744000
cpu/nanoseconds 73311779'
}

@test "two files of one image: one sample for each address" {
    fixture cycles.dcpi imiss.dcpi
    expect 0 dcpi2pb -o out.pb.gz cycles.dcpi imiss.dcpi
    run pprof_totals out.pb.gz
    same 'cycles_samples/count 500
cycles/count 31744000
cpu/nanoseconds 73311779
imiss_samples/count 16
imiss/count 65536'
    run go_pprof -raw out.pb.gz
    [ "$(grep -c ' M=1' <<<"$output")" = 7 ] # locations
    grep -q 'cycles/count\[dflt\]' <<<"$output"
    grep -q '1: 0x120000000/0x120010000/0x0 /usr/local/bin/bank 19970328081403c0c18b' <<<"$output"
}

@test "dcpicat's text holds the same as the files of its events" {
    fixture cycles.dcpi imiss.dcpi dcpi.txt
    dcpi2pb -o files.pb.gz cycles.dcpi imiss.dcpi
    dcpi2pb -o text.pb.gz dcpi.txt
    run pprof_totals text.pb.gz
    same 'cycles_samples/count 500
cycles/count 31744000
imiss_samples/count 16
imiss/count 65536'
    # The text does not know the processor's speed: no third column.
    samples files.pb.gz | awk '{ $4 = ""; print }' | sed 's/  / /' >files
    samples text.pb.gz >text
    [ -s text ]
    diff -u files text
    sed 's/$/\r/' dcpi.txt | dcpi2pb >crlf.pb.gz
    cmp crlf.pb.gz text.pb.gz
}

@test "standard input, compressed" {
    fixture dcpi.txt
    gzip -c dcpi.txt >dcpi.txt.gz
    dcpi2pb -o a.pb.gz dcpi.txt
    dcpi2pb <dcpi.txt >b.pb.gz
    dcpi2pb - <dcpi.txt.gz >c.pb.gz
    cmp a.pb.gz b.pb.gz
    cmp a.pb.gz c.pb.gz
}

@test "an archive of files is joined like the files" {
    fixture cycles.dcpi imiss.dcpi
    tar -cf db.tar cycles.dcpi imiss.dcpi
    dcpi2pb -0 -o a.pb cycles.dcpi imiss.dcpi
    dcpi2pb -0 -o b.pb db.tar
    cmp a.pb b.pb
}

@test "gzip members are files, or the pieces of one" {
    fixture cycles.dcpi imiss.dcpi dcpi.txt
    dcpi2pb -o a.pb.gz cycles.dcpi imiss.dcpi
    cat <(gzip -c cycles.dcpi) <(gzip -c imiss.dcpi) | dcpi2pb |
        cmp - a.pb.gz
    # a dump is one file wherever it was cut: at its lines too
    dcpi2pb -o b.pb.gz dcpi.txt
    for at in 300 $(($(head -n 14 dcpi.txt | wc -c))); do
        cat <(head -c $at dcpi.txt | gzip) \
            <(tail -c +$((at + 1)) dcpi.txt | gzip) | dcpi2pb |
            cmp - b.pb.gz
    done
}

@test "an event is selected, and one that is not there is an error" {
    fixture cycles.dcpi imiss.dcpi dcpi.txt
    expect 0 dcpi2pb -v --event=imiss -o out.pb.gz dcpi.txt
    same_err "dcpi2pb: dcpi.txt: note: event 'cycles' skipped (500 samples)"
    run pprof_totals out.pb.gz
    same 'samples/count 16
imiss/count 65536'
    dcpi2pb --event=imiss -o again.pb.gz dcpi.txt
    cmp out.pb.gz again.pb.gz
    expect 2 dcpi2pb --event=dmiss -o none.pb.gz cycles.dcpi imiss.dcpi
    same_err "dcpi2pb: no input has event 'dmiss'; available: cycles imiss"
    [ ! -e none.pb.gz ]
}

@test "a header without version or text start is read with a warning" {
    local rest=('image 19970328081403c0c18b' 'epoch 9805191724'
        'platform walnut' 'event cycles' 'period 1' 'tsize 8388608')
    vector 'tstart 120000000' "${rest[@]}" >versionless.dcpi
    expect 0 dcpi2pb -o got.pb.gz versionless.dcpi
    same_err "dcpi2pb: versionless.dcpi: warning: the header has no version line: read as version 0.07, as the footer's totals confirm"
    expect 3 dcpi2pb --strict -o none.pb.gz versionless.dcpi
    [ ! -e none.pb.gz ]
    expect 0 dcpi2pb --assume=0.07 -o out.pb.gz versionless.dcpi
    same_err ''
    # The one says in a comment that it was guessed.
    cmp <(pbcat --jsonl got.pb.gz) <(pbcat --jsonl out.pb.gz)
    cmp <(pbcat --comments got.pb.gz | grep -v '^incomplete: ') \
        <(pbcat --comments out.pb.gz)
    run pprof_totals out.pb.gz
    same 'samples/count 42
cycles/count 42'
    vector 'version pdb-0.06' "${rest[@]}" >startless.dcpi
    expect 3 dcpi2pb --strict startless.dcpi
    expect 0 dcpi2pb -o out.pb.gz startless.dcpi
    same_err 'dcpi2pb: startless.dcpi: warning: the header has no tstart line; addresses are offsets in the text (use --text-start to set its start)'
    run samples out.pb.gz
    same '0x6cbb8: 29 29
0x6cbd0: 10 10
0x6cbd4: 1 1
0x6cbd8: 2 2'
    expect 0 dcpi2pb --text_start=0x140000000 -o out.pb.gz startless.dcpi
    run samples out.pb.gz
    same '0x14006cbb8: 29 29
0x14006cbd0: 10 10
0x14006cbd4: 1 1
0x14006cbd8: 2 2'
    expect 0 dcpi2pb --text-start=140000000 --offset-unit=insn -o out.pb.gz \
        startless.dcpi
    run samples out.pb.gz
    same '0x1401b2ee0: 29 29
0x1401b2f40: 10 10
0x1401b2f44: 1 1
0x1401b2f48: 2 2'
}

@test "-k leaves bad inputs out and ends with 5" {
    fixture cycles.dcpi
    head -c 220 cycles.dcpi >cut.dcpi
    echo nonsense >text
    expect 5 dcpi2pb -k -o out.pb.gz cut.dcpi cycles.dcpi text
    [ "${#stderr_lines[@]}" = 2 ]
    same_line 0 'dcpi2pb: cut.dcpi: offset ' ...
    same_line 1 'dcpi2pb: text: not a DCPI profile: ' ...
    dcpi2pb -o alone.pb.gz cycles.dcpi
    cmp out.pb.gz alone.pb.gz
    expect 3 dcpi2pb -o none.pb.gz cut.dcpi cycles.dcpi
    [ ! -e none.pb.gz ]
    expect 3 dcpi2pb -k -o none.pb.gz cut.dcpi text
    [ ! -e none.pb.gz ]
}

@test "options that make no sense are refused" {
    expect 2 dcpi2pb --assume=1.01 /dev/null
    same_err "dcpi2pb: invalid value '1.01' for --assume: expected 0.06 or 0.07"
    expect 2 dcpi2pb --offset-unit=word /dev/null
    same_err "dcpi2pb: invalid value 'word' for --offset-unit: expected byte or insn"
    expect 2 dcpi2pb --text-start=12g /dev/null
    same_err "dcpi2pb: invalid value '12g' for --text-start: expected a hexadecimal address"
}

@test "ProfileMe counters are scaled, latencies in cycles" {
    expect 0 dcpi2pb --strict -o out.pb.gz "$DATA/dcpi/profileme.txt"
    run pprof_totals out.pb.gz
    # 7 * 65536 / 0.75 is 349525.33 + 262144; the others likewise by row
    same 'cycles_samples/count 40
cycles/count 10158080
!retired^replays:m1count_samples/count 2
!retired^replays:m1count/count 174763
!retired^replays:m1inflight_samples/cycles 30
!retired^replays:m1inflight/cycles 2621440
!retired^replays:m1retdelay_samples/cycles 0
!retired^replays:m1retdelay/cycles 0
retired^notrap:m1count_samples/count 7
retired^notrap:m1count/count 611669
retired^notrap:m1inflight_samples/cycles 91
retired^notrap:m1inflight/cycles 7951702
retired^notrap:m1retdelay_samples/cycles 33
retired^notrap:m1retdelay/cycles 2883584'
    expect 0 dcpi2pb --event='retired^notrap:m1count' -o out.pb.gz \
        "$DATA/dcpi/profileme.txt"
    run pprof_totals out.pb.gz
    same 'samples/count 7
retired^notrap:m1count/count 611669'
}

@test "pbmerge finds nothing to add up in what was joined" {
    fixture cycles.dcpi imiss.dcpi
    dcpi2pb -o together.pb.gz cycles.dcpi imiss.dcpi
    pbmerge -o merged.pb.gz together.pb.gz
    cmp together.pb.gz merged.pb.gz
}

@test "the order of operands and of entries does not show" {
    fixture cycles.dcpi imiss.dcpi
    cp "$DATA"/dcpi/{events,profileme}.txt .
    dcpi2pb -o all.pb.gz cycles.dcpi imiss.dcpi events.txt profileme.txt
    dcpi2pb profileme.txt imiss.dcpi cycles.dcpi events.txt | cmp - all.pb.gz
    dcpi2pb events.txt cycles.dcpi profileme.txt imiss.dcpi | cmp - all.pb.gz
    tar -cf a.tar imiss.dcpi profileme.txt events.txt cycles.dcpi
    dcpi2pb a.tar | cmp - all.pb.gz
    cat profileme.txt events.txt >both.txt
    dcpi2pb imiss.dcpi both.txt cycles.dcpi | cmp - all.pb.gz
    pbmerge all.pb.gz | cmp - all.pb.gz
}

@test "images that nothing tells apart are not joined" {
    vector 'version pdb-0.07' 'epoch 9805191724' 'platform walnut' \
        'event cycles' 'period 1' 'tstart 120000000' 'tsize 8388608' >a.dcpi
    cp a.dcpi b.dcpi
    expect 0 dcpi2pb -q -o a.pb.gz a.dcpi
    expect 3 dcpi2pb -q -o out.pb.gz a.dcpi b.dcpi
    same_err 'dcpi2pb: a.dcpi: warning: the header has no image line
dcpi2pb: b.dcpi: warning: the header has no image line
dcpi2pb: b.dcpi: no image, path or name line; a profile can contain only one such input'
    [ ! -e out.pb.gz ]
    expect 5 dcpi2pb -q -k -o out.pb.gz a.dcpi b.dcpi
    cmp out.pb.gz a.pb.gz
}

@test "in an archive, what begins like no DCPI profile is skipped" {
    mkdir in
    printf 'version pdb-1.01\n' >in/a
    printf 'version 0.07\nevent a\nsamples\n' >in/b
    printf '\nimage aa\nepoch 9805191724\nsamples  \n' >in/c
    printf 'name prog\nimage aa\nevent 1 a:1:1\n' >in/d
    printf 'version 1.0\nevent a\nsamples\n' >out1
    printf 'version 0.07\nof something\n' >out2
    printf 'name prog\nimage aa\npath /p\n' >out3
    printf 'name of the game\n\0\nevent\n' >out4
    printf 'colour blue\nevent 1 a:1:1\n' >out5
    tar -cf a.tar in out?
    run --separate-stderr dcpi2pb -v --header-only -o out.pb a.tar
    grep -o 'out.): note: skipped: not a DCPI profile' <<<"$stderr" >skipped
    diff -u <(printf 'out%s): note: skipped: not a DCPI profile\n' {1..5}) skipped
    [[ $stderr == *': 4 profiles converted, 5 entries skipped, 0 failed: '* ]]
}
