# examples/load-duckdb: what DuckDB answers is what pbcat shows. DuckDB comes
# from npm, into the build directory.

load cluster
load ../cli/databases

setup_file() {
    local dir=$BUILD/duckdb
    export NODE_PATH=$dir/node_modules
    [ ! -e "$dir/installed" ] || return 0
    command -v npm >/dev/null || skip 'no npm'
    [ "${DEPS-}" != no ] || skip 'no DuckDB, and DEPS=no'
    npm install --prefix "$dir" --ignore-scripts --no-audit --no-fund \
        --loglevel=error @duckdb/node-api@1.5.6-r.1
    touch "$dir/installed"
}

setup() {
    setup_scratch
    hosts
}

answer() { # DATABASE QUERY
    node -e '
        const { DuckDBInstance } = require("@duckdb/node-api");
        (async () => {
            const db = await (await DuckDBInstance.create(process.argv[1],
                { access_mode: "READ_ONLY" })).connect();
            const rows = await db.runAndReadAll(process.argv[2]);
            for (const row of rows.getRows())
                console.log(row.map(String).join("\t"));
        })()' "$1" "$2"
}

all='SELECT host, day, function, flat, cum FROM function'

@test "functions by host and day are those of pbcat" {
    "$EXAMPLES/load-duckdb" db cpu */*.pb.gz
    answer db "$all" | LC_ALL=C sort >got
    shown */*.pb.gz >wanted
    [ "$(wc -l <wanted)" -gt 50 ]
    diff -u wanted got
    # The query of the README gives what it gives in SQLite.
    "$EXAMPLES/load-sqlite" lite cpu */*.pb.gz
    sed -n '/^```sql$/,/^```$/p' "$EXAMPLES/README.md" | sed '1d;$d' >query
    sqlite3 -separator $'\t' lite <query >wanted
    [ "$(wc -l <wanted)" = 12 ]
    answer db "$(cat query)" | diff -u wanted -
    # One more, later: the others stay.
    mkdir web3
    cp web1/2024-05-02.pb.gz web3
    "$EXAMPLES/load-duckdb" db cpu web3/*.pb.gz
    answer db "$all" | LC_ALL=C sort >got
    shown */*.pb.gz | diff -u - got
}

@test "a profile that cannot be read leaves the database as it was" {
    "$EXAMPLES/load-duckdb" db cpu web1/*.pb.gz
    answer db "$all" | LC_ALL=C sort >before
    echo damaged >web1/2024-05-03.pb.gz
    run --separate-stderr "$EXAMPLES/load-duckdb" db cpu */*.pb.gz
    [ "$status" != 0 ]
    [[ $stderr = *'2024-05-03.pb.gz: not a profile.proto message'* ]]
    answer db "$all" | LC_ALL=C sort | cmp before -
}
