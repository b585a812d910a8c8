// The packtool plugin for webpack, tried with webpack 5: makes the package when the bundle is written. While webpack watches,
// `packtool preview` serves the output as a device does, and reloads pages when it changes.
//
//     const PacktoolPlugin = require("./packtool-webpack-plugin.cjs");
//     module.exports = { plugins: [new PacktoolPlugin()] };
//
// Options, all optional:
//   dist        the folder to pack (else webpack's output.path)
//   arguments   more for `packtool build`, such as ["--strict", "--prerelease", "ci.17"]
//   preview     false: start no preview; a number: its port (else 8788)
//   executable  the packtool executable (else PACKTOOL_EXECUTABLE, node_modules/.bin/packtool, or packtool in PATH)
"use strict";

const { spawn } = require("child_process");
const { existsSync } = require("fs");
const path = require("path");

module.exports = class PacktoolPlugin {
  constructor(options = {}) {
    this.options = options;
  }

  apply(compiler) {
    const root = compiler.context;
    let preview;

    compiler.hooks.done.tapPromise({ name: "packtool", stage: 10000 }, async (stats) => {
      // The development server keeps what it bundles in memory: there is no folder to pack or to serve.
      if (stats.hasErrors() || process.env.WEBPACK_SERVE) return;
      const dist = this.options.dist ?? compiler.outputPath;
      if (!compiler.watchMode) {
        await run(this.options, root, ["build", dist, ...(this.options.arguments ?? [])]);
      } else if (this.options.preview !== false && !preview) {
        const port = typeof this.options.preview === "number" ? ["--port", String(this.options.preview)] : [];
        preview = start(this.options, root, ["preview", dist, ...port]);
      }
    });
    compiler.hooks.watchClose.tap("packtool", () => preview?.kill());
  }
};

function executableOf(options, root) {
  const local = path.join(root, "node_modules", ".bin", "packtool");
  return options.executable ?? process.env.PACKTOOL_EXECUTABLE ?? (existsSync(local) ? local : "packtool");
}

function start(options, root, words) {
  const child = spawn(executableOf(options, root), words, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  child.on("error", (error) => console.error(notStarted(error)));
  process.once("exit", () => child.kill());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => {
      child.kill();
      // Once more, without this listener: others do what they would have done.
      process.kill(process.pid, signal);
    });
  }
  return child;
}

function run(options, root, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(executableOf(options, root), words, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", (error) => reject(new Error(notStarted(error))));
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`packtool ${words[0]} ended with ${signal ?? `code ${code}`}; its messages are above`));
    });
  });
}

function notStarted(error) {
  if (error.code !== "ENOENT") return `packtool cannot be started: ${error.message}`;
  return "packtool was not found: install it (npm install --save-dev packtool), or set PACKTOOL_EXECUTABLE";
}
