import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem

/// The view of a registry folder: plain files that anything can serve.
struct FolderView: RegistryView {
    let local: LocalRegistry

    func update() async throws {
        try await BlockingWork.run { [self] in try local.view.update() }
        local.signal.raise()
    }

    func addQuickDownload(ofManifest digest: Digest) async throws {
        try await BlockingWork.run { [self] in
            do {
                try local.artifacts.makeQuickDownload(of: digest)
            } catch  where local.makers.isStopped {
                // The version is published; the next server makes its downloads.
            }
        }
    }

    func read(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        let file = try file(path)
        return try await BlockingWork.run {
            guard let size = SystemCall.size(of: file) else { return nil }
            guard size <= maximumByteCount else {
                throw RegistryError(.tooLarge, "\(path) has \(size) bytes; at most \(maximumByteCount) are read")
            }
            return [UInt8](try Data(contentsOf: file))
        }
    }

    func copy(_ path: String, to destination: URL) async throws -> Bool {
        let file = try file(path)
        return try await BlockingWork.run {
            guard SystemCall.size(of: file) != nil else { return false }
            try FileManager.default.copyItem(at: file, to: destination)
            return true
        }
    }

    /// A path of the view cannot lead out of it.
    private func file(_ path: String) throws -> URL {
        do {
            return local.files.view(try PackagePath(path).text)
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }
}
