import Foundation
import TestSupport

/// A program in C over libpackhost, compiled for a test.
final class CProgram: Sendable {
    /// The folder of the checkout.
    static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs")
    /// The library that the build has put beside the tests, or the one that `TESTED_PACKHOST` names.
    static let library =
        ProcessInfo.processInfo.environment["TESTED_PACKHOST"].map { URL(fileURLWithPath: $0) }
        ?? BuiltProgram.beside("libpackhost.so")

    private let folder: URL
    private let program: URL

    /// - Parameter source: ends in `.c` or `.cpp`.
    init(_ source: URL) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("packhost-c-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        program = folder.appendingPathComponent("program")
        let isC = source.pathExtension == "c"
        let (compiler, standard) = isC ? ("gcc", "-std=c11") : ("g++", "-std=c++17")
        let folderOfLibrary = Self.library.deletingLastPathComponent().path
        _ = try ProgramRun.tool([
            compiler, standard, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", source.path, "-o",
            program.path, "-I", Self.checkout.appendingPathComponent("Sources/CPackHost").path, "-I",
            Self.programs.path, "-L", folderOfLibrary, "-lpackhost", "-Wl,-rpath,\(folderOfLibrary)",
            "-Wl,--allow-shlib-undefined",
        ])
    }

    /// - Parameter name: of a file in `Programs`.
    convenience init(named name: String) throws {
        try self.init(Self.programs.appendingPathComponent(name))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the program to its end.
    /// - Parameters:
    ///   - environment: beside that of the test.
    ///   - answer: is called with each line of the program that is to be answered by one.
    /// - Returns: everything that it printed.
    func run(
        _ arguments: [String], environment: [String: String] = [:], answer: ((String) throws -> Void)? = nil
    ) throws -> String {
        try ProgramRun(program: program, arguments: arguments, environment: environment).output(answer: answer)
    }

    /// What `nm` says about the library's dynamic symbols.
    static func symbols() throws -> String { try ProgramRun.tool(["nm", "-D", "--defined-only", library.path]) }
}
