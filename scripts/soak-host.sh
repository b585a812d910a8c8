#!/usr/bin/env bash
# The C interface under valgrind and under the thread sanitizer: Tests/PackHostCTests/Programs/misuse.c with 10,000 random sequences of
# calls from eight threads, each against a registry that is served here. Fails on any report. Some 20 minutes beside the builds.
#     scripts/soak-host.sh [SEQUENCES] [valgrind|thread]...     both by default
# Needs valgrind (scripts/soak-packages.txt), and builds packtool, libpackhost and, for the sanitizer, a libpackhost of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
sequences=${1:-10000}
[ $# -eq 0 ] || shift
tools=("$@")
[ "${#tools[@]}" -gt 0 ] || tools=(valgrind thread)
programs=$PWD/Tests/PackHostCTests/Programs
scripts/build-release.sh
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT

mkdir -p "$folder/project/dist"
seq 20000 >"$folder/project/dist/data.txt"
. scripts/serve-package.sh
serve_package "$folder"

# Runs a program on a store of its own that has the package: `misuse` expects one.
arguments() { printf '%s\n' "$folder/$1" "$url" "$folder/project/.packtool/root.json"; }
flags=(-std=c11 -D_GNU_SOURCE -g -pthread -I Sources/CPackHost -I "$programs")

under_valgrind() {
    scripts/build-libpackhost.sh
    # The one that is not stripped names functions in a report.
    mkdir -p "$folder/plain"
    cp .build/optimized/release/libpackhost.so "$folder/plain/libpackhost.so.1"
    ln -s libpackhost.so.1 "$folder/plain/libpackhost.so"
    for name in first misuse; do
        gcc "${flags[@]}" "$programs/$name.c" -o "$folder/$name" -L "$folder/plain" -lpackhost -Wl,-rpath,"$folder/plain"
    done
    mapfile -t at < <(arguments valgrind)
    "$folder/first" "${at[@]}" >/dev/null
    # Swift's runtime reads bits of a layout that it has not set; it is not ours to mend.
    printf '{\n    swift-struct-metadata\n    Memcheck:Cond\n    fun:swift_initStructMetadata\n}\n' >"$folder/suppressions"
    valgrind --error-exitcode=9 --suppressions="$folder/suppressions" --fair-sched=yes --num-callers=30 \
        "$folder/misuse" "${at[@]}" "$sequences"
}

under_thread_sanitizer() {
    # A build of its own: a sanitizer's objects do not go with the others.
    PACKTOOL_WITHOUT_KIOSK=1 swift build --sanitize thread --disable-index-store -debug-info-format none --product packhost \
        --scratch-path .build/thread
    local library=$PWD/.build/thread/debug
    for name in first misuse; do
        clang -c -fsanitize=thread -O1 "${flags[@]}" "$programs/$name.c" -o "$folder/$name.o"
        # The compiler's own sanitizer, which the library has too.
        swiftc -sanitize=thread -use-ld=lld "$folder/$name.o" -o "$folder/$name-thread" -L "$library" -lpackhost \
            -Xlinker -rpath -Xlinker "$library" -Xlinker --allow-shlib-undefined -Xlinker --export-dynamic -lpthread
    done
    mapfile -t at < <(arguments thread)
    export TSAN_OPTIONS="halt_on_error=1 exitcode=9"
    "$folder/first-thread" "${at[@]}" >/dev/null
    "$folder/misuse-thread" "${at[@]}" "$sequences"
}

for tool in "${tools[@]}"; do
    started=$SECONDS
    case $tool in
        valgrind) under_valgrind ;;
        thread) under_thread_sanitizer ;;
        *) echo "error: $tool is neither valgrind nor thread" >&2; exit 2 ;;
    esac
    echo "$tool: $sequences sequences without a report, $((SECONDS - started)) s"
done
