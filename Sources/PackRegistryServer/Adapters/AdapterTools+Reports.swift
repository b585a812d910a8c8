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
    /// What a client told before of a package, in its order; nothing where that cannot be read.
    func told(by sender: ReportID, of package: PackageID) async -> [ReportEvent] {
        let events = try? await reads.pass { try await host.reports?.events(of: sender) }
        return (events ?? []).map(\.event).filter { $0.package == package }
    }

    /// Stores reports. What cannot be stored, or is too much, is dropped: these clients stop all their requests if they
    /// are told so, updates too.
    func take(_ batch: ReportBatch, _ request: Request, _ context: RegistryRequestContext) async {
        guard !batch.events.isEmpty else { return }
        do {
            _ = try await reports.take(batch, request, context)
        } catch {
            context.logger.debug("reports of an adapter's client were dropped", metadata: ["error": "\(error)"])
        }
    }
}
