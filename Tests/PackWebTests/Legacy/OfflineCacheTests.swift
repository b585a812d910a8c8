import Foundation
import Testing

@testable import PackWeb

/// The older way's cache, filled from a real server.
struct OfflineCacheTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("offline-\(UUID().uuidString)")

    private func manifest(_ common: [(String, String)], _ assets: [(String, String)] = []) -> Data {
        func list(_ entries: [(String, String)]) -> String {
            entries.map { "{\"url\": \"\($0.0)\", \"version\": \"\($0.1)\", \"size\": 1}" }.joined(separator: ", ")
        }
        return Data(
            "{\"common\": [\(list(common))], \"business\": [{\"name\": \"b\", \"assets\": [\(list(assets))]}], \"x\": 1}"
                .utf8)
    }

    private func listing() throws -> Set<String> {
        Set(
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(
                    atPath: folder.appendingPathComponent(path).path, isDirectory: &isFolder)
                return !isFolder.boolValue && path != "index.json"
            })
    }

    @Test
    func `a manifest's files are kept under the older names, equal content once, replaced versions removed`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try EchoServer()
        let cache = try OfflineCache(folder: folder)
        let one = "\(server.address)/bytes?n=1000"
        let same = "\(server.address)/bytes?n=1000&again"
        let page = "\(server.address)/bytes?n=5"
        let report = try await cache.fill(
            from: OfflineManifest(parsing: manifest([(one, "1")], [(same, "1"), (page, "1.0")])))
        #expect(report.fetched.count == 3 && report.failed.isEmpty)
        #expect(try Data(contentsOf: #require(cache.file(for: one + "#part"))).count == 1000)
        #expect(try listing().filter { $0.hasPrefix("objects/") }.count == 2)
        // The name of RFC 1321's hash of the URL.
        #expect(
            try listing().contains { $0.split(separator: "/").map(\.count).first == 32 && $0.hasSuffix("/1.0/bytes") })
        let next = try await cache.fill(from: OfflineManifest(parsing: manifest([(one, "2")])))
        #expect(next.fetched.map(\.absoluteString) == [one])
        #expect(Set(next.removed.map(\.absoluteString)) == [same, page])
        #expect(cache.file(for: page) == nil)
        let left = try listing()
        #expect(left.count == 2 && left.contains { $0.contains("/2/") })
        // Another process finds it.
        #expect(try OfflineCache(folder: folder).file(for: one) == cache.file(for: one))
    }

    @Test(arguments: ["https://h.example/a|b%20c.js?x={%22a%22:1}", "app://h.example/a|b%20c.js?x={%22a%22:1}"])
    func `an address is known by what a browser sends, escaped once`(sent: String) {
        #expect(
            OfflineCache.key(of: sent)?.absoluteString == "https://h.example/a%7Cb%20c.js?x=%7B%22a%22:1%7D")
    }

    @Test
    func `a download that fails leaves nothing and is tried again`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try EchoServer()
        let cache = try OfflineCache(folder: folder)
        let bad = "\(server.address)/status?code=500"
        for _ in 0..<2 {
            let report = try await cache.fill(from: OfflineManifest(parsing: manifest([(bad, "1")])))
            #expect(report.failed.keys.map(\.absoluteString) == [bad])
            #expect(try listing().isEmpty)
            #expect(cache.file(for: bad) == nil)
        }
        let wrong = Data(
            "{\"common\": [{\"url\": \"\(server.address)/bytes?n=9\", \"version\": \"1\", \"sha256\": \"00\"}]}".utf8)
        let refused = try await cache.fill(from: OfflineManifest(parsing: wrong))
        #expect(refused.failed.count == 1 && refused.fetched.isEmpty)
        #expect(try listing().isEmpty)
    }

    @Test
    func `a manifest is asked for by its tag once all of it is here`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try EchoServer()
        let cache = try OfflineCache(folder: folder)
        let file = "\(server.address)/bytes?n=7"
        let body = try #require(
            String(decoding: manifest([(file, "1")]), as: UTF8.self)
                .addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let url = try #require(URL(string: "\(server.address)/text?tag=a&body=\(body)"))
        #expect(try await cache.update(from: url).fetched.count == 1)
        #expect(try await cache.update(from: url).isUnchanged)
        #expect(cache.file(for: file) != nil)
    }

    @Test
    func `entries that cannot be used are left out and counted, unknown keys do not matter`() throws {
        let manifest = try OfflineManifest(
            parsing: Data(
                """
                {"common": [{"url": "https://h/a", "version": 3}, {"url": "https://h/a", "version": "4"}, {"url": "x", "version": "1"},
                 {"url": "https://h/b", "version": "../1"}, {"url": "https://h/c"}, {"url": "https://u@h/d", "version": "1"},
                 {"url": "app://h/e", "version": "1", "new": []}], "business": [{"assets": null}, {}]}
                """.utf8))
        #expect(manifest.assets.map { "\($0.url) \($0.version)" } == ["https://h/a 3", "https://h/e 1"])
        #expect(manifest.refusedCount == 4)
        #expect(throws: WebError.self) { try OfflineManifest(parsing: Data("[]".utf8)) }
    }

    @Test(arguments: [
        ("../../etc/passwd", "_.._etc_passwd"), ("a b.js", "a_b.js"), ("..", "file"), ("ä.js", "_.js"),
        (".hidden", "hidden"),
        ("x/y\\z", "x_y_z"),
    ])
    func `a name that a server suggests reaches no other folder`(suggested: String, name: String) throws {
        let url = try #require(URL(string: "https://h/x"))
        #expect(OfflineCache.fileName(suggested: suggested, url: url) == name)
    }
}
