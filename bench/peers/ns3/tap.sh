#!/usr/bin/env bash
# Builds the ns-3 program that runs a cell in real time between TAP devices: tap.sh [OUTPUT], by default target/ns3-tap/cell
# in the repository. What it prints is how to start it. Exit code 2 where Debian's libns3-dev is missing.
#
# Debian's library looks for the helper that opens TAP devices where it was compiled, which is nowhere; beside the program
# lies a copy of the library that looks where Debian has it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here/../../../target/ns3-tap/cell}
library=/usr/lib/x86_64-linux-gnu/libns3-tap-bridge.so.37
helper=/usr/libexec/ns3/ns3.37-tap-creator

if ! [[ -e $library && -x $helper ]] || ! command -v g++ >/dev/null; then
    echo "tap.sh: ns-3 is not installed; on Debian 12: apt-get install ns3 libns3-dev g++" >&2
    exit 2
fi
mkdir -p "$(dirname "$output")"
folder=$(cd "$(dirname "$output")" && pwd)
if ! [[ $output -nt $here/tap.cc && $output -nt $here/tap.sh ]]; then
    python3 - "$library" "$helper" "$folder/${library##*/}" <<'PYTHON'
import re
import sys

library, helper, copy = sys.argv[1:]
code = open(library, "rb").read()
[built] = re.findall(rb"/build/[^\0]*-tap-creator\0", code)
open(copy, "wb").write(code.replace(built, helper.encode().ljust(len(built), b"\0")))
PYTHON
    libraries=()
    for module in tap-bridge bridge csma wifi internet traffic-control network mobility propagation core; do
        libraries+=("-lns3-$module")
    done
    g++ -std=c++17 -O2 -Wall -Wextra "$here/tap.cc" -o "$output" -Wl,--no-as-needed "${libraries[@]}"
fi
echo "LD_LIBRARY_PATH=$folder $output"
