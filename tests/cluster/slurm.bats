# examples/merge-slurm, on a Slurm of two nodes that are started here

load cluster
load slurm

setup_file() {
    slurm_start "$BATS_FILE_TMPDIR"
}

teardown_file() {
    slurm_stop "$BATS_FILE_TMPDIR"
}

setup() {
    setup_scratch
    profiles 12
}

# Submits with this command.  $slices and $merge are the jobs.
submit() { # COMMAND...
    expect 0 "$@"
    [[ $output =~ ^job\ ([0-9]+)\ merges ]]
    slices=${BASH_REMATCH[1]}
    [[ $output =~ Submitted\ batch\ job\ ([0-9]+)$ ]]
    merge=${BASH_REMATCH[1]}
}

# The state of a job or task, once it is one of these (a pattern).
state() { # JOB PATTERN
    [[ $(scontrol show job -o "$1" | grep -o 'JobState=[A-Z]*') = JobState=$2 ]]
}

# Whether a task has been started again so many times, and has succeeded.
restarted() { # JOB N
    scontrol show job -o "$1" | grep -q "JobState=COMPLETED .*Restarts=$2 "
}

@test "an array job and a job that depends on it write the bytes of one merge" {
    submit documented 'merge-slurm -n 200 -j 50 names all.pb.gz --partition=long --time=02:00:00'
    await 600 state "$merge" '@(COMPLETED|FAILED|CANCELLED)'
    state "$merge" COMPLETED
    cmp sum.pb.gz all.pb.gz
    # Each node has merged slices, of which there are no more than names.
    for node in n1 n2; do
        scontrol show job -o "$slices" | grep "NodeList=$node "
    done
    scontrol show job -o "$merge" | grep 'TimeLimit=02:00:00 .*Partition=long'
    [ "$(ls all.pb.gz.parts.*/*.pb.gz | wc -l)" = 12 ]
}

# As after the failure of a node: the task that reads a pipe is ended in the
# middle of its work.
@test "a task that is requeued writes the same" {
    cp 'in put/1.pb.gz' one
    rm 'in put/1.pb.gz'
    mkfifo 'in put/1.pb.gz'
    submit "$EXAMPLES/merge-slurm" -n 3 names all.pb.gz
    k=$(awk '/\/1[.]pb[.]gz$/ { print NR % 3 }' names)
    await 600 state "${slices}_$k" RUNNING
    scontrol requeue "${slices}_$k"
    await 600 state "${slices}_$k" PENDING
    rm 'in put/1.pb.gz'
    mv one 'in put/1.pb.gz'
    # Slurm would wait for two minutes, but must wait for one second: nodes
    # refuse a task that starts in the second in which it was ended.
    scontrol update "JobId=${slices}_$k" StartTime=now+2
    await 600 state "$merge" '@(COMPLETED|FAILED|CANCELLED)'
    state "$merge" COMPLETED
    restarted "${slices}_$k" 1
    cmp sum.pb.gz all.pb.gz
    # After its end, too.
    cp all.pb.gz.parts.*/"$k.pb.gz" part
    scontrol requeue "${slices}_$k"
    scontrol update "JobId=${slices}_$k" StartTime=now+2 || true
    await 600 restarted "${slices}_$k" 2
    cmp part all.pb.gz.parts.*/"$k.pb.gz"
}

@test "-w waits, removes the parts, and says when a slice failed" {
    expect 0 "$EXAMPLES/merge-slurm" -w -n 2 names all.pb.gz
    cmp sum.pb.gz all.pb.gz
    [ "$(ls -d all.pb.gz*)" = all.pb.gz ]
    echo no-such-file >>names
    expect 1 "$EXAMPLES/merge-slurm" -w -n 2 names all.pb.gz
    [[ $stderr = *": status 1; see the messages in all.pb.gz.parts."*/*.log ]]
    cmp sum.pb.gz all.pb.gz
    grep -h 'no-such-file' all.pb.gz.parts.*/[01].log
    [ "$(find all.pb.gz.parts.* -name merge.log)" = '' ]
}

@test "-k skips what cannot be read, and ends with status 5" {
    echo no-such-file >>names
    submit "$EXAMPLES/merge-slurm" -k -n 3 names all.pb.gz
    await 600 state "$merge" '@(COMPLETED|FAILED|CANCELLED)'
    scontrol show job -o "$merge" | grep 'ExitCode=5:0 '
    cmp sum.pb.gz all.pb.gz
    grep -h 'no-such-file' all.pb.gz.parts.*/[012].log
}

@test "nothing is submitted without names" {
    : >none
    expect 3 "$EXAMPLES/merge-slurm" none all.pb.gz
    [[ $stderr = *": none: no names in this file" ]]
    expect 2 "$EXAMPLES/merge-slurm" names
    run "$EXAMPLES/merge-slurm" names all.pb.gz --partition=none
    [ "$status" != 0 ]
    [ "$(ls -d all* 2>/dev/null)" = '' ]
}
