// The packtool plugin for Rollup and Vite: makes the package when the bundle is written. While the bundler watches,
// `packtool preview` serves the output as a device does, and reloads pages when it changes.
//
//     import packtool from "./rollup-plugin-packtool.mjs";
//     export default { plugins: [packtool()] };
//
// Options, all optional:
//   dist        the folder to pack (else Vite's outDir, `dist` of packtool.json, or the folder that Rollup writes)
//   arguments   more for `packtool build`, such as ["--strict", "--prerelease", "ci.17"]
//   preview     false: start no preview; a number: its port (else 8788)
//   executable  the packtool executable (else PACKTOOL_EXECUTABLE, node_modules/.bin/packtool, or packtool in PATH)
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export default function packtool(options = {}) {
  let root = process.cwd();
  let folder = options.dist;
  let isServerBuild = false;
  let isWritten = false;
  let preview;

  return {
    name: "packtool",
    enforce: "post",

    // Vite only.
    configResolved(config) {
      root = config.root;
      isServerBuild = Boolean(config.build.ssr);
      folder ??= path.resolve(root, config.build.outDir);
    },

    writeBundle(output) {
      isWritten = true;
      if (folder || existsSync(path.join(root, "packtool.json"))) return;
      folder = path.resolve(output.dir ?? path.dirname(output.file));
    },

    // After all other plugins, which may still write a service worker or compressed copies.
    closeBundle: {
      sequential: true,
      order: "post",
      async handler() {
        if (!isWritten || isServerBuild) return;
        isWritten = false;
        const dist = folder ? [folder] : [];
        if (!this.meta.watchMode) {
          await run(options, root, ["build", ...dist, ...(options.arguments ?? [])]);
        } else if (options.preview !== false && !preview) {
          preview = start(options, root, ["preview", ...dist, ...portOf(options)]);
        }
      },
    },

    closeWatcher() {
      preview?.kill();
    },
  };
}

function portOf(options) {
  return typeof options.preview === "number" ? ["--port", String(options.preview)] : [];
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
