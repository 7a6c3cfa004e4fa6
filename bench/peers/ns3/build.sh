#!/usr/bin/env bash
# Builds the ns-3 program of the comparison: build.sh [OUTPUT], by default target/ns3-cell in the repository.
# Exit code 2 where Debian's libns3-dev is missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here/../../../target/ns3-cell}

if ! pkg-config --exists ns3-core ns3-wifi 2>/dev/null || ! command -v g++ >/dev/null; then
    echo "build.sh: ns-3 is not installed; on Debian 12: apt-get install libns3-dev pkg-config g++" >&2
    exit 2
fi

# Debian's .pc files name the include path of another machine and development packages that libns3-dev does not
# depend on, so the modules are named here. The linker drops libraries that nothing refers to by name, but ns-3
# registers its classes when a library is loaded, hence --no-as-needed.
libraries=()
for module in wifi point-to-point applications internet traffic-control network mobility propagation core; do
    libraries+=("-lns3-$module")
done

mkdir -p "$(dirname "$output")"
if [[ $output -nt $here/cell.cc && $output -nt $here/build.sh ]]; then
    exit 0
fi
g++ -std=c++17 -O2 -Wall -Wextra "$here/cell.cc" -o "$output" -Wl,--no-as-needed "${libraries[@]}"
