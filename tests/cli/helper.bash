# helper.bash - what all bats files here share (`load helper`)
#
# Each test runs in a fresh directory of its own, with the tools of the build
# first in PATH and a clean environment.  From outside come:
#
#   BUILD     the build directory under test; default: build
#   FIXTURES  where the standard files are kept; default: $BUILD/fixtures
#
# Set here:
#   $ROOT     the top of the source tree
#   $BIN      the directory of the tools
#   $DATA     testdata/
#   $GOCACHE  what go(1) has compiled once for all files
#
# Functions:
#   fixture NAME...    copies of these standard files (see tests/fixtures.sh)
#                      into the current directory
#   fixtures           copies of all of them
#   pprof ARG...       go tool pprof, without go(1)
#   go_pprof ARG...    pprof, offline and without its chatter; its
#                      exit status; with -raw as the first ARG it prints
#                      what that of Go 1.19 does, whatever the version
#   go_as_is ARG...    the same, unchanged
#   go_minor           19 of Go 1.19
#   pprof_totals FILE  what go tool pprof reads out of a profile: a line
#                      "TYPE/UNIT SUM" for each sample type
#   raw_totals         the same of what go_pprof -raw has printed
#   encode             text format to a raw profile, both by standard streams
#   raw FILE           the decompressed bytes of a gzip file
#   formats NAME...    the output formats of pbcat but for these (tests/formats)
#   needs_32bit [EMULATOR]
#                      sets run32, the words that start a 32-bit program: none,
#                      or EMULATOR where the kernel runs no such programs;
#                      without one the test is skipped there
#   records            the test is run up to three times: it runs a profiler
#   needs_perf [OPTION...]
#                      skips the test unless perf record may work with these
#                      OPTIONs
#   expect STATUS COMMAND...
#                      runs the command as `run --separate-stderr` does, and
#                      fails, showing what it printed, unless it exits so;
#                      takes out of $stderr what -v says of the isolation,
#                      which goes by the kernel
#   same TEXT          fails, showing the difference, unless $output is TEXT
#   same_err TEXT...   likewise for $stderr, a message: `make goldens` writes
#                      what it is now into the test.  TEXTs are joined, and ...
#                      among them stands for anything
#   same_line N TEXT...  likewise for the line N of $stderr, from 0
#   same_said TEXT...  likewise for $output, where that is a message
#
# A file with a setup() of its own calls setup_scratch first, one with a
# teardown() tell_missing.
#
# shellcheck disable=SC2154 # output, stderr and status are set by run

bats_require_minimum_version 1.5.0

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$(cd "$ROOT" && mkdir -p "${BUILD:-build}" && cd "${BUILD:-build}" && pwd)
BIN=$BUILD
DATA=$ROOT/testdata
FIXTURES=${FIXTURES:-$BUILD/fixtures}
GOCACHE=$FIXTURES.cache
export BUILD BIN ROOT DATA FIXTURES GOCACHE

setup_scratch() {
    cd "$BATS_TEST_TMPDIR" || return
    export PATH="$BIN:$PATH"
    export LC_ALL=C TZ=UTC TERM=xterm
    # An object that was made for another test names its directory.
    export CCACHE_DISABLE=1
    export HOME=$BATS_FILE_TMPDIR PPROF_TMPDIR=$BATS_FILE_TMPDIR
    export GOPROXY=off GOPATH=$BATS_FILE_TMPDIR
    unset PPROF_BINARY_PATH GMON_OUT_PREFIX CPUPROFILE NO_COLOR COLUMNS
    [ -z "${MISSING-}" ] || export MISSING_LOG=$BATS_TEST_TMPDIR/../missing.log
    [ -z "${MISSING-}" ] || rm -f "$MISSING_LOG"
}

# What this test was to run and is not there, for tests/run.  bats may call it
# twice.
tell_missing() {
    [ -n "${MISSING-}" ] && [ -s "$MISSING_LOG" ] || return 0
    echo "# missing: $(sort -u "$MISSING_LOG" | paste -sd ' ')" >&3
    rm -f "$MISSING_LOG"
}

teardown() {
    tell_missing
}

encode() {
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile profile.proto
}

setup() {
    setup_scratch
}

fixture() {
    local name
    "$ROOT/tests/fixtures.sh" "$FIXTURES" || return
    for name in "$@"; do
        mkdir -p "$(dirname "$name")"
        cp -pR "$FIXTURES/$name" "$name" || return
    done
}

fixtures() {
    "$ROOT/tests/fixtures.sh" "$FIXTURES" && cp -pR "$FIXTURES/." .
}

# Sets go_minor and go_pprof, the program.  go(1) is asked once for all tests of a
# run: it takes longer to start than pprof does to work.
go_knows() {
    local file=$BATS_RUN_TMPDIR/go
    if [ ! -s "$file" ]; then
        { go version | sed -nE 's/.* go1\.([0-9]+).*/\1/p'
            go tool -n pprof; } >"$file.$BASHPID" || return
        mv "$file.$BASHPID" "$file" || return
    fi
    { read -r go_minor && read -r go_pprof; } <"$file"
}

pprof() {
    local go_minor go_pprof
    go_knows && "$go_pprof" "$@"
}

go_as_is() {
    local status=0
    pprof -symbolize=none "$@" 2>go_pprof.err || status=$?
    [ "$status" = 0 ] || cat go_pprof.err >&2
    return "$status"
}

go_pprof() {
    [ "$1" = -raw ] && [ "$(go_minor)" != 19 ] || { go_as_is "$@"; return; }
    go_as_is "$@" | perl "$ROOT/tests/cli/raw.pl"
    return "${PIPESTATUS[0]}"
}

go_minor() {
    local go_minor go_pprof
    go_knows && echo "$go_minor"
}

pprof_totals() {
    # pprof looks at the first bytes of a file, and opens it again.
    [ -f "$1" ] || { cat "$1" >totals.in && set -- totals.in; }
    go_pprof -raw "$1" | raw_totals
}

raw_totals() {
    awk '
        /^Locations/ { exit }
        want_types { n = split($0, type); want_types = 0; next }
        /^Samples:/ { want_types = 1; next }
        n && $1 ~ /^-?[0-9]/ && $n ~ /:$/ {
            for (i = 1; i <= n; i++) { sub(":", "", $i); sum[i] += $i }
        }
        END {
            for (i = 1; i <= n; i++) {
                sub(/\[dflt\]$/, "", type[i])
                printf "%s %.0f\n", type[i], sum[i]
            }
        }'
}

formats() {
    "$ROOT/tests/formats" "$@"
}

raw() {
    gzip -dc "$1"
}

needs_32bit() {
    local probe=$BATS_FILE_TMPDIR/32bit status=0
    run32=()
    [ -e "$probe" ] || gcc -m32 -x c -o "$probe" - <<<'int main(void) {}' ||
        return
    "$probe" || status=$?
    [ "$status" = 126 ] || return "$status"
    command -v "${1-}" >/dev/null || skip 'this machine runs no 32-bit programs'
    run32=("$1")
}

records() {
    # What a profiler records and loses differs from run to run: a defect of
    # the tools shows in all of three, and what passes later is told.
    BATS_TEST_RETRIES=2
    ((BATS_TEST_TRY_NUMBER == 1)) ||
        echo "# recorded again: $BATS_TEST_DESCRIPTION" >&3
}

needs_perf() {
    records
    local probe="$BATS_FILE_TMPDIR/perf$*"
    [ ! -s "$probe" ] || return 0
    perf record -q -o "$probe" "${@:--ecpu-clock:u}" true 2>perf.said ||
        ! grep -Eq 'perf_event_open|Access to performance' perf.said ||
        skip 'this machine lets this user record nothing of the kind'
}

expect() {
    local wanted=$1
    shift
    run --separate-stderr "$@"
    if [[ $stderr = *": note: sandbox: "* ]]; then
        stderr=$(sed "/^[a-z0-9]*: note: sandbox: /d" <<<"$stderr")
        mapfile -t stderr_lines <<<"$stderr"
    fi
    [ "$status" = "$wanted" ] && return
    printf 'status %s, not %s: %s\n' "$status" "$wanted" "$*"
    printf 'stdout: %s\nstderr: %s\n' "$output" "$stderr"
    return 1
}

same() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$output") >&2
}

same_err() {
    said "$stderr" "$@"
}

same_line() { # N TEXT...
    said "${stderr_lines[$1]}" "${@:2}"
}

same_said() {
    said "$output" "$@"
}

# Whether a message is these TEXTs.  With GOLDENS, a directory, one that is not
# goes there, for tests/goldens: the lines of the test, the TEXTs, the message.
said() { # MESSAGE TEXT...
    local message=$1 text pattern='' lines='' i
    shift
    for text; do
        if [ "$text" = ... ]; then
            pattern+='*'
        else
            text=${text//\\/\\\\} text=${text//\*/\\*} text=${text//\?/\\?}
            text=${text//\[/\\[}
            pattern+=${text//\(/\\(}
        fi
    done
    # shellcheck disable=SC2053 # a pattern
    [[ $message == $pattern ]] && return
    if [ -n "${GOLDENS-}" ]; then
        for i in "${!BASH_LINENO[@]}"; do
            [ "${BASH_SOURCE[i + 1]-}" != "${BATS_TEST_SOURCE-}" ] ||
                lines+="${BASH_LINENO[i]} "
        done
        printf '%s\0' "$BATS_TEST_FILENAME" "$lines$PWD" $# "$@" "$message" \
            >>"$GOLDENS/${BATS_TEST_FILENAME##*/}"
        return
    fi
    diff -u <(printf '%s\n' "$(printf %s "$@")") <(printf '%s\n' "$message") >&2
}
