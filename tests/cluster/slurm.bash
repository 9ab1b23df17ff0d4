# slurm.bash DIR - a Slurm cluster of two nodes on this machine, with all of
# its files in the directory DIR
#
#   slurm_start DIR    starts munged, slurmctld and two slurmd, and exports
#                      SLURM_CONF, with which sbatch and others find them
#   slurm_stop DIR     cancels all jobs and ends what was started

slurm_start() { # DIR
    local dir=$1 port user host
    PATH=$PATH:/usr/sbin
    read -ra port < <(ports 3)
    user=$(id -un) host=$(hostname -s)
    mkdir -p "$dir"/{munge,state,spool/n1,spool/n2}
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge/key")
    # With config_overrides, nodes may have more processors than the machine.
    # SchedulerParameters start jobs without the usual delays of seconds.
    cat >"$dir/slurm.conf" <<CONF
ClusterName=profutils
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${port[0]}
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=1,sched_interval=1
SlurmdParameters=config_overrides
NodeName=DEFAULT CPUs=2 RealMemory=4000
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=$host Port=${port[1]}
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=$host Port=${port[2]}
PartitionName=short Nodes=ALL Default=YES State=UP
PartitionName=long Nodes=ALL State=UP
CONF
    # Nothing here uses control groups, and containers may have none; with this
    # plugin, slurmd does not look for them before they are used.
    echo CgroupPlugin=cgroup/v1 >"$dir/cgroup.conf"
    export SLURM_CONF=$dir/slurm.conf
    # --force: the directory of the socket need not be open to all users.
    munged --force --num-threads=2 --key-file="$dir/munge/key" \
        --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" 3>&-
    slurmctld 3>&-
    slurmd -N n1 3>&-
    slurmd -N n2 3>&-
    await 300 slurm_idle || { tail -n 20 "$dir"/*.log; return 1; }
}

slurm_idle() {
    [ "$(timeout 10 sinfo -h -o '%D %T')" = '2 idle' ]
}

slurm_stop() { # DIR
    local dir=$1
    if [ -s "$dir/slurmctld.pid" ]; then
        timeout 10 scancel --user="$(id -un)" || true
        await 100 slurm_idle || true
    fi
    end "$dir"/slurmd-n[12].pid "$dir"/{slurmctld,munged}.pid
}
