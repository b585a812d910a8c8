import Foundation
import PackJSON
import Testing

/// Real zips of an export, written by Python's own zip writer.
extension Tool {
    /// - Parameter zips: by path below the tool's folder: the files of each.
    func writeZips(_ zips: [String: [String: String]]) async throws {
        let list = zips.mapValues { files in JSONValue.object(JSONObject(files.map { ($0.key, .string($0.value)) })) }
        let script = """
            import json, pathlib, sys, zipfile
            for path, files in json.loads(sys.argv[1]).items():
                pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
                with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                    for name, text in files.items():
                        archive.writestr(name, text)
            """
        let spec = JSONValue.object(JSONObject(list.map { ($0.key, $0.value) })).compactText
        let outcome = try await run(URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, spec], environment: [:])
        try outcome.expectSuccess()
    }

    /// The hash by which CodePush knows a zip, by another program's reading of its rule.
    func codePushHash(of zip: String) async throws -> String {
        let script = Self.project.appendingPathComponent("Tests/Tools/codepush_hash.py").path
        let outcome = try await shell(
            "rm -rf .unzipped && mkdir .unzipped && python3 -m zipfile -e '\(zip)' .unzipped && python3 '\(script)' .unzipped"
        ).expectSuccess()
        return outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What the registry has of a package: its versions, the newest publication first, with their notes; and what a channel offers,
    /// newest first.
    func overview(of package: String, channel: String) async throws -> (versions: [String: String], offers: [String]) {
        let status = try await run("status", "--json").expectSuccess().json().object()
        let versions = try status.object("packages").array(package).map { try $0.object() }
        let notes = try versions.map { try ($0.string("version"), $0["note"]?.string() ?? "") }
        let channels = try status.object("channels")
        let releases = try channels[channel]?.object()[package]?.array() ?? []
        return (
            Dictionary(notes, uniquingKeysWith: { $1 }),
            try releases.map { release in
                let release = try release.object()
                let share = try release["percent"]?.integer()
                return try release.string("version") + (share.map { " \($0) %" } ?? "")
            }
        )
    }

    /// What was offered on a channel, oldest first, as the audit log has it.
    func offers(on channel: String) async throws -> [String] {
        try await run("audit", "--limit", "1000", "--json").expectSuccess().json().object().array("entries").map {
            try $0.object()
        }.filter { try $0.string("action") == "release" && $0.string("subject").contains(channel) }.map {
            try $0.string("detail")
        }.reversed()
    }
}
