# examples/merge-parallel and merge-hosts, on two hosts by ssh: two sshd on
# this machine with keys, ports and settings of the test's own
#
# Commands on h1 begin in the directory h1 of the test file, those on h2 in h2.

load cluster

setup_file() {
    local dir=$BATS_FILE_TMPDIR port host
    PATH=$PATH:/usr/sbin
    cd "$dir"
    ssh-keygen -q -t ed25519 -N '' -f key
    ssh-keygen -q -t ed25519 -N '' -f host_key
    # sshd refuses to run as root without it.
    if [ "$(id -u)" = 0 ] && [ ! -e /run/sshd ]; then
        mkdir /run/sshd
        touch made_run_sshd
    fi
    read -ra port < <(ports 2)
    for i in 0 1; do
        host=h$((i + 1))
        mkdir "$host"
        cat >"$host.conf" <<CONF
ListenAddress 127.0.0.1
Port ${port[i]}
HostKey $dir/host_key
PidFile $dir/$host.pid
AuthorizedKeysFile $dir/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv PATH=$BIN:/usr/local/bin:/usr/bin:/bin
ForceCommand cd $dir/$host && exec /bin/sh -c "\$SSH_ORIGINAL_COMMAND"
CONF
        "$(command -v sshd)" -f "$dir/$host.conf" \
            -E "$dir/$host.log" 3>&-
        cat >>ssh.conf <<CONF
Host $host
    Port ${port[i]}
CONF
        echo "1/$host"
    done >hosts
    cat >>ssh.conf <<CONF
Host *
    HostName 127.0.0.1
    User $(id -un)
    IdentityFile $dir/key
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile $dir/known_hosts
    LogLevel ERROR
    BatchMode yes
CONF
    export PARALLEL_SSH="ssh -F $dir/ssh.conf"
    await 100 ssh -F ssh.conf h1 true
    await 100 ssh -F ssh.conf h2 true
}

teardown_file() {
    cd "$BATS_FILE_TMPDIR"
    end h1.pid h2.pid
    [ ! -e made_run_sshd ] || rmdir /run/sshd
}

setup() {
    setup_scratch
    cp "$BATS_FILE_TMPDIR/hosts" .
    profiles 12 'pro files'
}

@test "slices that two hosts merge give the bytes of one merge" {
    export PARALLEL='--joblog jobs'
    expect 0 documented \
        'merge-parallel -n 16 names all.pb.gz --sshloginfile hosts'
    cmp sum.pb.gz all.pb.gz
    [ "$(awk 'NR > 1 { print $2 }' jobs | sort -u | paste -sd ' ')" = 'h1 h2' ]
    [ "$(awk 'NR > 1' jobs | wc -l)" = 12 ]
}

@test "a slice that fails on a host fails the merge" {
    echo no-such-file >>names
    expect 4 "$EXAMPLES/merge-parallel" -n 5 names all.pb.gz \
        --sshloginfile hosts
    [[ $stderr = *no-such-file* ]]
    [ "$(ls -d all.pb.gz* 2>/dev/null)" = '' ]
}

# Deals the profiles out to directories of the two hosts.
deal() { # DIR
    rm -rf "$BATS_FILE_TMPDIR"/h[12]/*
    mkdir -p "$BATS_FILE_TMPDIR"/h{1,2}/"$1/deep"
    local i=0 name
    while read -r name; do
        cp "$name" "$BATS_FILE_TMPDIR/h$((1 + (i++ % 2)))/$1/deep"
    done <names
}

@test "hosts merge profiles of their own, and only results travel" {
    deal profiles
    expect 0 documented 'merge-hosts hosts profiles all.pb.gz'
    cmp sum.pb.gz all.pb.gz
    [ "$(ls -d all.pb.gz*)" = all.pb.gz ]
}

@test "a host without profiles or without ssh fails the merge" {
    deal 'pro files'
    echo earlier >all.pb.gz
    { cat hosts; echo 1/no-such-host; } >three
    run "$EXAMPLES/merge-hosts" three 'pro files' all.pb.gz
    [ "$status" != 0 ]
    [ "$(cat all.pb.gz)" = earlier ]
    expect 0 "$EXAMPLES/merge-hosts" hosts 'pro files' all.pb.gz
    cmp sum.pb.gz all.pb.gz
    rm "$BATS_FILE_TMPDIR"/h2/*/deep/*
    run "$EXAMPLES/merge-hosts" hosts 'pro files' all.pb.gz
    [ "$status" != 0 ]
    cmp sum.pb.gz all.pb.gz
    [ "$(ls -d all.pb.gz*)" = all.pb.gz ]
}
