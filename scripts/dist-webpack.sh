#!/usr/bin/env bash
# The webpack plugin in Debian's webpack, where packtool is installed: a package, a failure, a watch with its preview.
set -euo pipefail
mkdir -p /tmp/shop/src /tmp/shop/dist && cd /tmp/shop
export NODE_PATH=/usr/share/nodejs:/usr/lib/x86_64-linux-gnu/nodejs
cp /files/packtool-webpack-plugin.cjs .
echo '{"name": "shop", "version": "1.2.0"}' >package.json
echo 'document.title = require("./price.js");' >src/index.js
echo 'module.exports = "12 EUR";' >src/price.js
echo '<!doctype html><title>Shop</title><script src=main.js></script>' >dist/index.html
cat >webpack.config.js <<'JS'
const PacktoolPlugin = require("./packtool-webpack-plugin.cjs");
module.exports = { mode: "production", plugins: [new PacktoolPlugin(JSON.parse(process.env.OPTIONS || "{}"))] };
JS
webpack=(node -e '
    const webpack = require("webpack"), configuration = require("/tmp/shop/webpack.config.js");
    const compiler = webpack({ context: "/tmp/shop", ...configuration });
    if (process.argv[1] === "watch") {
        const watching = compiler.watch({ poll: 200 }, (error) => error && console.error(error.message));
        process.on("SIGTERM", () => watching.close(() => process.exit(0)));
    } else {
        compiler.run((error, stats) => {
            if (error) console.error(error.message);
            else if (stats.hasErrors()) console.error(stats.toString("errors-only"));
            process.exitCode = error || stats.hasErrors() ? 1 : 0;
        });
    }')

"${webpack[@]}"
test -s packages/shop-1.2.0.zip
packtool inspect packages/shop-1.2.0.zip | grep main.js >/dev/null

rm -r packages
if OPTIONS='{"arguments": ["--package", "Not An ID"]}' "${webpack[@]}" 2>said; then echo "error: the build went on" >&2; exit 1; fi
grep -q 'packtool build ended with code' said
echo 'module.exports = ;' >src/price.js
if "${webpack[@]}" 2>/dev/null; then echo "error: a bundle with a fault passed" >&2; exit 1; fi
test ! -e packages

echo 'module.exports = "12 EUR";' >src/price.js
OPTIONS='{"preview": 8799}' "${webpack[@]}" watch >watched 2>&1 &
get() {
    (
        exec 3<>/dev/tcp/127.0.0.1/8799
        printf 'GET /main.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
        cat <&3
    ) 2>/dev/null
}
until_there() {
    for _ in $(seq 150); do
        if get | grep "$1" >/dev/null; then return; fi
        sleep 0.2
    done
    cat watched >&2
    return 1
}
until_there '12 EUR'
echo 'module.exports = "13 EUR";' >src/price.js
until_there '13 EUR'
kill $!
wait $! || true
for _ in $(seq 50); do
    if ! get >/dev/null; then exit 0; fi
    sleep 0.1
done
echo "error: the preview outlives webpack" >&2
exit 1
