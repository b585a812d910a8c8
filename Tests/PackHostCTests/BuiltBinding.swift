import Foundation

/// A binding that `scripts/build-bindings.sh` has built for the tests of a process, with the library that is tested.
struct BuiltBinding {
    let folder: URL

    /// Builds it anew, in a folder of the checkout's build: a suite does that once for all of its tests.
    /// - Parameter language: "java" or "node".
    init(_ language: String) throws {
        let parent = CProgram.checkout.appendingPathComponent(".build/tested-bindings")
        folder = parent.appendingPathComponent(language)
        try? FileManager.default.removeItem(at: folder)
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
}
