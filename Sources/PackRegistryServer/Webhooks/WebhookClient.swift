import NIOHTTP1
import PackFormat

/// Sends one delivery. Of the answer only the status counts.
struct WebhookClient: Sendable {
    private let client: OutboundClient

    /// - Parameter allowsInternal: whether addresses of this machine and its networks are sent to.
    /// - Parameter authorities: certificates in PEM form that are trusted besides the system's.
    init(allowsInternal: Bool, authorities: String) {
        client = OutboundClient(
            option: "--internal-webhooks", allowsInternal: allowsInternal, authorities: authorities)
    }

    /// - Throws: ``OutboundClient/Failure`` for any answer but 200 to 299, and where none came.
    func post(_ body: [UInt8], to url: String, fields: [(String, String)]) async throws {
        let answer = try await client.send(
            .POST, url, fields: [("Content-Type", "application/json")] + fields, body: body)
        guard !(200...299).contains(answer.status) else { return }
        let hint = (300...399).contains(answer.status) ? ": a webhook's redirects are not followed" : ""
        throw OutboundClient.Failure(description: "the receiver answered \(answer.status)\(hint)")
    }
}
