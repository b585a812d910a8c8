#!/usr/bin/env bash
# Builds the bindings of libpackhost for Java and Node (docs/BINDINGS.md) in .build/bindings, or in the folder that OUT names:
# java/packhost.jar, java/packhost-android.jar, java/libpackhost_jni.so, and node/, a folder that Node loads. Needs a JDK, a C compiler,
# and libpackhost: .build/lib/libpackhost.so, or the one that PACKHOST_LIBRARY names. ONLY=java or ONLY=node builds one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
library=$(realpath -s "${PACKHOST_LIBRARY:-.build/lib/libpackhost.so}")
out=${OUT:-.build/bindings}
if [ ! -e "$library" ]; then
    echo "error: there is no $library; run scripts/build-libpackhost.sh first" >&2
    exit 1
fi
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-std=c11 -D_GNU_SOURCE -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -I Sources/CPackHost)

# Links a library for a folder of $out, which looks for libpackhost beside itself, and else where it was built.
link() { # FOLDER NAME, then compiler arguments
    local target=$out/$1/$2 apart
    apart=$(realpath --relative-to="$out/$1" "$(dirname "$library")")
    shift 2
    "${CC:-cc}" "${flags[@]}" -shared "$@" -o "$target" -L "$(dirname "$library")" -lpackhost \
        -Wl,-rpath,"\$ORIGIN:\$ORIGIN/$apart" -Wl,--allow-shlib-undefined
}

jar_of() { # JAR CLASSES
    jar --create --file "$1" --date=1980-01-01T00:00:02Z -C "$2" . 2>/dev/null || jar cf "$1" -C "$2" .
}

build_java() {
    local javac home compile=(javac -encoding UTF-8 '-Xlint:all,-options,-serial' -Werror --release 8)
    javac=$(command -v javac) || { echo "error: there is no javac; install openjdk-17-jdk-headless" >&2; exit 1; }
    home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$javac")")")}
    mkdir -p "$out/java" "$work"/{host,stubs,android}
    "${compile[@]}" -d "$work/host" bindings/java/src/packtool/host/*.java
    install -D -m 644 bindings/java/packhost.pro "$work/host/META-INF/proguard/packhost.pro"
    jar_of "$out/java/packhost.jar" "$work/host"
    # Android's classes are in its own SDK; stubs have the part that is used.
    find Tests/AndroidStubs -name '*.java' -exec "${compile[@]}" -d "$work/stubs" {} +
    "${compile[@]}" -cp "$work/host:$work/stubs" -d "$work/android" bindings/java/android/packtool/android/*.java
    jar_of "$out/java/packhost-android.jar" "$work/android"
    # The example is compiled, and nobody gets it.
    mkdir "$work/example"
    "${compile[@]}" -cp "$work/host:$work/stubs:$work/android" -d "$work/example" Examples/android-host/*.java
    link java libpackhost_jni.so -Wl,--no-undefined -I "$home/include" -I "$home/include/linux" bindings/java/jni/*.c
}

build_node() {
    local headers=${NODE_INCLUDE:-/usr/include/node}
    if [ -e "$headers/node_api.h" ]; then
        "${CC:-cc}" -std=c11 -fsyntax-only -DNAPI_VERSION=8 -I "$headers" -include node_api.h -x c bindings/node/src/node_functions.h
    fi
    mkdir -p "$out/node/lib"
    cp bindings/node/{package.json,index.js,index.d.ts} "$out/node/"
    cp bindings/node/lib/*.js "$out/node/lib/"
    # Never unloaded: see pool.c.
    link node packhost.node -pthread -Wl,-z,nodelete bindings/node/src/*.c
}

case ${ONLY:-all} in
    java) build_java ;;
    node) build_node ;;
    all) build_java && build_node ;;
    *) echo "error: ONLY is java or node" >&2; exit 64 ;;
esac
echo "built $out"
