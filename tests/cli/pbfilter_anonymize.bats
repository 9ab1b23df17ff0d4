# What is shared with a profile: pbcat --strings, pbfilter --anonymize, --restore,
# --drop-comments and --strip-paths

load helper

setup() {
    setup_scratch
    fixture cpu.pb.gz old.pb.gz new.pb.gz heap.pb.gz
    head -c 32 /dev/zero | tr '\0' k >key
    chmod 600 key
}

# a.pb: strings of every kind, each in its place, and one in none.
every_kind() {
    encode >a.pb <<'END'
string_table: "" string_table: "the_type" string_table: "the_unit"
string_table: "main" string_table: "_Zmain" string_table: "/home/me/src/main.c"
string_table: "/home/me/bin/tool" string_table: "0123abcd"
string_table: "tenant" string_table: "ACME" string_table: "size"
string_table: "furlongs" string_table: "ran on host7"
string_table: "http://intranet/" string_table: "^gone" string_table: "^kept"
string_table: "the_period" string_table: "the_period_unit"
string_table: "left behind" string_table: "same" string_table: "C:\\me\\same.c"
string_table: "[vdso]" string_table: "ACME.cold"
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 value: 7
    label { key: 8 str: 9 } label { key: 10 num: 4 num_unit: 11 } }
sample { location_id: 3 value: 2 }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 6 build_id: 7 }
mapping { id: 2 memory_start: 8192 memory_limit: 12288 filename: 21 }
location { id: 1 mapping_id: 1 address: 4100 line { function_id: 1 line: 3 } }
location { id: 2 mapping_id: 1 address: 4200 line { function_id: 2 line: 4 } }
location { id: 3 mapping_id: 2 address: 8200 line { function_id: 2 line: 4 }
    line { function_id: 3 line: 9 } }
function { id: 1 name: 3 system_name: 4 filename: 5 start_line: 2 }
function { id: 2 name: 19 system_name: 19 filename: 20 }
function { id: 3 name: 22 system_name: 22 }
drop_frames: 14 keep_frames: 15 comment: 12 doc_url: 13
period_type { type: 16 unit: 17 } period: 1 default_sample_type: 1
END
}

# The digest of a profile's content on standard input, or of files.
digest() {
    pbcat --digest "$@" | cut -c -32
}

@test "--strings prints every string by its use" {
    every_kind
    expect 0 pbcat --strings a.pb
    same 'function        ACME.cold
function        main
function        same
system name     _Zmain
source file     /home/me/src/main.c
source file     C:\me\same.c
binary          /home/me/bin/tool
binary          [vdso]
build ID        0123abcd
label key       size
label key       tenant
label value     ACME
label unit      furlongs
comment         ran on host7
doc_url         http://intranet/
drop_frames     ^gone
keep_frames     ^kept
sample type     the_type
sample unit     the_unit
period type     the_period
period unit     the_period_unit
unused          left behind'
    # With filters, what pbfilter would write.
    pbcat --strings --focus=ACME a.pb >out
    pbfilter --focus=ACME a.pb | pbcat --strings | cmp - out
    run ! grep -E 'tenant|left behind|_Zmain' out
}

@test "--drop-comments and --strip-paths" {
    every_kind
    pbfilter --drop-comments --strip-paths a.pb | pbcat --strings >out
    diff -u - out <<'END'
function        ACME.cold
function        main
function        same
system name     _Zmain
source file     main.c
source file     same.c
binary          [vdso]
binary          tool
build ID        0123abcd
label key       size
label key       tenant
label value     ACME
label unit      furlongs
doc_url         http://intranet/
drop_frames     ^gone
keep_frames     ^kept
sample type     the_type
sample unit     the_unit
period type     the_period
period unit     the_period_unit
END
    # One of these comes after the other.
    pbfilter --strip-paths --drop-comments --add-comment=mine a.pb |
        pbcat --comments | diff <(echo mine) -
    # Files that have one base name are one; slashes alone stay.
    printf '%s\n' / // a/ /b/a >names
    while read -r name; do
        printf 'sample_type { } sample { location_id: 1 value: 1 }
            location { id: 1 line { function_id: 1 } }
            function { id: 1 filename: 1 } string_table: "" string_table: "%s"' \
            "$name" | encode | pbfilter --strip-paths |
            pbcat --strings
    done <names >out
    diff -u - out <<'END'
source file     /
source file     //
source file     a
source file     a
END
}

@test "--anonymize replaces all names, and says what it does not" {
    every_kind
    expect 0 pbfilter --anonymize=key -o b.pb a.pb
    same_err "pbfilter: warning: not replaced by pseudonyms: call structure, values, sample types (the_type/the_unit), line numbers, addresses, numeric labels"
    pbcat --strings b.pb | sed -E 's/(fn|file|bin|key|val)_[a-z2-7]{16}/\1_X/
        s/[0-9a-f]{40}/ID/' | LC_ALL=C sort >out
    diff -u - out <<'END'
binary          [vdso]
binary          bin_X
build ID        ID
function        fn_X
function        fn_X
function        fn_X.cold
label key       key_X
label key       key_X
label unit      furlongs
label value     val_X
period type     the_period
period unit     the_period_unit
sample type     the_type
sample unit     the_unit
source file     file_X
source file     file_X
system name     fn_X
END
    # Nothing of it is in the bytes.
    run ! grep -aE 'main|ACME|same|home|tenant|host7|gone|0123abcd' b.pb
    pbcat -q --traces b.pb | sed '1,/^---/d' >b
    pbcat -q --traces a.pb | sed '1,/^---/d' >a
    [ "$(grep -c . a)" = "$(grep -c . b)" ]
    expect 0 pbfilter -q --anonymize a.pb
    [ -z "$stderr" ]
}

@test "a pseudonym is the HMAC of kind and name" {
    pbfilter -q --anonymize=key --map=map -o b.pb.gz cpu.pb.gz
    name=$(sed -n 's/^function\tfn_[a-z2-7]*\t\([a-z.A-Z]*\)$/\1/p' map | head -n 1)
    [ -n "$name" ]
    hash=$(printf 'function\0%s' "$name" |
        openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(xxd -p -c 64 key)" -binary |
        base32 -w 0 | tr A-Z a-z | cut -c -16)
    grep -qxF "function"$'\t'"fn_$hash"$'\t'"$name" map
}

@test "one key gives the same pseudonyms, another key other ones" {
    pbfilter -q --anonymize=key -o 1.pb cpu.pb.gz
    pbfilter -q --anonymize=key -o 2.pb cpu.pb.gz
    cmp 1.pb 2.pb
    pbfilter -q --anonymize=key -T4 cpu.pb.gz | cmp - 1.pb
    tr k j <key >other
    pbfilter -q --anonymize=other -o 3.pb cpu.pb.gz
    pbfilter -q --anonymize -o 4.pb cpu.pb.gz
    pbfilter -q --anonymize -o 5.pb cpu.pb.gz
    pbcat --strings [1345].pb | grep -c '^function' >n
    pbcat --strings 1.pb | grep -c '^function' >one
    [ "$(cat n)" = $((4 * $(cat one))) ]
}

@test "a merge of pseudonyms is the pseudonyms of a merge" {
    local f
    for f in old new cpu; do
        pbfilter -q --anonymize=key -o "$f.pb" "$f.pb.gz"
    done
    pbmerge old.pb.gz new.pb.gz | pbfilter -q --anonymize=key |
        pbmerge -0 -o of_sum.pb
    pbmerge -0 -o sum.pb old.pb new.pb
    cmp sum.pb of_sum.pb
    # Of two main binaries, the first is the lesser by its name.
    pbmerge old.pb.gz cpu.pb.gz | pbfilter -q --anonymize=key |
        pbcat -q --folded >of_sum
    pbcat -q --folded old.pb cpu.pb | cmp - of_sum
    # Differences too.
    pbmerge --base=old.pb.gz new.pb.gz | pbfilter -q --anonymize=key |
        pbmerge -0 -o of_difference.pb
    pbmerge -0 --base=old.pb -o difference.pb new.pb
    cmp difference.pb of_difference.pb
}

@test "--map and --restore are the way there and back" {
    local f
    every_kind
    pbfilter --drop-comments --prune a.pb | pbmerge --types=union - cpu.pb.gz \
        heap.pb.gz >all.pb
    pbfilter -q --drop-comments all.pb | pbmerge -o before.pb
    expect 0 pbfilter -v --anonymize --map=map -o b.pb before.pb
    [[ $stderr == *'note: replaced by pseudonyms: '*' functions, '*' files, '* ]]
    [ "$(stat -c %a map)" = 600 ]
    sed 1d map | LC_ALL=C sort -c -t $'\t' -k 1,1 -k 2,2 ||
        [ "$(cut -f 1 map | uniq | sort | uniq -d)" = '' ]
    pbfilter --restore=map b.pb | pbcat --strings |
        diff <(pbcat --strings before.pb | grep -v 'doc_url\|_frames') -
    pbfilter --restore=map b.pb | pbmerge | pbcat --folded |
        diff <(pbcat --folded before.pb) -
    # Filters are about the names that were restored.
    pbfilter --restore=map --focus=gobank b.pb | pbcat --folded | grep -q gobank
    # Of several in one go, and compressed.
    gzip -k map
    mkdir each
    pbfilter -q --anonymize=key --map=all.map --each -o each/ old.pb.gz new.pb.gz
    pbfilter -q --anonymize=key --map=old.map -o old.pb old.pb.gz
    pbfilter -q --anonymize=key --map=new.map -o new.pb new.pb.gz
    sort -u old.map new.map | cmp - <(sort all.map)
    pbfilter --restore=map.gz b.pb | cmp - <(pbfilter --restore=map b.pb)
    # Mail and other systems may end lines as Windows does.
    sed 's/$/\r/' map >map.crlf
    pbfilter --restore=map.crlf b.pb | cmp - <(pbfilter --restore=map b.pb)
    expect 0 pbfilter --restore=map -o /dev/null cpu.pb.gz
    same_err 'pbfilter: warning: map: no pseudonym of this map occurs in the input'
}

@test "names that are kept" {
    every_kind
    expect 0 pbfilter --anonymize=key --keep-names='^main$|^tenant|home' -o b.pb a.pb
    same_err ... '; names kept: 1 function, 1 file, 1 binary, 1 label key'
    pbcat --strings b.pb >out
    grep -qx 'function  *main' out
    grep -qx 'binary  */home/me/bin/tool' out
    grep -qx 'label key  *tenant' out
    run ! grep ACME out
    # Of a function in two binaries, only the one that is in this.
    pbfilter -q --anonymize=key --keep-mappings='^/home' -o c.pb a.pb
    pbcat -q --folded --no-trim --binaries c.pb
    pbcat -q --raw c.pb >raw
    grep -q 'M=1 same C:\\me\\same.c:4' raw
    grep -q 'M=1 main /home/me/src/main.c:3' raw
    grep -q 'M=2 fn_[a-z2-7]* file_[a-z2-7]*:4' raw
    grep -q '0123abcd' raw
    # It is the same whether a merge comes before or after.
    pbmerge a.pb | pbfilter -q --anonymize=key --keep-mappings=vdso |
        pbmerge -0 -o after.pb
    pbfilter -q --anonymize=key --keep-mappings=vdso a.pb | pbmerge -0 -o before.pb
    cmp before.pb after.pb
}

@test "differences and drop_frames survive" {
    pbcat -q --proto --diff-base=old.pb.gz new.pb.gz >d.pb
    pbfilter -q --anonymize=key d.pb | pbcat -q --raw | grep -q 'pprof::base:\[true\]'
    pbfilter -q --anonymize --map=map -o b.pb heap.pb.gz
    pbfilter --restore=map b.pb | pbcat -q --folded | diff - \
        <(pbcat -q --folded heap.pb.gz)
}

@test "names of any bytes come back" {
    perl "$ROOT/tests/cli/names.pl" make >names.pb
    expect 3 pbfilter -q --anonymize names.pb
    same_err ... 'drop_frames of the profile: invalid regular expression' ...
    pbfilter -q --drop-comments --drop-frames='^$' names.pb | pbmerge -o before.pb
    pbfilter -q --anonymize --drop-frames='^$' --map=map -o b.pb before.pb
    # The map is text of one line for each.
    run ! grep -anP '[^\t\x20-\x7e]' map
    [ "$(grep -cavE '^(function|file|binary|build_id|label_key|label_value)	[^	]*	.+$' map)" = 1 ]
    pbfilter --restore=map b.pb | pbmerge | pbcat -q --strings |
        diff <(pbcat -q --strings before.pb | grep -v '^doc_url\|_frames') -
    # An empty profile has none.
    encode </dev/null >empty.pb
    pbfilter -q --anonymize --map=map empty.pb >/dev/null || [ $? = 3 ]
}

@test "keys and maps that are not" {
    head -c 15 key >short
    expect 3 pbfilter --anonymize=short cpu.pb.gz
    same_line 1 "pbfilter: short: invalid key: expected 16 to 4096 bytes, as 'head -c 32 /dev/urandom' makes them"
    head -c 5000 /dev/zero >long
    chmod 600 long
    expect 3 pbfilter --anonymize=long cpu.pb.gz
    expect 4 pbfilter --anonymize=nosuch cpu.pb.gz
    same_err 'pbfilter: nosuch: cannot open: No such file or directory'
    chmod 644 key
    expect 0 pbfilter --anonymize=key -o out.pb cpu.pb.gz
    [[ $stderr == "pbfilter: warning: key: every user can read the key (mode 0644); use 'chmod 600'"* ]]
    expect 4 pbfilter -q --anonymize --map=no/such/map -o none.pb cpu.pb.gz
    [ ! -e none.pb ]
    expect 4 pbfilter --restore=nosuch cpu.pb.gz
    expect 2 pbfilter --map=map cpu.pb.gz
    same_err 'pbfilter: --map requires --anonymize'
    expect 2 pbfilter --anonymize= cpu.pb.gz
    same_err 'pbfilter: --anonymize: empty file name'
    expect 2 pbfilter --restore= cpu.pb.gz
    same_err 'pbfilter: --restore: empty file name'
    expect 2 pbfilter --keep-names=x cpu.pb.gz
    expect 2 pbfilter --keep-mappings=x cpu.pb.gz
    expect 2 pbfilter --anonymize --restore=map cpu.pb.gz
    same_err 'pbfilter: --anonymize cannot be combined with --restore'
    expect 2 pbfilter --anonymize --map=x -o x cpu.pb.gz
    cp cpu.pb.gz in.pb.gz
    expect 2 pbfilter --anonymize --map=in.pb.gz in.pb.gz
    cmp in.pb.gz cpu.pb.gz
    expect 2 pbfilter --anonymize --keep-names='a(' cpu.pb.gz
    same_err 'pbfilter: --keep-names: ' ...
    printf 'function\tfn_a\tb\nfunction\tfn_a\tc\n' >map
    expect 3 pbfilter --restore=map cpu.pb.gz
    same_err 'pbfilter: map: line 2: an earlier line has another name for this pseudonym'
    local bad
    for bad in x 'function\tfn_a' 'function\tfn_a\t' '\t\tx' 'function\tfn_a\t\\\\x0' \
        'function\tfn_a\t\\\\xzz' 'function\tfn_a\t\\\\n'; do
        # shellcheck disable=SC2059 # with escapes
        printf "# a map\n$bad\n" >map
        expect 3 pbfilter --restore=map cpu.pb.gz
        same_err 'pbfilter: map: line 2: expected kind, pseudonym and name ' ...
    done
    : >map
    expect 0 pbfilter --restore=map -o out.pb cpu.pb.gz
    same_err 'pbfilter: warning: map: no pseudonym of this map occurs in the input'
}
