package import Foundation
package import PackTrust

/// The private keys of a project in `.packtool/keys/`, one PEM file each, readable by their owner only.
package struct KeyFolder: Sendable {
    /// Whose key it is.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        /// Signs root: who the others are. Needed rarely; keep it offline.
        case root
        /// Signs targets: which key may publish which package.
        case owner
        /// Signs the packages that this project publishes.
        case publisher
    }

    package let folder: URL

    package init(folder: URL) {
        self.folder = folder
    }

    package func file(of name: Name) -> URL {
        folder.appending(path: "\(name.rawValue).pem", directoryHint: .notDirectory)
    }

    /// Nil where the key is not in this folder.
    package func key(_ name: Name) throws -> PrivateKey? {
        let file = file(of: name)
        guard let data = FileManager.default.contents(atPath: file.path(percentEncoded: false)) else { return nil }
        do {
            return try PrivateKey(pem: String(decoding: data, as: UTF8.self))
        } catch {
            throw RegistryError(.unusable, "\(file.path(percentEncoded: false)): \(error)")
        }
    }

    /// The key, made where it is not there.
    func key(_ name: Name, madeFiles: inout [URL]) throws -> PrivateKey {
        if let key = try key(name) { return key }
        let key = try PrivateKey.generate(.ed25519)
        try save(key, as: name)
        madeFiles.append(file(of: name))
        return key
    }

    package func save(_ key: PrivateKey, as name: Name) throws {
        try Workspace.makeFolders(folder)
        let file = file(of: name)
        let temporary = folder.appending(path: ".\(name.rawValue)-\(UUID().uuidString)", directoryHint: .notDirectory)
        let descriptor = try SystemCall.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(key.pem.utf8))
        try SystemCall.synchronize(descriptor, temporary)
        try SystemCall.rename(temporary, to: file)
        try SystemCall.synchronize(folder)
    }
}
