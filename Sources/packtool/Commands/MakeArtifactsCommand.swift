import ArgumentParser
import Foundation
import PackRegistryLocal

/// `packtool make-artifacts`: makes patches and downloads for `packtool serve`, which starts it and talks to it over
/// stdin and stdout. It is not for people.
struct MakeArtifactsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-artifacts", abstract: "Make patches and downloads for packtool serve.", shouldDisplay: false)

    @Argument(help: "The registry's folder.")
    var folder: String

    func run() throws {
        try MakerService.run(URL(filePath: folder, directoryHint: .isDirectory))
    }

    /// This program, as a server starts it: the file that runs, also where an update has put another in its place.
    static var program: MakerProgram {
        let own = "/proc/self/exe"
        let executable =
            FileManager.default.fileExists(atPath: own)
            ? own : Bundle.main.executablePath ?? CommandLine.arguments.first ?? "packtool"
        return MakerProgram(executable: executable, arguments: [configuration.commandName ?? ""])
    }
}
