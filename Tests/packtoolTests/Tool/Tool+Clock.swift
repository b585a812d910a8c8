import Foundation
import Testing

extension Tool {
    /// Starts packtool with another clock than this machine's.
    /// - Parameter clock: what it has more, in libfaketime's words: `+10m`.
    func start(_ arguments: [String], clock: String) throws -> RunningTool {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)/faketime" }
        let library = folders.map { "\($0)/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }
        // Through env: libfaketime moves the environment of the program that it meets first, beside which Swift looks for the arguments.
        return try start(
            URL(filePath: "/usr/bin/env"), [Self.executable.path] + arguments,
            environment: [
                "LD_PRELOAD": try "\(Self.realTimers.get()):\(#require(library))", "FAKETIME": clock,
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            ])
    }

    /// The library by which a sleep ends although the clock is another.
    private static let realTimers = Result {
        let library = FileManager.default.temporaryDirectory.appending(path: "real-timers-\(getpid()).so").path
        let source = project.appending(path: "Tests/Tools/real_timers.c").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/cc")
        compiler.arguments = ["-shared", "-fPIC", "-o", library, source, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "\(source) was not compiled")
        return library
    }
}
