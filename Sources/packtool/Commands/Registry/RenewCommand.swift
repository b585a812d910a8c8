import ArgumentParser
import PackJSON
import PackRegistryLocal

/// `packtool renew`: renews signatures that expire soon.
struct RenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew signatures of a registry folder that expire soon.",
        discussion: HelpText.flowing(
            """
            A registry signs its channels and its snapshot for 30 days and its timestamp for 7; devices refuse what has \
            expired. packtool serve renews by itself, and so does every command that changes something. A folder that \
            only a web server or a CDN serves needs this command once a day, as in a cron job.
            """))

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure("a server renews its signatures by itself: give a registry's folder with --registry")
        }
        let renewed = try await local.renew()
        options.console.result(
            renewed.isEmpty ? "nothing expires soon" : "signed anew: \(renewed.joined(separator: ", "))",
            json: .object(["renewed": .array(renewed.map { .string($0) })]))
    }
}
