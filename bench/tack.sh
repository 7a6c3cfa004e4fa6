#!/usr/bin/env bash
# Counts with callgrind what a data segment costs the two ends of a bulk transfer: the instructions of the benchmark `tack` of
# crates/tcp, which no other load on the machine changes.
#
# tack.sh
# Exit code 2 where valgrind or cargo is missing.
set -euo pipefail

fail() {
    echo "tack.sh: $*" >&2
    exit 2
}

command -v valgrind >/dev/null || fail "valgrind is not installed; on Debian: apt-get install valgrind"
command -v cargo >/dev/null || fail "cargo is not installed"
cd "$(dirname "$0")/.."
program=$(cargo bench --quiet -p ackless-tcp --bench tack --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*tack[^"]*\)".*/\1/p' | tail -1)
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

for line in ${LINES_OF_TABLE:-0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18}; do
    for end in 0 1; do
        said=$(valgrind --tool=callgrind --callgrind-out-file="$scratch/profile" --toggle-collect='*Recording::replay*' \
            "$program" "$line" "$end" 2>"$scratch/messages") || fail "the benchmark failed: $(cat "$scratch/messages")"
        total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$scratch/profile")
        segments=$(sed 's/.*: \([0-9]*\) data.*/\1/' <<<"$said")
        awk -v said="$said" -v total="$total" -v segments="$segments" \
            'BEGIN { sub(/[0-9]+ data segments at/, "instructions for each data segment at", said); printf "%7.1f  %s\n", total / segments, said }'
    done
done
