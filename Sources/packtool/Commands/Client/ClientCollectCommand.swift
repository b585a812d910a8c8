import ArgumentParser
import PackJSON
import PackUpdater

struct ClientCollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Remove versions and objects that nothing needs any more.",
        discussion: "An update does this by itself. Versions that an open page of any process uses stay.")

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let removed = try await client.existingUpdater(asksRegistry: false).collectGarbage()
        client.global.console.result(
            removed.map { "removed \($0)" }.joined(separator: "\n"),
            json: .object(["removed": .array(removed.map { .string($0) })]))
    }
}
