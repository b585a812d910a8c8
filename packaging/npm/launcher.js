#!/usr/bin/env node
// Starts the packtool executable of the package for this platform: same arguments, same terminal, same exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");

const platform = `@packtool/${process.platform}-${process.arch}`;

function executable() {
  if (process.env.PACKTOOL_EXECUTABLE) return process.env.PACKTOOL_EXECUTABLE;
  try {
    return path.join(path.dirname(require.resolve(`${platform}/package.json`)), "bin", "packtool");
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies);
    console.error(
      known.includes(platform)
        ? `packtool: the package ${platform} is not installed. Was npm told to leave out optional dependencies ` +
          "(--omit=optional), or was node_modules copied from another system? Run npm install again here."
        : `packtool: there is no package for ${process.platform} on ${process.arch}, only ${known.join(", ")}. ` +
          "Set PACKTOOL_EXECUTABLE to an executable that you built.",
    );
    process.exit(1);
  }
}

const child = spawn(executable(), process.argv.slice(2), { stdio: "inherit" });
// The terminal sends its signals to both; a supervisor sends them to this process only.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("error", (error) => {
  console.error(`packtool: the executable cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
