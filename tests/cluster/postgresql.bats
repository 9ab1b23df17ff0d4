# examples/load-postgresql: what PostgreSQL answers is what pbcat shows. The
# server has files and a socket of its own, and no port.

load cluster
load ../cli/databases

# As the user who runs the server, which must not be root.
served() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"
    else
        "$@"
    fi
}

setup_file() {
    local programs=(/usr/lib/postgresql/*/bin)
    export PATH=$PATH:${programs[-1]} LC_ALL=C
    SERVER=$(served mktemp -d /tmp/postgresql.XXXXXX)
    export SERVER PGHOST=$SERVER PGDATABASE=postgres
    cd "$SERVER"
    served initdb -N -A trust -U "$(id -un)" -E UTF8 -D "$SERVER/data" >/dev/null
    served pg_ctl -w -D "$SERVER/data" -l "$SERVER/log" -o "-F \
        -c listen_addresses= -c unix_socket_directories=$SERVER" start 3>&-
}

teardown_file() {
    cd "$SERVER"
    served pg_ctl -w -m immediate -D "$SERVER/data" stop
    rm -rf "$SERVER"
}

setup() {
    setup_scratch
    hosts
}

answer() { # QUERY
    psql -X -q -v ON_ERROR_STOP=1 -A -t -F $'\t' -c "$1"
}

all='SELECT host, day, function, flat, cum FROM function'

@test "functions by host and day are those of pbcat" {
    "$EXAMPLES/load-postgresql" cpu */*.pb.gz
    answer "$all" | LC_ALL=C sort >got
    shown */*.pb.gz >wanted
    [ "$(wc -l <wanted)" -gt 50 ]
    diff -u wanted got
    # The query of the README gives what it gives in SQLite.
    "$EXAMPLES/load-sqlite" db cpu */*.pb.gz
    sed -n '/^```sql$/,/^```$/p' "$EXAMPLES/README.md" | sed '1d;$d' >query
    sqlite3 -separator $'\t' db <query >wanted
    [ "$(wc -l <wanted)" = 12 ]
    answer "$(cat query)" | diff -u wanted -
    answer 'DROP TABLE sample CASCADE'
}

@test "the server itself reads what pbcat writes" {
    cp "$BIN/pbcat" web1/2024-05-01.pb.gz "$SERVER"
    chmod 755 "$SERVER" "$SERVER/pbcat"
    chmod 644 "$SERVER"/*.pb.gz
    psql -X -q -v ON_ERROR_STOP=1 -A -t -F $'\t' >got <<END
CREATE TABLE labelled (samples bigint, nanoseconds bigint, branch text,
    size bigint, stack text);
COPY labelled FROM PROGRAM '$SERVER/pbcat --csv $SERVER/2024-05-01.pb.gz'
    (FORMAT csv, HEADER);
SELECT coalesce(branch, ''), sum(nanoseconds) FROM labelled GROUP BY 1 ORDER BY 1;
END
    pbcat --jsonl web1/2024-05-01.pb.gz | jq -rs 'map([([.label[]? |
        select(.key == "branch").str] | .[0] // ""), .value."cpu/nanoseconds"]) |
        group_by(.[0]) | .[] | [.[0][0], (map(.[1]) | add)] | @tsv' >wanted
    [ "$(wc -l <wanted)" -gt 1 ]
    diff -u wanted got
}

@test "a profile that cannot be read leaves the database as it was" {
    "$EXAMPLES/load-postgresql" cpu web1/*.pb.gz
    answer "$all" >before
    echo damaged >web1/2024-05-03.pb.gz
    run --separate-stderr "$EXAMPLES/load-postgresql" cpu */*.pb.gz
    [ "$status" != 0 ]
    [[ $stderr = *'2024-05-03.pb.gz: not a profile.proto message'* ]]
    answer "$all" | cmp before -
}
