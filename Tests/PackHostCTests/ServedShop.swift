import Foundation
import TestSupport
import Testing

/// A registry with version 1.0.0 of `shop`, served, and what a program is told of it.
final class ServedShop {
    let project: PacktoolFolder
    private let url: String

    /// - Parameters:
    ///   - data: the text of the package's `data.txt`; by default one of some size, whose download reports its progress.
    ///   - more: further files.
    init(data: String? = nil, more: [String: String] = [:]) throws {
        project = try PacktoolFolder("packhost-c")
        url = try project.serve("serve", saying: /http:\/\/127\.0\.0\.1:[0-9]+/)
        try publish("1.0.0", "one", data, more)
    }

    func publish(_ version: String, _ word: String, _ data: String? = nil, _ more: [String: String] = [:]) throws {
        let site = [
            "index.html": "<title>\(word)</title><script src=\"app.js\"></script>", "app.js": "say('\(word)')",
            "data.txt": data ?? (0..<20_000).map { "\($0 &* 7919 % 65_521) " }.joined(),
        ]
        try project.publish(version, site.merging(more) { $1 }, settings: #"{ "channel": "stable" }"#)
    }

    /// Does what a program has asked for, such as "publish 2.0.0 two".
    func answer(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        try #require(words.count == 3 && words[0] == "publish", "\(line)")
        try publish(words[1], words[2])
    }

    /// - Parameter store: the name of the store's folder.
    func arguments(_ store: String = "store") -> [String] {
        [
            project.url.appendingPathComponent(store).path, url,
            project.url.appendingPathComponent(".packtool/root.json").path,
        ]
    }
}
