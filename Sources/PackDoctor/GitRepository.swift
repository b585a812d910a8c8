import Foundation

/// What git says about files. Nil without git, and outside of a repository.
struct GitRepository {
    private let folder: URL

    init?(containing folder: URL) {
        self.folder = folder
        guard run(["rev-parse", "--is-inside-work-tree"])?.output.hasPrefix("true") == true else { return nil }
    }

    /// The files below a folder that git has.
    func tracked(below folder: URL) -> [String] {
        let output = run(["ls-files", "--", folder.path(percentEncoded: false)])?.output ?? ""
        return output.split(separator: "\n").map(String.init)
    }

    func isIgnored(_ file: URL) -> Bool { run(["check-ignore", "-q", file.path(percentEncoded: false)])?.status == 0 }

    private func run(_ arguments: [String]) -> (status: Int32, output: String)? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder.path(percentEncoded: false)] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return process.terminationStatus == 127
                ? nil : (process.terminationStatus, String(decoding: data, as: UTF8.self))
        } catch {
            return nil
        }
    }
}
