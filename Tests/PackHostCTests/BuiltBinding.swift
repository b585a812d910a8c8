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

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
}
