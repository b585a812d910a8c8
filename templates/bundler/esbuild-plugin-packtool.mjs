// The packtool plugin for esbuild: makes the package when the build is over.
//
//     import packtool from "./esbuild-plugin-packtool.mjs";
//     await esbuild.build({ entryPoints: ["src/app.js"], bundle: true, outdir: "dist", plugins: [packtool()] });
//
// Options, all optional:
//   dist        the folder to pack (else `dist` of packtool.json, or the folder that esbuild writes)
//   arguments   more for `packtool build`, such as ["--strict", "--prerelease", "ci.17"]
//   watch       true: esbuild watches; start `packtool preview` after the first build, and make no packages
//   preview     the preview's port (else 8788)
//   executable  the packtool executable (else PACKTOOL_EXECUTABLE, node_modules/.bin/packtool, or packtool in PATH)
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default function packtool(options = {}) {
  return {
    name: "packtool",
    setup(build) {
      const { absWorkingDir, outdir, outfile, write } = build.initialOptions;
      const root = absWorkingDir ?? process.cwd();
      let preview;

      build.onEnd(async (result) => {
        if (result.errors.length > 0 || write === false) return;
        const dist = distOf(options, root, outdir ?? path.dirname(outfile ?? "."));
        if (!options.watch) {
          await run(options, root, ["build", ...dist, ...(options.arguments ?? [])]);
        } else if (!preview) {
          const port = typeof options.preview === "number" ? ["--port", String(options.preview)] : [];
          preview = start(options, root, ["preview", ...dist, ...port]);
        }
      });
      build.onDispose?.(() => preview?.kill());
    },
  };
}

function distOf(options, root, written) {
  if (options.dist) return [options.dist];
  return existsSync(path.join(root, "packtool.json")) ? [] : [path.resolve(root, written)];
}

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
