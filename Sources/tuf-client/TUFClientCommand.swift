import Foundation
import PackTrust

/// The client with which a conformance suite drives ``TrustClient``: see `docs/TUF-CLIENT.md`.
///
/// It exits with 0, or with 1 on any failure, which it explains on stderr. It sets no timer and sleeps nowhere, so
/// that it can be run under a faked clock.
@main
struct TUFClientCommand {
    static func main() async {
        do {
            try await run(try ClientArguments(Array(CommandLine.arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("tuf-client: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: ClientArguments) async throws {
        let store = try FolderTrustStore(folder: arguments.metadataFolder)
        switch arguments.command {
        case .initialize(let rootFile):
            try TrustClient.initialize(store, trustedRoot: Array(try Data(contentsOf: rootFile)))
        case .refresh(let metadataURL):
            let transport = HTTPTransport(metadata: metadataURL, targets: nil)
            try await TrustClient(store: store, transport: transport).refresh()
        case .download(let metadataURL, let targetURL, let names, let folder):
            let transport = HTTPTransport(metadata: metadataURL, targets: targetURL)
            let client = TrustClient(store: store, transport: transport)
            try await client.refresh()
            let downloads = TargetFolder(folder: folder)
            for name in names { try await downloads.bring(name, from: client) }
        }
    }
}
