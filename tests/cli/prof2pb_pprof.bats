# prof2pb and pprof on CPU profiles: the same for whatever records there are,
# but for the differences that prof2pb(1) lists, shown here on both sides.

load helper
load gperf

# shellcheck disable=SC2086 # lists of words

map_a='400000-500000 r-xp 00000000 00:00 1 /a'

# What pprof reads in a file, and what it reads in what prof2pb made of it.
pprof_shows() {
    output=$(shown "$1" | tail -n +3)
    same "$2"
}

we_show() {
    prof2pb -q --no-symbols "$1" -o ours.pb.gz
    output=$(shown ours.pb.gz | tail -n +3)
    same "$2"
}

# Files of up to 99 records from a small set of addresses, so that second
# frames, repeated leaves and stacks are often the same.  For odd seeds, nearly
# all records have one second frame; for each other pair of them, one third.
random_file() { # SEED
    perl -e 'my $seed = shift;
        srand $seed;
        my @w = (0, 3, 0, 1 + int rand 20000, 0);
        my $kinds = 1 + int rand 4;
        for (1 .. rand 100) {
            my @s = map { 0x401000 + 0x100 * int rand $kinds }
                0 .. $seed % 2 + rand 5;
            $s[$#s] = 0x700000 + int rand 0x300000 if rand 5 < 1;
            $s[1] = $s[0] if @s > 1 && $seed % 2 == 0 && rand 10 < 1;
            $s[1] = 0x408000 if $seed % 2 && rand 60 >= 1;
            $s[2] = 0x409000 if @s > 2 && $seed % 4 > 1;
            push @w, 1 + int rand 9, scalar @s, @s;
        }
        print pack "Q<*", @w, 0, 1, 0;
        print "00400000-00500000 r-xp 00001000 08:01 1 /bin/a\n",
            "00700000-00800000 r-xp 00002000 08:01 2 /lib/a.so\n",
            "00800000-00900000 r--p 00003000 08:01 2 /lib/a.so\n",
            "00900000-00980000 r-xp 00000000 00:00 0 [vdso]\n"' "$1"
}

# The names of the mappings, in the order of the addresses in them.
names_in() {
    shown "$1" | perl -ne '$at{$1} = $2 if /^ +\d+: 0x(\S+) M=(\d+)/;
        $name{$1} = $2 if /^(\d+): 0x\S* ?(.*)/;
        END { print "$name{$at{$_}}\n" for sort { hex $a <=> hex $b }
            keys %at }'
}

@test "pprof: any records, with --strip-signal-frames" {
    local stripped=0
    for seed in {1..60}; do
        random_file $seed >$seed.prof
        same_as_pprof $seed.prof
        cmp -s ours.pb.gz <(prof2pb -q --no-symbols $seed.prof) ||
            stripped=$((stripped + 1))
    done
    # Of these some lose frames so, and some do not.
    [ $stripped -ge 10 ]
    [ $stripped -le 50 ]
}

@test "pprof: words of 4 and 8 bytes of both byte orders" {
    for pack in 'L<' 'L>' 'Q<' 'Q>'; do
        { perl -e 'print pack "'"$pack"'*", @ARGV' $header \
            3 2 4198400 4202496 7 1 4206592 $end
          echo "$map_a"; } >cpu.prof
        same_as_pprof cpu.prof
    done
}

@test "pprof: a leaf at 0 is a sample, in no mapping" {
    { words $header 3 1 0 4 2 0 0x401000 0 1 0x401000 $end
      echo "$map_a"; } >cpu.prof
    same_as_pprof cpu.prof
    pprof_totals ours.pb.gz | grep -qx 'samples/count 7'
    shown ours.pb.gz | grep -qx '     1: 0x0'
}

@test "pprof: a second frame that repeats the leaf goes, its callers stay" {
    { words $header 3 3 0x401000 0x401000 0x402000 1 2 0x401000 0x403000 $end
      echo "$map_a"; } >cpu.prof
    same_as_pprof cpu.prof
}

@test "pprof: where mappings begin, and addresses below them or in none" {
    { words $header 1 1 0x401800 1 1 0x7fff00500000 1 1 0x7fff00000800 \
        1 1 0x10 $end
      echo '00401000-00402000 r-xp 00001000 08:01 1 /bin/a'
      echo '7fff00400000-7fff00600000 r-xp 00400000 08:01 2 /lib/b.so.1'
    } >cpu.prof
    same_as_pprof cpu.prof
    shown ours.pb.gz | sed '1,/^Mappings/d' | sort -k 2 >mappings
    [ "$(cut -d' ' -f2- mappings)" = '0x0/0xffffffffffffffff/0x0
0x400000/0x402000/0x0 /bin/a
0x7fff00000000/0x7fff00600000/0x0 /lib/b.so.1' ]
    sed 's/^00401000-00402000/555500001000-555500002000/' cpu.prof >pie.prof
    same_as_pprof pie.prof
}

@test "pprof: what names mappings have, and which are executable" {
    { words $header 1 1 0x500000 1 1 0x600000 1 1 0x700000 1 1 0x800000 \
        1 1 0x900000 1 1 0xa00000 1 1 0xffffffffff600000 $end
      printf '%s\r\n' '00500000-00501000 r-xp 00000000 08:01 1 /bin/a' \
          '00600000-00601000 --xp 00000000 00:00 0 [vdso]' \
          '00700000-00701000 r-xp 00000000 00:00 0 //anon' \
          '00800000-00801000 r-xp 00000000 08:01 3 /lib/c.so (deleted)' \
          '00900000-00901000 rw-p 00000000 08:01 3 /not/executable'
      cat <<'END_OF_MAPS'
build=/home/me
00a00000-00a01000 r-xp 00000000 00:00 0          $build/lib.so
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
END_OF_MAPS
    } >cpu.prof
    same_as_pprof cpu.prof
    # At 0x900000 there is none, and so a mapping of all addresses.
    [ "$(names_in ours.pb.gz)" = "/bin/a
[vdso]
//anon
/lib/c.so

/home/me/lib.so
[vsyscall]" ]
}

@test "pprof: brief mappings, with offset and build id, and logged ones" {
    { words $header 1 1 0x700100 1 1 0x710100 1 1 0x720100 1 1 0x730100 $end
      cat <<'END_OF_MAPS'
700000-701000: /lib/x.so.1
0x710000-0x711000 /path/bin (@FF00) abc123456
720000 721000 r-xp /lib/y.so
I0102 12:34:56.789 12 file.cc:12] 730000-731000: /lib/z.so
END_OF_MAPS
    } >cpu.prof
    same_as_pprof cpu.prof
    shown ours.pb.gz |
        grep -qx '1: 0x710000/0x711000/0xff00 /path/bin abc123456'
}

@test "pprof: pieces of one file are one mapping, huge pages in front none" {
    { words $header 1 1 0x600800 1 1 0x602800 1 1 0x800800 1 1 0x802800 \
        1 1 0x1000800 1 1 0x1001800 $end
      cat <<'END_OF_MAPS'
00600000-00601000 r-xp 00001000 08:01 1 /lib/a.so
00601000-00603000 r-xp 00002000 08:01 1 /lib/a.so
00800000-00801000 r-xp 00001000 08:01 1 /lib/b.so
00801000-00803000 r-xp 00007000 08:01 1 /lib/b.so
01000000-01001000 r-xp 00001000 08:01 1 /bin/a
01001000-01002000 r-xp 00000000 08:01 1 /bin/a
END_OF_MAPS
    } >cpu.prof
    same_as_pprof cpu.prof
    shown ours.pb.gz | sed '1,/^Mappings/d' | cut -d' ' -f2- | sort >mappings
    [ "$(<mappings)" = '0x1000000/0x1002000/0x1000 /bin/a
0x600000/0x603000/0x1000 /lib/a.so
0x800000/0x801000/0x1000 /lib/b.so
0x801000/0x803000/0x7000 /lib/b.so' ]

    { words $header 1 1 0x20800 1 1 0x30800 $end
      cat <<'END_OF_MAPS'
00020000-00030000 r-xp 00000000 00:0e 9 /anon_hugepage (deleted)
00030000-00040000 r-xp 00010000 08:01 1 /bin/a
END_OF_MAPS
    } >huge.prof
    same_as_pprof huge.prof

    { words $header 1 1 0x21800 1 1 0x22800 1 1 0x23800 $end
      cat <<'END_OF_MAPS'
00021000-00022000 r-xp 00001000 08:01 1 /bin/a
00022000-00023000 r-xp 00000000 00:00 0
00023000-00024000 r-xp 00003000 08:01 1 /bin/a
END_OF_MAPS
    } >moved.prof
    same_as_pprof moved.prof
}

@test "pprof: differs: a header of more words, a fifth that is not 0" {
    for h in '0 4 0 10000 0 9' '0 3 0 10000 7'; do
        { words $h 3 1 0x401000 $end; echo "$map_a"; } >cpu.prof
        run go_pprof -raw cpu.prof
        [ "$status" != 0 ]
        we_show cpu.prof '          3   30000000: 1
Locations
     1: 0x401000 M=1
Mappings
1: 0x400000/0x500000/0x0 /a'
    done
}

@test "pprof: differs: a caller at 0" {
    { words $header 3 3 0x401000 0 0x402000 4 2 0x401000 0x403000 $end
      echo "$map_a"; } >cpu.prof
    pprof_shows cpu.prof '          3   30000000: 1 2 3
          4   40000000: 1 4
Locations
     1: 0x401000 M=1
     2: 0xffffffffffffffff M=2
     3: 0x401fff M=1
     4: 0x402fff M=1
Mappings
1: 0x400000/0x500000/0x0 /a
2: 0x0/0xffffffffffffffff/0x0'
    we_show cpu.prof '          3   30000000: 1 2
          4   40000000: 1 3
Locations
     1: 0x401000 M=1
     2: 0x401fff M=1
     3: 0x402fff M=1
Mappings
1: 0x400000/0x500000/0x0 /a'
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    same_err 'prof2pb: cpu.prof: warning: 1 caller at address 0 skipped'
}

@test "pprof: differs: names with blanks, variables, shared mappings, words" {
    { words $header 1 1 0xbe8 1 1 0x401000 1 1 0x601000 1 1 0x801000 \
        1 1 0xa01000 1 1 0xc01000 $end
      cat <<'END_OF_MAPS'
build=/home/me
00400000-00500000 r-xp 00000000 00:00 1 $builder/lib.so
600000-700000: $build/a
build=/else
800000-900000: $build/b
beef
00a00000-00b00000 r-xs 00000000 00:00 1 /shared
00c00000-00d00000 r-xp 00000000 00:00 1 /my app
END_OF_MAPS
    } >cpu.prof
    [ "$(names_in cpu.prof)" = '
/home/meer/lib.so
/home/me/a
/home/me/b

/my' ]
    prof2pb -q --no-symbols cpu.prof -o ours.pb.gz
    # The first is in no mapping: that of all addresses has no name.
    [ "$(names_in ours.pb.gz)" = '
$builder/lib.so
/home/me/a
/else/b
/shared
/my app' ]
    { words $header 1 1 0xbe8 $end; echo beef; } >beef.prof
    expect 0 prof2pb --no-symbols beef.prof -o ours.pb.gz
    same_err ... 'beef.prof: warning: 1 line of the list of mappings skipped, starting at line 1: neither mappings nor variables' ...
}

@test "pprof: differs: a neighbour without a name" {
    { words $header 3 1 0x600000 1 1 0x601000 $end
      echo '00600000-00601000 r-xp 00000000 00:00 0 '
      echo '00601000-00602000 r-xp 00000000 00:00 0 [vdso]'; } >cpu.prof
    pprof_shows cpu.prof '          3   30000000: 1
          1   10000000: 2
Locations
     1: 0x600000 M=1
     2: 0x601000 M=1
Mappings
1: 0x600000/0x602000/0x0 [vdso]'
    we_show cpu.prof '          3   30000000: 1
          1   10000000: 2
Locations
     1: 0x600000 M=1
     2: 0x601000 M=2
Mappings
1: 0x600000/0x601000/0x0
2: 0x601000/0x602000/0x0 [vdso]'
}

@test "pprof: differs: addresses below mappings, whatever came before them" {
    maps='00040000-00050000 r-xp 00020000 08:01 7 /bin/a
00060000-00070000 r-xp 00030000 08:01 8 /bin/b'
    # 0x35000 is below both; the first of the list has it.
    { words $header 1 1 0x59000 1 1 0x35000 $end; echo "$maps"; } >cpu.prof
    { words $header 1 1 0x35000 1 1 0x59000 $end; echo "$maps"; } >swapped.prof
    [ "$(names_in cpu.prof)" = '/bin/b
/bin/b' ]
    [ "$(names_in swapped.prof)" = '/bin/a
/bin/b' ]
    for file in cpu swapped; do
        prof2pb -q --no-symbols $file.prof -o ours.pb.gz
        [ "$(names_in ours.pb.gz)" = '/bin/a
/bin/b' ]
    done
    # An address in none of them before it changes nothing.
    { words $header 1 1 0x90000 1 1 0x35000 $end; echo "$maps"; } >cpu.prof
    [ "$(names_in cpu.prof)" = '
' ] || [ -z "$(names_in cpu.prof)" ]
    prof2pb -q --no-symbols cpu.prof -o ours.pb.gz
    [ "$(names_in ours.pb.gz)" = /bin/a ]
}

@test "pprof: differs: Java functions of one name, and numbers without one" {
    { words 0 3 1 10000 0 1 3 0x10 0x20 0x30 $end
      printf '0x10 a.b (A.java:1)\n0x20 a.b (B.java:2)\n'; } >java.prof
    shown java.prof | grep -c ' a.b A.java:' | grep -qx 2
    shown java.prof | grep -qx '     3: 0x0 M=1'
    expect 0 prof2pb --no-symbols java.prof -o ours.pb.gz
    same_err 'prof2pb: java.prof: warning: no name in the file for 1 of 3 frames'
    pbcat --raw ours.pb.gz >shown
    grep -qx ' *[1-3]: 0x0 a.b A.java:1:0 s=0' shown
    grep -qx ' *[1-3]: 0x0 a.b B.java:2:0 s=0' shown
    grep -qx ' *[1-3]: 0x30 *' shown
    [ "$(tail -n 1 shown)" = Mappings ]
}

@test "pprof: differs: times of more than 64 bits" {
    { words $header 9223372036854775 1 0x401000 $end; echo "$map_a"; } >cpu.prof
    shown cpu.prof | grep -q '^ *9223372036854775 *-[0-9]*: 1$'
    expect 3 prof2pb --no-symbols cpu.prof -o out
    same_err 'prof2pb: cpu.prof: offset 40: 9223372036854775 samples of 10000000 ns each exceed 64 bits'
}

@test "pprof: differs: records behind which text comes, with no end marker" {
    { words $header 3 1 0x401000; echo "$map_a"; } >cpu.prof
    run go_pprof -raw cpu.prof
    [ "$status" != 0 ]
    expect 3 prof2pb --no-symbols cpu.prof -o out
    same_err "prof2pb: cpu.prof: offset 72: " ... 'invalid record: a stack cannot have ' ... ' frames'
}

@test "periods are those of libprofiler for all frequencies" {
    gcc -g -O1 -o prog "$DATA/bank.c"
    while read -r frequency period; do
        CPUPROFILE_FREQUENCY=$frequency profile cpu.prof ./prog 0.02
        prof2pb -q --no-symbols cpu.prof | pbcat --raw |
            grep -qx "Period: $period"
    done <<'END_OF_LIST'
3 333333000
7 142857000
300 3333000
4000 250000
9999 250000
0 10000000
END_OF_LIST
}
