import Crypto
import NIOCore
import PackFormat
import PackJSON
import PackRegistryAPI

/// Makes lists of files with their MD5, by which clients of hot code push tell what changed and what arrived whole.
///
/// A list takes reading all files once. Whoever asks for it meanwhile waits for the same work.
actor ChcpLists {
    /// Lists that are made at the same time. Beyond it clients have to come back.
    private static let maximumMakingCount = 4
    /// Hashes that are kept, of 16 bytes each: those of the longest list in every case.
    private static let maximumHashCount = 1 << 16

    private let view: ViewController
    private var lists = RecentCache<VersionName, ServedFile>(maximumCount: 16)
    private var hashes = RecentCache<PackFormat.Digest, [UInt8]>(maximumCount: maximumHashCount)
    private var making: [VersionName: Task<ServedFile, any Error>] = [:]

    init(view: ViewController) {
        self.view = view
    }

    /// A list that is there; nil if it has to be made.
    func known(_ manifest: Manifest) -> ServedFile? { lists.value(for: Self.key(manifest)) }

    /// - Throws: ``RegistryError`` of the kind `.busy` if too many others are being made.
    func list(of manifest: Manifest) async throws -> ServedFile {
        if let known = known(manifest) { return known }
        let key = Self.key(manifest)
        if let task = making[key] { return try await task.value }
        guard making.count < Self.maximumMakingCount else {
            throw RegistryError(.busy, "the registry makes as many lists of files as it can; try again shortly")
        }
        // A client that goes away does not stop it: it comes back for the same list.
        let task = Task { try await make(manifest) }
        making[key] = task
        defer { making[key] = nil }
        let list = try await task.value
        lists.insert(list, for: key)
        return list
    }

    private static func key(_ manifest: Manifest) -> VersionName { VersionName(manifest.package, manifest.version) }

    private func make(_ manifest: Manifest) async throws -> ServedFile {
        var entries: [JSONValue] = []
        for path in manifest.sortedPaths where !ChcpFiles.own.contains(path.text) {
            guard let file = manifest.files[path] else { continue }
            let hash = try await hash(of: file, at: path)
            entries.append(.object(["file": .string(path.text), "hash": .string(Self.hex(hash))]))
        }
        return ServedFile(text: JSONValue.array(entries).compactText)
    }

    private func hash(of file: Manifest.File, at path: PackagePath) async throws -> [UInt8] {
        if let known = hashes.value(for: file.digest) { return known }
        guard let object = try await view.object(file.digest), object.size == file.size else {
            throw RegistryError(.unusable, "the object of \(path) is not in the published view")
        }
        let hash =
            switch object.content {
            case .memory(let bytes): Array(Insecure.MD5.hash(data: bytes.readableBytesView))
            case .disk(let open): try await open.md5()
            }
        hashes.insert(hash, for: file.digest)
        return hash
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
