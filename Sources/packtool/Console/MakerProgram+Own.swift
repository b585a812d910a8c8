import Foundation
import PackRegistryLocal
import PackRegistryPostgres

extension MakerProgram {
    /// The command of this program that makes patches and downloads.
    static let command = "make-artifacts"

    /// This program, as a server starts it: the file that runs, also where an update has put another in its place.
    static func own(rows: PostgresAddress?) -> MakerProgram {
        let own = "/proc/self/exe"
        let executable =
            FileManager.default.fileExists(atPath: own)
            ? own : Bundle.main.executablePath ?? CommandLine.arguments.first ?? "packtool"
        let database = rows.map { ["--rows", $0.withoutSecrets] } ?? []
        return MakerProgram(executable: executable, arguments: [command] + database)
    }
}
