import Foundation
import Testing

/// The plugins that `packtool init --template` hands out, in Debian's Rollup and esbuild. webpack: `make dist-test`, in a system of
/// its own.
struct BundlerPluginTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        tool.environment["PACKTOOL_EXECUTABLE"] = Tool.executable.path
        tool.environment["NODE_PATH"] =
            "/usr/share/nodejs:/usr/lib/x86_64-linux-gnu/nodejs:/usr/lib/aarch64-linux-gnu/nodejs"
        try tool.write([
            "package.json": #"{"name": "shop", "version": "1.2.0"}"#,
            "src/app.js": "import { price } from './price.js';\ndocument.title = price;\n",
            "src/price.js": "export const price = '12 EUR';\n",
            "dist/index.html": "<!doctype html><title>Shop</title><script type=module src=app.js></script>",
        ])
    }

    private func writeRollup(options: String) async throws {
        try await tool.run("init", "--template", "rollup").expectSuccess()
        try tool.write([
            "rollup.config.mjs": """
            import packtool from "./rollup-plugin-packtool.mjs";
            export default {
              input: "src/app.js", output: { dir: "dist", format: "es" }, plugins: [packtool(\(options))],
            };
            """
        ])
    }

    @Test func `Rollup makes the package of what it writes`() async throws {
        try await writeRollup(options: "")
        let outcome = try await tool.shell("rollup -c 2>&1").expectSuccess()
        #expect(outcome.standardOutput.contains("packages/shop-1.2.0.zip"), "\(outcome)")
        let page = try await tool.shell("unzip -p packages/shop-1.2.0.zip app.js").expectSuccess()
        #expect(page.standardOutput.contains("12 EUR"), "\(page)")
    }

    @Test func `a package that cannot be made fails Rollup, with packtool's message above`() async throws {
        try await writeRollup(options: "{ arguments: ['--package', 'Not An ID'] }")
        let outcome = try await tool.shell("rollup -c 2>&1")
        #expect(outcome.exitCode != 0, "\(outcome)")
        #expect(
            outcome.standardOutput.contains("Not An ID")
                && outcome.standardOutput.contains("packtool build ended with code"))
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
    }

    @Test func `an executable that is not there fails Rollup, which says what to do`() async throws {
        try await writeRollup(options: "{ executable: '/nowhere/packtool' }")
        let outcome = try await tool.shell("rollup -c 2>&1")
        #expect(outcome.exitCode != 0, "\(outcome)")
        #expect(outcome.standardOutput.contains("npm install --save-dev packtool"), "\(outcome)")
    }

    @Test func `a bundle with a fault makes no package`() async throws {
        try await writeRollup(options: "")
        try tool.write(["src/price.js": "export const = ;"])
        let outcome = try await tool.shell("rollup -c 2>&1")
        #expect(outcome.exitCode != 0, "\(outcome)")
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
    }

    @Test func `while Rollup watches, the preview shows each bundle, and ends with Rollup`() async throws {
        try await writeRollup(options: "{ preview: 0 }")
        let rollup = try tool.start(
            URL(fileURLWithPath: "/bin/bash"), ["-c", "exec rollup -c --watch --no-watch.clearScreen 2>&1"])
        let line = try #require(await rollup.line(holding: "files at http"), "\(rollup.lines)")
        let url = try #require(line.split(separator: " ").last)
        let first = try await tool.shell("curl -fsS \(url)app.js").expectSuccess()
        #expect(first.standardOutput.contains("12 EUR"))
        try tool.write(["src/price.js": "export const price = '13 EUR';\n"])
        let second = try await tool.shell(
            "for i in $(seq 100); do curl -fsS \(url)app.js | grep '13 EUR' && exit 0; sleep 0.1; done; exit 1")
        #expect(second.exitCode == 0, "\(rollup.lines)")
        rollup.kill(SIGTERM)
        let gone = try await tool.shell(
            "for i in $(seq 50); do curl -fsS \(url) >/dev/null 2>&1 || exit 0; sleep 0.1; done; exit 1")
        #expect(gone.exitCode == 0, "the preview outlives Rollup")
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
    }

    /// The folder of the npm package, as scripts/dist-npm.sh fills it: what `files` does not list is not in the package.
    private func writeNPM() throws {
        let packaging = try String(
            contentsOf: Tool.project.appendingPathComponent("packaging/npm/main.json"), encoding: .utf8)
        let main = packaging.replacing("{{version}}", with: "0.0.0")
        let contents = try ["plugins": InitTests.template("bundler")]
        let value = try JSONSerialization.jsonObject(with: Data(main.utf8)) as? [String: Any]
        let files = try #require(value?["files"] as? [String])
        var written = ["node_modules/packtool/package.json": main]
        for (folder, contents) in contents where files.contains(folder) {
            for (name, data) in contents {
                written["node_modules/packtool/\(folder)/\(name)"] = String(decoding: data, as: UTF8.self)
            }
        }
        try tool.write(written)
    }

    @Test(arguments: [
        ("vite", "default().name", "packtool"), ("rollup", "default().name", "packtool"),
        ("esbuild", "default().name", "packtool"), ("webpack", "default.name", "PacktoolPlugin"),
    ])
    func `a plugin is imported by its name in the npm package`(name: String, part: String, value: String) async throws {
        try writeNPM()
        let outcome = try await tool.shell(
            "node -e \"import('packtool/\(name)').then((plugin) => console.log(plugin.\(part)))\""
        ).expectSuccess()
        #expect(outcome.standardOutput == value + "\n")
        let hidden = try await tool.shell("node -e \"import('packtool/bin/packtool.js')\"")
        #expect(hidden.exitCode != 0 && hidden.standardError.contains("ERR_PACKAGE_PATH_NOT_EXPORTED"), "\(hidden)")
    }

    @Test func `the npm package has the plugin for require, and works in Rollup`() async throws {
        try writeNPM()
        let required = try await tool.shell("node -p \"typeof new (require('packtool/webpack'))().apply\"")
            .expectSuccess()
        #expect(required.standardOutput == "function\n")
        try tool.write([
            "rollup.config.mjs": """
            import packtool from "packtool/rollup";
            export default { input: "src/app.js", output: { dir: "dist", format: "es" }, plugins: [packtool()] };
            """
        ])
        let outcome = try await tool.shell("rollup -c 2>&1").expectSuccess()
        #expect(outcome.standardOutput.contains("packages/shop-1.2.0.zip"), "\(outcome)")
    }

    @Test func `while esbuild watches, the preview shows each bundle, and ends with esbuild`() async throws {
        try await tool.run("init", "--template", "esbuild").expectSuccess()
        try tool.write([
            "watch.mjs": """
            import { createRequire } from "node:module";
            import packtool from "./esbuild-plugin-packtool.mjs";
            const esbuild = createRequire(import.meta.url)("esbuild");
            const plugins = [packtool({ watch: true, preview: 0 })];
            const context = await esbuild.context({ entryPoints: ["src/app.js"], bundle: true, outdir: "dist", plugins });
            await context.watch();
            """
        ])
        let esbuild = try tool.start(URL(fileURLWithPath: "/bin/bash"), ["-c", "exec node watch.mjs 2>&1"])
        let line = try #require(await esbuild.line(holding: "files at http"), "\(esbuild.lines)")
        let url = try #require(line.split(separator: " ").last)
        #expect(try await tool.shell("curl -fsS \(url)app.js").expectSuccess().standardOutput.contains("12 EUR"))
        try tool.write(["src/price.js": "export const price = '13 EUR';\n"])
        let second = try await tool.shell(
            "for i in $(seq 100); do curl -fsS \(url)app.js | grep '13 EUR' && exit 0; sleep 0.1; done; exit 1")
        #expect(second.exitCode == 0, "\(esbuild.lines)")
        esbuild.kill(SIGTERM)
        let gone = try await tool.shell(
            "for i in $(seq 50); do curl -fsS \(url) >/dev/null 2>&1 || exit 0; sleep 0.1; done; exit 1")
        #expect(gone.exitCode == 0, "the preview outlives esbuild")
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
    }

    @Test func `Vite's own hooks tell the folder, and a server's bundle makes no package`() async throws {
        try await tool.run("init", "--template", "vite").expectSuccess()
        // What Vite calls, in its order.
        try tool.write([
            "dist/app.js": "document.title = 'Vite';",
            "vite.mjs": """
            import packtool from "./rollup-plugin-packtool.mjs";
            const plugin = packtool();
            plugin.configResolved({ root: process.cwd(), command: "build", build: { outDir: "dist", ssr: process.argv[2] === "ssr" } });
            plugin.writeBundle({ dir: "elsewhere" });
            await plugin.closeBundle.handler.call({ meta: { watchMode: false } });
            """,
        ])
        try await tool.shell("node vite.mjs ssr").expectSuccess()
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
        try await tool.shell("node vite.mjs").expectSuccess()
        #expect(try tool.listing().keys.contains("packages/shop-1.2.0.zip"))
    }

    @Test func `esbuild makes the package when its build is over, and fails when that does`() async throws {
        try await tool.run("init", "--template", "esbuild").expectSuccess()
        try tool.write([
            "build.mjs": """
            import { createRequire } from "node:module";
            import packtool from "./esbuild-plugin-packtool.mjs";
            const esbuild = createRequire(import.meta.url)("esbuild");
            const options = JSON.parse(process.argv[2] ?? "{}");
            await esbuild.build({ entryPoints: ["src/app.js"], bundle: true, outdir: "dist", plugins: [packtool(options)] });
            """
        ])
        try await tool.shell("node build.mjs").expectSuccess()
        let page = try await tool.shell("unzip -p packages/shop-1.2.0.zip app.js").expectSuccess()
        #expect(page.standardOutput.contains("12 EUR"), "\(page)")
        try await tool.shell("rm -r packages").expectSuccess()
        let wrong = try await tool.shell(#"node build.mjs '{"arguments": ["--package", "Not An ID"]}' 2>&1"#)
        #expect(wrong.exitCode != 0 && wrong.standardOutput.contains("Not An ID"), "\(wrong)")
    }
}
