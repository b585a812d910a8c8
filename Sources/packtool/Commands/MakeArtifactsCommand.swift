import ArgumentParser
import Foundation
import PackRegistryLocal
import PackRegistryPostgres

/// `packtool make-artifacts`: makes patches and downloads for `packtool serve`, which starts it and talks to it over
/// stdin and stdout. It is not for people.
struct MakeArtifactsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: MakerProgram.command, abstract: "Make patches and downloads for packtool serve.",
        shouldDisplay: false)

    @Argument(help: "The registry's folder.")
    var folder: String

    @Option(help: "The database of the registry's rows, without a password.")
    var rows: String?

    func run() throws {
        let database = try rows.map { try PostgresDatabase.openNow(Self.address($0)) }
        try MakerService.run(
            URL(filePath: folder, directoryHint: .isDirectory), rows: database.map { RegistryRows(shared: $0) })
    }

    /// With the password of the environment's URL, which is not an argument, because others can read those.
    private static func address(_ text: String) throws -> PostgresAddress {
        let variable = ProcessInfo.processInfo.environment["PACKTOOL_REGISTRY"] ?? ""
        if PostgresAddress.isOne(variable), let address = try? PostgresAddress(variable), address.withoutSecrets == text
        {
            return address
        }
        return try PostgresAddress(text)
    }
}
