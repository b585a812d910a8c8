import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import Testing

/// A folder with the objects of some versions, gone at the value's end.
final class TestStore: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packweb-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func file(for digest: Digest) -> URL { folder.appendingPathComponent(digest.hex) }

    func content(
        _ package: String = "shop", _ version: String = "1.0.0", entry: String? = "index.html",
        origins: [String] = [], spa: Bool = false, headers: [String: String] = [:],
        serviceWorker: Bool = false, _ files: [String: String]
    ) throws -> TestContent {
        var listed: [PackagePath: Manifest.File] = [:]
        for (path, text) in files {
            let bytes = Array(text.utf8)
            let digest = Digest(of: bytes)
            try Data(bytes).write(to: file(for: digest))
            listed[try PackagePath(path)] = Manifest.File(digest: digest, size: bytes.count)
        }
        let manifest = try Manifest(
            package: PackageID(package), version: SemanticVersion(version), entry: entry.map { try PackagePath($0) },
            files: listed, origins: origins, isSinglePage: spa, headers: headers,
            wantsServiceWorker: serviceWorker)
        return TestContent(manifest: manifest, store: self)
    }
}

struct TestContent: SiteContent {
    let manifest: Manifest
    let store: TestStore
    var onClose: @Sendable () -> Void = {}

    func file(for digest: Digest) throws -> URL { store.file(for: digest) }
    func close() { onClose() }
}

/// What a device has, changed by the test as an updater would.
final class TestCatalog: SiteCatalog, @unchecked Sendable {
    private let lock = NSLock()
    private var installed: [PackageID: TestContent] = [:]
    private var current = WebSettings()
    private(set) var openCount = 0

    init(_ contents: TestContent..., schemes: Set<String> = ["h5pack"]) {
        current.schemes = schemes
        for content in contents { install(content) }
    }

    func install(_ content: TestContent) {
        lock.withLock {
            let id = content.manifest.package
            installed[id] = content
            current.packages[id, default: WebSettings.Package()].origins = content.manifest.origins
        }
    }

    func change(_ body: (inout WebSettings) throws -> Void) rethrows {
        try lock.withLock { try body(&current) }
    }

    var settings: WebSettings { lock.withLock { current } }

    func manifest(of package: PackageID) -> Manifest? { lock.withLock { installed[package]?.manifest } }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        lock.withLock {
            openCount += 1
            return installed[package]
        }
    }
}

/// An answer as a test compares it.
struct Answered {
    let status: Int
    let headers: [String: String]
    let body: String
    let online: String?
    let reason: SiteAnswer.Reason

    init(_ answer: SiteAnswer) throws {
        reason = answer.reason
        switch answer.way {
        case .arriving:
            (status, headers, body, online) = (0, [:], "", nil)
        case .online(let url):
            (status, headers, body, online) = (0, [:], "", url)
        case .local(let response):
            status = response.status
            headers = response.headers
            online = nil
            switch response.body {
            case .none: body = ""
            case .bytes(let bytes): body = String(decoding: bytes, as: UTF8.self)
            case .file(let url, let range):
                var reader = try FileReader(url, range: range)
                var data = Data()
                while let chunk = try reader.next() { data += chunk }
                body = String(decoding: data, as: UTF8.self)
            }
        }
    }
}

extension PageSession {
    func get(_ url: String, method: String = "GET", _ headers: [String: String] = [:]) throws -> Answered {
        try Answered(answer(SiteRequest(method: method, url: url, headers: headers)))
    }
}
