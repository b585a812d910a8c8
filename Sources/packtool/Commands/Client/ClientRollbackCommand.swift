import ArgumentParser
import PackFormat
import PackJSON
import PackUpdater

struct ClientRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Leave the active version for the one that was confirmed before it.")

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let updater = try client.existingUpdater(asksRegistry: false)
        let package = try await client.onePackage(of: updater)
        let status = try await updater.status().first { $0.package == package }
        guard status?.previous != nil || status?.embedded != nil else {
            throw CommandFailure(
                "\(package) has no version to go back to: none was confirmed before this one, and the app embeds none",
                exitCode: .nothingToDo)
        }
        do {
            let version = try await updater.rollBack(package)
            client.global.console.result(
                version.map { "\(package) is back to \($0)" }
                    ?? "\(package) has no version left: its next page installs what the channel offers",
                json: .object([
                    "package": .string(package.text), "version": version.map { .string($0.description) } ?? .null,
                ]))
        } catch let error as UpdateError {
            throw CommandFailure("\(error)", exitCode: .nothingToDo)
        }
    }
}
