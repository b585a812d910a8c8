import Foundation

/// What an ``OfflineCache`` holds, as one file that is replaced as a whole.
struct OfflineIndex: Codable, Sendable {
    /// By the URL's text.
    var files: [String: OfflineCache.File] = [:]
    var manifestURL: String?
    var manifestTag: String?
    /// Whether all that the manifest names is here: else its tag must not keep the rest from being fetched.
    var isComplete = false

    private static let name = "index.json"

    /// An index that cannot be read is an empty one: the files are fetched again.
    init(in folder: URL) {
        let data = try? Data(contentsOf: folder.appendingPathComponent(Self.name))
        if let data, let index = try? JSONDecoder().decode(OfflineIndex.self, from: data) { self = index }
    }

    func write(in folder: URL) throws {
        try JSONEncoder().encode(self).write(to: folder.appendingPathComponent(Self.name), options: .atomic)
    }

    /// Removes versions and contents that the index does not name.
    func prune(in folder: URL) {
        let manager = FileManager.default
        let kept = Set(files.values.map(\.path))
        let folders = Set(kept.compactMap { $0.split(separator: "/").first.map(String.init) })
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        where name != "objects" && name != Self.name {
            let place = folder.appendingPathComponent(name)
            guard folders.contains(name) else {
                try? manager.removeItem(at: place)
                continue
            }
            for version in (try? manager.contentsOfDirectory(atPath: place.path)) ?? []
            where !kept.contains(where: { $0.hasPrefix("\(name)/\(version)/") }) {
                try? manager.removeItem(at: place.appendingPathComponent(version))
            }
        }
        let objects = folder.appendingPathComponent("objects")
        for name in (try? manager.contentsOfDirectory(atPath: objects.path)) ?? [] {
            let object = objects.appendingPathComponent(name)
            let links = (try? manager.attributesOfItem(atPath: object.path))?[.referenceCount] as? Int
            if links == 1 { try? manager.removeItem(at: object) }
        }
    }
}
