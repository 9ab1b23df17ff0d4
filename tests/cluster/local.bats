# examples/ on one machine: GNU parallel, make, and programs that send names
# through pipes; these tests are in `make check`

load cluster

@test "slices by GNU parallel give the bytes of one merge" {
    profiles 12
    expect 0 "$EXAMPLES/merge-parallel" -n 5 names 'all of it.pb.gz' -j2
    cmp sum.pb.gz 'all of it.pb.gz'
    # More slices than names, which may be in another order.
    mv 'in put' profiles
    documented "find profiles -name '*.pb.gz' >names"
    expect 0 documented 'merge-parallel -n 16 names all.pb.gz -j 8'
    cmp sum.pb.gz all.pb.gz
    [ "$(ls -d all*)" = 'all of it.pb.gz
all.pb.gz' ]
}

@test "a slice that fails leaves the output as it was, and -k skips" {
    profiles 24
    echo earlier >all.pb.gz
    echo damaged >damaged
    echo damaged >>names
    expect 3 "$EXAMPLES/merge-parallel" -n 5 names all.pb.gz
    [[ $stderr = *'damaged: not a profile.proto message'* ]]
    [ "$(cat all.pb.gz)" = earlier ]
    expect 5 "$EXAMPLES/merge-parallel" -k -n 5 names all.pb.gz
    [[ $stderr = *'damaged: not a profile.proto message'* ]]
    cmp sum.pb.gz all.pb.gz
    expect 3 "$EXAMPLES/merge-parallel" /dev/null none.pb.gz
    expect 2 "$EXAMPLES/merge-parallel" names
    [ "$(ls -d all* none* 2>/dev/null)" = all.pb.gz ]
}

# As Spark and Hadoop do: a partition of lines for each process, one of them
# empty, and one that runs twice.
@test "names go through pipes, and names of parts come back" {
    profiles 24
    mkdir parts
    for k in 0 1 2 1; do
        awk -v k=$k 'NR % 3 == k' names | "$EXAMPLES/merge-names" parts
    done >results
    "$EXAMPLES/merge-names" parts </dev/null >>results
    [ "$(wc -l <results)" = 4 ]
    [ "$(ls parts | wc -l)" = 3 ]
    sort -u results | pbmerge --files-from=- | cmp sum.pb.gz -
    echo no-such-file >>names
    expect 4 "$EXAMPLES/merge-names" parts <names
    same ''
}

# Runs `make profile`; $output is what it ran, without arguments that vary.
profile() {
    make -j2 profile >log 2>&1 || { cat log; return 1; }
    output=$(sed -nE 's/^((cp|folded2pb|pbmerge|pbcat).*)/\1/p' log |
        sed 's/ \\$//' | tr -s ' \t' ' ' | sort)
}

tests_of_make() {
    cat >Makefile <<'MAKE'
all:
PROFILE_TESTS = lexer parser sub/third
PROFILE_RUN = cp $*.folded $@
PROFILE_CONVERT = folded2pb -o $@ $<
include $(EXAMPLES)/profiles.mk
$(PROFILE_RAW): $(PROFILE_DIR)/%.prof: %.folded
MAKE
    export EXAMPLES
    mkdir sub
    echo 'main;lex 5' >lexer.folded
    echo 'main;parse 7' >parser.folded
    echo 'main;third 9' >sub/third.folded
}

@test "profiles.mk makes what is missing or out of date, and no more" {
    tests_of_make
    local merged='pbcat -o profiles/flame.html profiles/all.pb.gz
pbcat -o profiles/report.txt profiles/all.pb.gz
pbmerge --files-from=profiles/all.names --if-changed -o profiles/all.pb.gz'
    profile
    same "cp lexer.folded profiles/lexer.prof || { rm -f profiles/lexer.prof; exit 1; }
cp parser.folded profiles/parser.prof || { rm -f profiles/parser.prof; exit 1; }
cp sub/third.folded profiles/sub/third.prof || { rm -f profiles/sub/third.prof; exit 1; }
folded2pb -o profiles/lexer.pb.gz profiles/lexer.prof
folded2pb -o profiles/parser.pb.gz profiles/parser.prof
folded2pb -o profiles/sub/third.pb.gz profiles/sub/third.prof
$merged"
    pbmerge profiles/{lexer,parser,sub/third}.pb.gz | cmp - profiles/all.pb.gz
    pbcat profiles/all.pb.gz | cmp - profiles/report.txt
    [ -s profiles/flame.html ]
    profile
    same ''
    # One test has changed.
    echo 'main;parse 8' >parser.folded
    profile
    same "cp parser.folded profiles/parser.prof || { rm -f profiles/parser.prof; exit 1; }
folded2pb -o profiles/parser.pb.gz profiles/parser.prof
$merged"
    pbcat --folded profiles/all.pb.gz | grep -x 'main;parse 8'
    profile
    same ''
    # It has run again, with the same result: no report.
    touch parser.folded
    profile
    same "cp parser.folded profiles/parser.prof || { rm -f profiles/parser.prof; exit 1; }
folded2pb -o profiles/parser.pb.gz profiles/parser.prof
pbmerge --files-from=profiles/all.names --if-changed -o profiles/all.pb.gz"
    profile
    same ''
    # The list of tests has changed.
    sed -i 's/^PROFILE_TESTS = lexer/PROFILE_TESTS =/' Makefile
    profile
    same "$merged"
    pbmerge profiles/{parser,sub/third}.pb.gz | cmp - profiles/all.pb.gz
    # The sum is lost.
    rm profiles/all.pb.gz
    profile
    pbmerge profiles/{parser,sub/third}.pb.gz | cmp - profiles/all.pb.gz
    make -s profile-clean
    [ "$(find profiles -type f | sort)" = 'profiles/lexer.pb.gz
profiles/lexer.prof' ]
    # Nothing begins but what is asked for.
    [ -z "$(make -s -n)" ]
}

@test "profiles.mk keeps no profile of a test that fails" {
    tests_of_make
    sed -i 's/^PROFILE_RUN.*/& \&\& grep -q main $@/' Makefile
    echo 'wrong;parse 7' >parser.folded
    ! profile || false
    [ ! -e profiles/parser.prof ]
    [ ! -e profiles/all.pb.gz ]
    echo 'main;parse 7' >parser.folded
    profile
    pbcat --folded profiles/all.pb.gz | grep -x 'main;parse 7'
}

@test "profiles.mk merges what there is with PROFILE_KEEP_GOING" {
    tests_of_make
    sed -i 's/^PROFILE_RUN.*/& \&\& grep -q main $@/' Makefile
    profile
    # One test fails, and what another writes cannot be converted.
    echo 'wrong;parse 7' >parser.folded
    echo 'main;lex x' >lexer.folded
    ! profile || false
    for _ in 1 2; do
        rm -f profiles/all.pb.gz
        expect 0 make -s -j2 profile PROFILE_KEEP_GOING=1
        [ "$(grep '^not merged: ' <<<"$stderr" | sort -u)" = 'not merged: profiles/lexer.pb.gz
not merged: profiles/parser.pb.gz' ]
        pbmerge profiles/sub/third.pb.gz | cmp - profiles/all.pb.gz
        [ "$(ls profiles/*.pb.gz)" = profiles/all.pb.gz ]
    done
    # Without it nothing is taken for whole.
    ! profile || false
    echo 'main;parse 7' >parser.folded
    echo 'main;lex 5' >lexer.folded
    profile
    pbmerge profiles/{lexer,parser,sub/third}.pb.gz | cmp - profiles/all.pb.gz
}

@test "profiles.mk and the files of the processes of gcc -pg" {
    export EXAMPLES
    spin lex | sed 's/^int main.*/#include <stdlib.h>\n&/
        s/^ *while/    if (getenv("FAIL")) { lex(); exit(1); }\n&/' >lexer.c
    spin parse | sed 's/^int main.*/#include <sys\/wait.h>\n#include <unistd.h>\n&/
        s/^ *while/    if (fork()) wait(NULL);\n&/' >parser.c
    {
        echo 'all:'
        settings 'gcc -pg'
        echo 'PROFILE_TESTS = lexer parser'
        echo 'include $(EXAMPLES)/profiles.mk'
    } >Makefile
    make -s lexer parser CFLAGS='-g -pg'
    ! FAIL=1 make -s -j2 profile || false
    make -s -j2 profile
    pbcat --check profiles/all.pb.gz || [ $? = 1 ]
    (cd profiles && printf "%s\n" *) | diff - <(printf '%s\n' all.names all.pb.gz all.stamp \
        flame.html {lexer,parser}.{pb.gz,prof} report.txt)
    # Two processes, 100 ms each, of which one was there before fork().
    grep -w lex profiles/report.txt
    grep -w parse profiles/report.txt
    [ "$(tar -tf profiles/parser.prof | wc -l)" = 2 ]
    # What a kill has left.
    touch profiles/lexer.prof.{1,2} profiles/lexer.prof_3
    make -s profile-clean
    [ -z "$(ls profiles)" ]
}

# A program that takes about 100 ms of processor time.
spin() { # FUNCTION
    cat <<C
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) void $1(void) {
    for (int i = 0; i < 100000; i++)
        sum += i;
}
int main(void) {
    while (clock() < CLOCKS_PER_SEC / 10)
        $1();
}
C
}

@test "profiles.mk with programs of gperftools and gcc -pg, and with perf" {
    export EXAMPLES
    spin lex >lexer.c
    spin parse >parser.c
    for kind in gperftools 'gcc -pg' 'any program'; do
        settings "$kind" >settings
        grep -q PROFILE_RUN settings
        # The Makefile of README.md, which has the settings of gperftools.
        sed -n '/^```make/,/^```$/p' "$EXAMPLES/README.md" | sed '/^```/d' |
            sed "s|/usr/share/doc/profutils/examples|$EXAMPLES|" >Makefile
        diff settings <(grep PROFILE_RUN Makefile) ||
            sed -i -e '/PROFILE_RUN/{r settings' -e 'd}' Makefile
        case $kind in
        gperftools) flags='-Wl,--no-as-needed -lprofiler' ;;
        'gcc -pg') flags=-pg ;;
        *) flags='' ;;
        esac
        rm -rf lexer parser profiles
        touch lexer.input
        make -s lexer parser CFLAGS=-g LDLIBS="$flags"
        documented 'make -j8 profile'
        grep -w lex profiles/report.txt
        grep -w parse profiles/report.txt
        pbmerge profiles/{lexer,parser}.pb.gz | cmp - profiles/all.pb.gz
        ! make profile | grep -E 'lexer|all' || false
    done
}

@test "examples/README.md describes each of the files" {
    for file in "$EXAMPLES"/*; do
        file=${file##*/}
        [ "$file" = README.md ] || grep -q "\[$file\]($file)" "$EXAMPLES/README.md"
    done
}

# A project for regression.mk.  Its runs are of 20 functions, of which f3 takes
# the more samples the number in the file `more` is; each run moves all counts a
# little.  The last commit changes `more` to $1.
project() { # MORE
    git init -q -b main project
    cd project
    git config user.email nobody@example.org
    git config user.name nobody
    cp "$EXAMPLES/regression.mk" .
    printf 'program:\n\tcp more $@\n' >Makefile
    echo 0 >more
    cat >record <<'SH'
#!/bin/sh
awk -v run="$2" -v side="$3" -v more="$(cat program)" 'BEGIN {
    run += side == "new" ? 50 : 0
    for (i = 1; i <= 20; i++) {
        n = 1000 + (run * 37 + i * 53 + run * i * 7) % 41 - 20
        print "main;work;f" i, n + (i == 3 ? more : 0)
    }
}' | folded2pb -q -o "$1"
SH
    chmod +x record
    git add .
    git commit -q -m before
    echo "$1" >more
    git commit -q --allow-empty -am after
    export REGRESSION_BASE='HEAD^' REGRESSION_RECORD='./record $$profile $$run $$1'
}

@test "regression.mk fails if a function takes a larger share than before" {
    project 500
    expect 2 make -f regression.mk regression
    [ "$(grep '^recording' <<<"$output" | sed -n '1,3p')" = 'recording run 1 of base
recording run 1 of new
recording run 2 of base' ]
    [[ $output == *'Base: 5 runs, '* ]]
    [[ $output == *' slower '*' flat  f3'* ]]
    [ "$(ls regression/*.pb.gz | wc -l)" = 10 ]
    grep -qx '\*\*Regression\*\*: .*' regression/report.md
    xmllint --noout regression/report.xml
    grep -q '<failure ' regression/report.xml
    expect 0 make -s -f regression.mk regression-compare REGRESSION_OPTIONS=--max-growth=80%
    # A second time, from a Makefile that includes it.
    echo 'include regression.mk' >>Makefile
    expect 2 make regression REGRESSION_RUNS=3
    [[ $output == *'New: 3 runs, '* ]]
    # Without profiles there is no answer.
    expect 2 make regression REGRESSION_RECORD='echo broken >&2; false'
    [[ $stderr == broken* ]]
    [ ! -e regression/report.txt ]
}

@test "regression.mk succeeds if nothing changed" {
    project 0
    expect 0 make -f regression.mk regression
    grep -qx '\*\*No regression shown\*\*: .*' regression/report.md
    ! grep -q '<failure ' regression/report.xml || false
    [[ $(<regression/report.txt) == *$'\n42 no change shown\n'* ]]
}

# The commands of a job, in their order: for each a line `key`, then its text.
commands_of() { # FILE JOB
    perl -MCPAN::Meta::YAML -e '
        my $yaml = CPAN::Meta::YAML->read($ARGV[0])->[0];
        my $job = ($yaml->{jobs} // $yaml)->{$ARGV[1]};
        my @steps = grep { defined } map { $_->{run} } @{ $job->{steps} // [] };
        push @steps, map { @{ $job->{$_} // [] } }
            qw(before_script script after_script);
        print map { s/\n*$/\n/r } @steps' "$@"
}

# Programs of a machine of jobs; what gh and curl send is in the file `sent`.
machine_of_jobs() {
    mkdir ../bin
    printf '#!/bin/sh\nexec "$@"\n' >../bin/sudo
    printf '#!/bin/sh\nexit 0\n' | tee ../bin/apt-get ../bin/sysctl >../bin/tar
    printf '#!/bin/sh\necho "${0##*/}" "$@" >>sent\n' | tee ../bin/gh >../bin/curl
    chmod +x ../bin/*
    PATH=$PWD/../bin:$PATH
    export GITHUB_STEP_SUMMARY=summary NUMBER=7 PROFUTILS=https://example.org/x
    export BASE=HEAD^ CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD^ REGRESSION_TOKEN=secret
    export CI_API_V4_URL=https://example.org/api CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=7
}

@test "the jobs for GitHub and GitLab run regression.mk and send its reports" {
    project 500
    machine_of_jobs
    for site in github gitlab; do
        rm -rf sent summary regression
        commands_of "$EXAMPLES/regression.$site.yml" regression >job
        grep -q '^make ' job
        # make fails, and the steps after it run all the same.
        sed -i 's/^make .*/& || echo failed/' job
        expect 0 bash -eu job
        [[ $output == *' slower '*' flat  f3'*failed ]]
        grep -q 'regression/report.md' sent
        grep -qx '\*\*Regression\*\*: .*' regression/report.md
        git reset -q --hard && git clean -qfdx -e bin
    done
    # No change, no failure.
    git checkout -q HEAD^
    for site in github gitlab; do
        commands_of "$EXAMPLES/regression.$site.yml" regression >job
        BASE=HEAD CI_MERGE_REQUEST_DIFF_BASE_SHA=HEAD expect 0 bash -eu job
        [ "$site" != github ] || cmp summary regression/report.md
    done
}

# A profile of Go: $1 samples where main calls work, $2 where it calls gone.
go_profile() { # WORK GONE
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile profile.proto <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 3 value: $1 }
sample { location_id: 2 location_id: 3 value: $2 }
location { id: 1 line { function_id: 1 line: 9 } }
location { id: 2 line { function_id: 2 line: 9 } }
location { id: 3 line { function_id: 3 line: 6 } }
function { id: 1 name: 3 start_line: 9 } function { id: 2 name: 4 start_line: 9 }
function { id: 3 name: 5 start_line: 5 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "main.work" string_table: "main.gone" string_table: "main.main"
END
}

# A project for pgo.mk, with profiles of two days.
pgo_project() {
    git init -q -b main project
    cd project
    git config user.email nobody@example.org
    git config user.name nobody
    cp "$EXAMPLES/pgo.mk" .
    printf 'package main\nfunc main() {\n\twork()\n}\nfunc work() {}\n' >main.go
    echo 'module example.org/program' >go.mod
    echo /profiles >.gitignore
    git add .
    git commit -q -m before
    mkdir profiles
    go_profile 60 4 >profiles/monday.pb.gz
    go_profile 35 1 >profiles/tuesday.pb.gz
}

@test "pgo.mk makes default.pgo, and refuses one that is stale or worse" {
    pgo_project
    expect 0 make -f pgo.mk pgo
    grep -qx 'fresh         95.00% of these' pgo.txt
    pb2pgo profiles/*.pb.gz | pb2pgo --overlap=default.pgo - | grep -q '^overlap  *100.00%'
    ls >before
    # Less fresh than the old one.
    cp default.pgo old
    go_profile 60 10 >profiles/monday.pb.gz
    expect 2 make -f pgo.mk pgo
    grep -qx 'default.pgo: 95.00% of it are fresh, of the new profile only 89.62%' <<<"$stderr"
    cmp old default.pgo
    # Stale.
    expect 2 make -f pgo.mk pgo PGO_MIN_FRESH=90
    [[ $stderr = *'still has 89.62% of the profile, less than --min-fresh=90'* ]]
    [[ $output = *'gone          10.37% main.gone'* ]]
    cmp old default.pgo
    # Fresher, but the test fails; then it does not.
    go_profile 60 1 >profiles/monday.pb.gz
    expect 2 make -f pgo.mk pgo PGO_TEST=false
    cmp old default.pgo
    expect 0 make -f pgo.mk pgo PGO_TEST='! cmp -s old default.pgo'
    grep -q '^overlap ' pgo.txt
    rm old
    ls | diff before -
    expect 2 make -f pgo.mk pgo PGO_PROFILES=
    grep -qx 'no profiles: set PGO_PROFILES' <<<"$stderr"
}

@test "the jobs for GitHub and GitLab renew default.pgo and propose it" {
    pgo_project
    machine_of_jobs
    printf '#!/bin/sh\nexit 0\n' | tee ../bin/rsync >../bin/go
    chmod +x ../bin/*
    git init -q --bare ../origin.git
    git remote add origin "$PWD/../origin.git"
    export FETCH='rsync -a x profiles/' PGO_TOKEN=x CI_SERVER_HOST=example.org
    export CI_PROJECT_PATH=a/b
    git config --global url."$PWD/../origin.git".insteadOf https://pgo:x@example.org/a/b.git
    for site in github gitlab; do
        commands_of "$EXAMPLES/pgo.$site.yml" pgo >job
        grep -q '^make ' job
        sed -i 's/ -o merge_request.create//' job
        expect 0 bash -eu job
        [ "$(git log -1 --format=%s pgo)" = 'Renew default.pgo' ]
        git log -1 --format=%b pgo | grep -q '^fresh '
        git show pgo:default.pgo | cmp - default.pgo
        git -C ../origin.git log -1 --format=%s pgo | grep -qx 'Renew default.pgo'
        [ "$site" != github ] || grep -q '^gh pr create' sent
        # Nothing new, nothing proposed.
        rm -f sent
        expect 0 bash -eu job
        ! grep -qs '^gh ' sent || false
        git checkout -q main
        git branch -q -D pgo
        git clean -qfdx -e profiles
    done
}
