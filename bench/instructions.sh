#!/usr/bin/env bash
# Counts the instructions of a simulated second with callgrind, which no other load on the machine changes.
#
# instructions.sh NAME|FILE.toml [OPTIONS OF ackless run]; for example
#   instructions.sh wifi-80211n --scheme tcp --set stations.count=10
# Runs the cell twice, with 2 s and with 12 s measured, and prints the difference for each second; then where the longer
# run's instructions went, by crate and by function. Code of the standard library that the compiler put into a function
# of ours counts as ours.
# Environment: ACKLESS names the program, if it is built elsewhere.
# Exit code 2 where valgrind or cargo is missing or the scenario is wrong.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
ackless=${ACKLESS:-}

fail() {
    echo "instructions.sh: $*" >&2
    exit 2
}

[[ $# -ge 1 ]] || fail "expected NAME|FILE.toml [OPTIONS OF ackless run]"
command -v callgrind_annotate >/dev/null || fail "valgrind is not installed; on Debian: apt-get install valgrind"
if [[ -z $ackless ]]; then
    command -v cargo >/dev/null || fail "cargo is not installed; name a built program by ACKLESS="
    (cd "$root" && cargo build --quiet --profile profiling)
    ackless=${CARGO_TARGET_DIR:-$root/target}/profiling/ackless
fi
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# Runs the cell with so many seconds measured; leaves the profile in a file of that name.
profile() {
    local seconds=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$scratch/$seconds" "$ackless" run "$@" \
        --set "run.measured=${seconds}s" --json >"$scratch/result" 2>"$scratch/messages" || {
        grep -v '^==' "$scratch/messages" >&2 || true
        fail "the run failed"
    }
}

# The instructions of a whole run.
total() {
    awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$1"
}

profile 2 "$@"
profile 12 "$@"
awk -v short="$(total "$scratch/2")" -v long="$(total "$scratch/12")" \
    'BEGIN { printf "%.2f million instructions per simulated second\n", (long - short) / 10 / 1e6 }'

# Lines of "INSTRUCTIONS (PERCENT) FILE:FUNCTION [OBJECT]", one for each file that a function's lines come from.
callgrind_annotate --threshold=100 --auto=no "$scratch/12" 2>/dev/null | awk '
    !/^ *[0-9,]+ \(/ || /PROGRAM TOTALS/ { next }
    {
        count = $1
        gsub(/,/, "", count)
        sub(/^ *[0-9,]+ \( *[0-9.]+%\) +/, "")
        sub(/ \[[^]]*\]$/, "")
        name = file = $0
        sub(/:.*/, "", file)
        sub(/^[^:]*:/, "", name)
        if (file ~ /^crates\// || file ~ /\/crates\/[a-z0-9]+\/src\//) {
            sub(/^.*crates\//, "", file)
            sub(/\/.*/, "", file)
            crate = file
        } else if (match(name, /ackless_[a-z0-9]+/)) {
            crate = substr(name, RSTART + 8, RLENGTH - 8)
        } else {
            crate = "other"
        }
        gsub(/<impl [^<>]*(<[^<>]*>)?>::/, "", name)
        gsub(/ackless_/, "", name)
        crates[crate] += count
        functions[name] += count
        sum += count
    }
    function list(title, counts, least,   name, sorted) {
        print ""
        print title
        sorted = "sort -rn"
        for (name in counts)
            if (counts[name] >= least * sum) printf "%6.1f %%  %s\n", 100 * counts[name] / sum, name | sorted
        close(sorted)
    }
    END {
        list("by crate", crates, 0.005)
        list("by function, from 2 %", functions, 0.02)
    }'
