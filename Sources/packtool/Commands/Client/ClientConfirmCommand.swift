import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Say that the active version works, as its page would.")

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("The version that works (default: the active one).", valueName: "V"))
    var packageVersion: String?

    @Option(help: ArgumentHelp("The token of the load that worked (default: the newest load's).", valueName: "TOKEN"))
    var token: String?

    func run() async throws {
        let updater = try client.existingUpdater(asksRegistry: false)
        let package = try await client.onePackage(of: updater)
        guard let status = try await updater.status().first(where: { $0.package == package }),
            let active = status.active
        else { throw CommandFailure("\(UpdateError.notInstalled(package))") }
        let named = try packageVersion.map { try SemanticVersion($0) } ?? active
        let newest = try await updater.loadTokens(of: package).last
        if status.isConfirmed, named == active {
            throw CommandFailure("\(package) \(active) was confirmed before", exitCode: .nothingToDo)
        }
        guard let load = token ?? newest else {
            throw CommandFailure(
                "\(package) \(active) was not started yet: run packtool client start, and confirm that load",
                exitCode: .nothingToDo)
        }
        do {
            try await updater.confirm(package, version: named, loadToken: load)
        } catch let error as UpdateError {
            throw CommandFailure("\(error)", exitCode: .nothingToDo)
        }
        client.global.console.result(
            "\(package) \(named) is confirmed",
            json: .object(["package": .string(package.text), "version": .string(named.description)]))
    }
}
