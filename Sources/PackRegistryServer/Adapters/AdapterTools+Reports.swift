import Hummingbird
import Logging
import PackFormat
import PackRegistry
import PackRegistryAPI

extension ReportID {
    /// The name under which an adapter stores what a device tells. It follows from the device's id and does not have it.
    init(adapter: AdapterKind, app: String, device: String) throws {
        let digest = Digest(of: Array("packtool reports \(adapter.rawValue) \(app) \(device)".utf8))
        try self.init(String(digest.hex.prefix(32)))
    }
}

extension AdapterTools {
    /// Stores what a client told, each event for the release that brought its version (``BroughtReleases``). What
    /// cannot be stored, or is too much, is dropped: told so, these clients stop all their requests, updates too.
    /// - Parameter told: of one package, each with the release that offers its version now, if one does.
    func take(
        _ told: [ReportEvent], of sender: ReportID, on channel: ChannelName, _ request: Request,
        _ context: RegistryRequestContext
    ) async {
        do {
            let events = BroughtReleases.settled(told, after: try await earlier(than: told, of: sender, on: channel))
            guard !events.isEmpty else { return }
            _ = try await reports.take(ReportBatch(sender: sender, channel: channel, events: events), request, context)
        } catch {
            context.logger.debug("reports of an adapter's client were dropped", metadata: ["error": "\(error)"])
        }
    }

    /// What a client told before, in its order. It is read only if an event needs it.
    private func earlier(
        than told: [ReportEvent], of sender: ReportID, on channel: ChannelName
    ) async throws -> [ReportEvent] {
        guard let package = told.first(where: BroughtReleases.followsOthers)?.package else { return [] }
        let events = try await reads.pass { try await host.reports?.events(of: sender) } ?? []
        return events.filter { $0.channel == channel && $0.event.package == package }.map(\.event)
    }
}
