import Foundation
import PackTrust

/// The folder for targets: one flat folder with one file for each target path, always the same file for the same
/// path.
struct TargetFolder {
    let folder: URL

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Brings a target, unless the file that is there is already the one that is signed.
    func bring(_ path: String, from client: TrustClient) async throws {
        guard let info = try await client.targetInfo(path) else { throw TrustError.unknownTarget(path: path) }
        let file = folder.appendingPathComponent(Self.fileName(of: path))
        if let present = try? Data(contentsOf: file), (try? info.check(present, path: path)) != nil { return }
        let bytes = try await client.target(path, info: info)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: file, options: .atomic)
        } catch {
            throw Fault(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// The path as one file name that cannot leave the folder and is not longer than a name may be.
    private static func fileName(of path: String) -> String {
        let name = RepositoryPath.percentEncoded(path)
        if name.utf8.count > 200 { return "sha256-" + (TargetInfo(of: Array(path.utf8)).hashes.sha256 ?? "") }
        return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
    }
}
