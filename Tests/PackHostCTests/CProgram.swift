import Foundation
import TestSupport

/// A program in C over libpackhost, compiled for a test.
final class CProgram {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

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
        let said = try Self.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                compiler, standard, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", source.path, "-o",
                program.path, "-I", Self.checkout.appendingPathComponent("Sources/CPackHost").path, "-I",
                Self.programs.path, "-L", folderOfLibrary, "-lpackhost", "-Wl,-rpath,\(folderOfLibrary)",
                "-Wl,--allow-shlib-undefined",
            ])
        guard said.status == 0 else { throw Failure(description: "\(source.lastPathComponent): \(said.text)") }
    }

    /// - Parameter name: of a file in `Programs`.
    convenience init(named name: String) throws {
        try self.init(Self.programs.appendingPathComponent(name))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the program to its end.
    /// - Parameter answer: is called with each line of the program that is to be answered by one.
    /// - Returns: everything that it printed.
    func run(_ arguments: [String], answer: ((String) throws -> Void)? = nil) throws -> String {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        let input = Pipe()
        process.standardInput = input
        try process.run()
        var said = ""
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            let text = String(decoding: data, as: UTF8.self)
            said += text
            guard let answer else { continue }
            for line in text.split(separator: "\n") where line != "done" {
                do {
                    try answer(String(line))
                } catch {
                    process.terminate()
                    throw error
                }
                try input.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
            }
        }
        let fault = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            throw Failure(description: "\(process.terminationReason) \(process.terminationStatus): \(said)\(fault)")
        }
        return said
    }

    /// What `nm` says about the library's dynamic symbols.
    static func symbols() throws -> String {
        let said = try run(URL(fileURLWithPath: "/usr/bin/env"), ["nm", "-D", "--defined-only", library.path])
        guard said.status == 0 else { throw Failure(description: said.text) }
        return said.text
    }

    private static func run(_ program: URL, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
