import Foundation
import PackFormat
import PackHost
import PackUpdater
import PackUpdaterOnline
import PackWeb
import TestSupport
import Testing

/// A registry that the real `packtool` has made, a `packtool serve` on it on loopback, and hosts whose stores are folders here.
final class ServedRegistry {
    let shop: PackageID
    private let project: PacktoolFolder
    private let url: String

    init() throws {
        project = try PacktoolFolder("packhost")
        shop = try PackageID("shop")
        url = try project.serve("serve", saying: /http:\/\/127\.0\.0\.1:[0-9]+/)
    }

    var folder: URL { project.url }

    /// Builds and publishes a version of `shop`, whose own web site is `https://shop.example.com/`.
    func publish(_ version: String, _ site: [String: String]) throws {
        try project.publish(
            version, site, settings: #"{ "origins": ["https://shop.example.com/"], "channel": "stable" }"#)
    }

    /// A host over a store here, as an app has it.
    /// - Parameter rules: the app's own, as JSON.
    func host(rules: String? = nil, change: (inout UpdaterConfiguration) -> Void = { _ in }) throws -> PackHost {
        let root = try Data(contentsOf: folder.appendingPathComponent(".packtool/root.json"))
        var configuration = try UpdaterConfiguration(
            store: folder.appendingPathComponent("store"), base: #require(URL(string: url)),
            channel: ChannelName("stable"), root: Array(root))
        configuration.activation = .atOnce
        change(&configuration)
        var settings = PackHostConfiguration(updater: configuration, schemes: ["h5pack"])
        if let rules { settings.rules = try WebRules(parsing: Data(rules.utf8)) }
        return try PackHost(settings)
    }

    /// Writes into the store that the channel's gate is off for `shop`, as a check does.
    func switchOff() throws {
        let file = folder.appendingPathComponent("store/state.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let key = try #require(text.firstRange(of: /"shop": *\{/), "\(text)")
        try Data(text.replacingCharacters(in: key, with: "\"shop\": {\"enabled\": false,").utf8).write(to: file)
    }

    /// Switches a package off and denies a host on the channel, beside a release for a group whose file is damaged: the
    /// next check reads the channel and fails. A file that is gone would come back by the server's maintenance.
    func breakNextCheck(switchingOff package: String, denying host: String) throws {
        let folder = folder
        try Data("ann".utf8).write(to: folder.appendingPathComponent("ids.txt"))
        let rules = #"{"format": 1, "rules": [{"name": "no trackers", "action": "deny", "host": "\#(host)"}]}"#
        try Data(rules.utf8).write(to: folder.appendingPathComponent("rules.json"))
        try project.run("group", "set", "testers", "--channel", "stable", "--file", "ids.txt")
        try project.run("rollout", package, "--channel", "stable", "--audience", "group=testers", "--yes")
        try project.run("rules", "rules.json", "--channel", "stable")
        try project.run("gate", package, "--channel", "stable", "--off", "--yes")
        let view = folder.appendingPathComponent(".packtool/registry/view")
        // The group is in what changed last, too, which a check reads first.
        for (part, name) in [("targets/channels", ".group-"), ("metadata", ".recent.zst")] {
            let part = view.appendingPathComponent(part)
            let files = try FileManager.default.contentsOfDirectory(atPath: part.path).filter { $0.contains(name) }
            #expect(!files.isEmpty, "\(part.path) has no \(name)")
            for file in files { try Data("damaged".utf8).write(to: part.appendingPathComponent(file)) }
        }
    }

    /// Damages all content that was published. The signed metadata stays.
    func damageContent() throws {
        let view = folder.appendingPathComponent(".packtool/registry/view")
        for part in ["objects", "packages", "patches"] {
            let files = FileManager.default.enumerator(
                at: view.appendingPathComponent(part), includingPropertiesForKeys: [.isRegularFileKey])
            while let file = files?.nextObject() as? URL {
                guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
                try Data("damaged".utf8).write(to: file)
            }
        }
    }

    /// Nothing answers from here on.
    func stop() { project.stop() }
}
