# cluster.bash - what the tests of examples/ share (`load cluster`)
#
# Besides the functions of tests/cli/helper.bash:
#
#   profiles N [DIR]   makes N different profiles below DIR ("in put"), the
#                      file `names` with a line for each, and `sum.pb.gz`, what
#                      one pbmerge makes of them
#   documented COMMAND runs the command, which must be a line of
#                      examples/README.md
#   ports N            prints N free TCP ports
#   await SECONDS COMMAND...
#                      repeats the command until it succeeds, and fails after
#                      that time
#   settings KIND      prints the variables that the comments of profiles.mk
#                      recommend for programs of KIND
#   end FILE...        ends the daemons whose process ids are in these files,
#                      and waits until they are gone
#
# A daemon must not keep bats' file descriptor 3: start it with 3>&-.

load ../cli/helper

EXAMPLES=$ROOT/examples

profiles() { # N [DIR]
    local i dir=${2:-in put}
    mkdir text
    for ((i = 1; i <= $1; i++)); do
        printf 'main;parse;f%d %d\nmain;eval;g %d\nmain;only_in_%d 1\n' \
            $((i % 7)) "$i" $((i * i)) "$i" >"text/$i"
    done
    (cd text && folded2pb --each -o "../$dir/" -- *)
    find "$dir" -name '*.pb.gz' | sort >names
    [ "$(wc -l <names)" = "$1" ]
    pbmerge --files-from=names -o sum.pb.gz
}

documented() { # COMMAND
    grep -qxF -- "$1" "$EXAMPLES/README.md" ||
        { echo "not in examples/README.md: $1" >&2; return 1; }
    PATH=$EXAMPLES:$PATH bash -c "$1"
}

ports() { # N
    perl -MIO::Socket::INET -e '
        @s = map { IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")
            or die "$!" } 1 .. shift;
        print join(" ", map { $_->sockport } @s), "\n"' "$1"
}

await() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [ "$SECONDS" -lt "$end" ] || { echo "in vain: ${*:2}" >&2; return 1; }
        sleep 0.1
    done
}

# One that nobody waits for stays as a zombie.
gone() { # PID
    if grep -qs '^State:.[^Z]' "/proc/$1/status"; then return 1; fi
}

end() { # FILE...
    local file pid
    for file in "$@"; do
        [ -s "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null || true
        await 100 gone "$pid" || kill -9 "$pid"
    done
}

settings() { # KIND
    awk -v kind="$1" '
        /^# For / { on = index($0, kind) }
        on && sub(/^#   PROFILE_/, "PROFILE_")' "$EXAMPLES/profiles.mk"
}
