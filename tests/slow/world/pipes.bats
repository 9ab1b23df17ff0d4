# Standard files: readers that go away, writers that take their time, and none.

load ../../cli/helper
load world

reader() {
    perl "$BATS_TEST_DIRNAME/reader.pl" "$@"
}

# The bytes that have come are those of the result, nothing is said, and it
# dies of SIGPIPE, or where that is ignored ends with status 4.
@test "a reader that goes away at any byte" {
    world_inputs
    local run k size files n=0
    files=$(ls -A)
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        size=$(stat -c %s ../wanted)
        for k in 0 1 2 10 100 1000 4095 4096 4097 65535 65536 65537 \
            $((size / 2)); do
            # What is left has to be more than a pipe holds.
            [ "$((k + 4096))" -lt "$size" ] || continue
            if [ "$k" = $((size / 2)) ]; then
                READER_PIPE=IGNORE reader "$k" $run >../got 2>../err
                [ "$(cat ../err)" = 'status 4' ]
            else
                reader "$k" $run >../got 2>../err
                [ "$(cat ../err)" = 'status 141' ]
            fi
            head -c "$k" ../wanted | cmp - ../got
            n=$((n + 1))
        done
    done < <(some_runs 5)
    [ "$files" = "$(ls -A)" ]
    count "$n" 'reader that goes away (EPIPE)'
}

@test "a result that nobody reads, of any size" {
    world_inputs
    local run n=0
    mkfifo ../fifo
    while read -r run; do
        # Opened for writing with a reader there, who then goes.
        expect 141 bash -c "exec 3<>../fifo 4>../fifo 3<&-; $run >&4"
        [ -z "$stderr" ]
        expect 4 bash -c "trap '' PIPE
            exec 3<>../fifo 4>../fifo 3<&-; $run >&4"
        [ -z "$stderr" ]
        n=$((n + 2))
    done < <(some_runs 9)
    count "$n" 'reader that is not there (EPIPE)'
}

@test "a reader that is slow, and writes that do not wait" {
    world_inputs
    local run n=0
    while read -r run; do
        # shellcheck disable=SC2086 # words
        {
            $run >../wanted
            READER_NONBLOCK=1 reader 999999999 $run >../got 2>../err
        }
        cmp ../wanted ../got
        [ "$(cat ../err)" = 'status 0' ]
        n=$((n + 1))
    done < <(some_runs 5)
    count "$n" 'pipes that do not block (EAGAIN)'
}

# No file may get the number of a standard one, and what is for that.
@test "standard input, output and error closed, in every combination" {
    world_inputs
    local run closed n=0 status
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        for closed in '' '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' \
            '<&- >&- 2>&-'; do
            bash -c "$run -v -o ../got $closed" >../out 2>../err
            cmp ../wanted ../got
            [ ! -s ../out ]
            rm ../got
            status=0
            bash -c "$run $closed" >../got 2>../err || status=$?
            if [[ $closed = *'>&-'* && $closed != '2>&-' &&
                $closed != '<&- 2>&-' ]]; then
                [ "$status" = 4 ]
                [ ! -s ../got ]
                [[ $closed = *'2>&-' ]] || [ "$(cat ../err)" = "${run%% *}: \
(standard output): cannot write: Bad file descriptor" ]
            else
                [ "$status" = 0 ]
                cmp ../wanted ../got
            fi
            n=$((n + 2))
        done
    done < <(some_runs 4)
    count "$n" 'closed standard files'
}

@test "closed standard files: messages and inputs" {
    fixture cpu.pb.gz
    local closed tool n=0
    for tool in $(some 3 prof2pb gmon2pb dcpi2pb folded2pb pbfilter pbsym \
        pbmerge pbcat); do
        for closed in '<&-' '>&-' '<&- >&-'; do
            expect 4 bash -c "$tool -o out nowhere $closed"
            same_err "$tool: nowhere: cannot open: No such file or directory"
            expect 4 bash -c "$tool -o out - <&-"
            same_err "$tool: (standard input): cannot read: Bad file descriptor"
        done
        # What is said goes nowhere: not to the file, and not to the input.
        echo old >out
        run bash -c "$tool -o out nowhere 2>&-"
        [ "$status" = 4 ]
        [ "$(cat out)" = old ]
        run bash -c "$tool --help 2>&- <&- >help"
        [ "$status" = 0 ]
        [ -s help ]
        expect 4 bash -c "$tool --help >&-"
        n=$((n + 9))
    done
    count $n 'closed standard files, and messages'
}

@test "a full standard error does not matter" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    pbmerge -v -o got cpu.pb.gz 2>/dev/full
    cmp wanted got
    expect 4 bash -c 'pbmerge nowhere 2>/dev/full'
}
