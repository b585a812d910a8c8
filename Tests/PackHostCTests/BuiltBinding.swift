import Foundation

/// A binding that `scripts/build-bindings.sh` has built for a test, with the library that is tested.
final class BuiltBinding {
    let folder: URL

    /// - Parameter language: "java" or "node".
    init(_ language: String) throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("packhost-\(UUID().uuidString)")
        folder = parent.appendingPathComponent(language)
        _ = try ProgramRun.tool(
            [CProgram.checkout.appendingPathComponent("scripts/build-bindings.sh").path],
            environment: ["OUT": parent.path, "ONLY": language, "PACKHOST_LIBRARY": CProgram.library.path])
    }

    /// The program of docs/BINDINGS.md in a language, as it stands there.
    static func documented(_ language: String) throws -> String {
        let document = CProgram.checkout.appendingPathComponent("docs/BINDINGS.md")
        let parts = try String(contentsOf: document, encoding: .utf8).components(separatedBy: "```\(language)\n")
        guard parts.count == 2, let end = parts[1].range(of: "```") else {
            throw ProgramRun.Failure(description: "docs/BINDINGS.md has \(parts.count - 1) programs in \(language)")
        }
        return String(parts[1][..<end.lowerBound])
    }

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
}
