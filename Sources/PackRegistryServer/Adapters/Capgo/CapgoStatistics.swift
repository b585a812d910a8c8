import Foundation
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry

/// What Capgo clients tell of updates (`statsUrl`), as reports: adoption, failures and gates of rollouts work with them.
///
/// Only what says how a version does is kept. An app that names no `statsUrl` reports nothing.
struct CapgoStatistics: Sendable {
    /// The clients keep at most 200 events for later.
    private static let maximumEventCount = 200
    private static let maximumByteCount = 1 << 20

    let tools: AdapterTools

    func take(
        of package: PackageID, _ request: Request, _ context: RegistryRequestContext
    ) async throws -> Response {
        let events = try await events(in: request, context)
        if let first = events.first, let id = first.looseText("device_id"), tools.reports.isOpen {
            let own = events.prefix(Self.maximumEventCount).filter { $0.looseText("device_id") == id }
            try await report(own, of: CapgoDevice(first), package, request, context)
        }
        return .adapterJSON(["status": "ok"])
    }

    /// A list, or one event alone.
    private func events(in request: Request, _ context: RegistryRequestContext) async throws -> [JSONObject] {
        do {
            let body = try await tools.body(
                of: request, context, upTo: Self.maximumByteCount, values: 100 * Self.maximumEventCount)
            if case .array(let list) = body { return try list.map { try $0.object("an event") } }
            return [try body.object("the body")]
        } catch let error as JSONError {
            throw Problem(.badRequest, kind: "invalid_json_body", "\(error)")
        }
    }

    private func report(
        _ events: [JSONObject], of device: CapgoDevice, _ package: PackageID, _ request: Request,
        _ context: RegistryRequestContext
    ) async throws {
        let channel = device.channel.flatMap { try? ChannelName($0) } ?? tools.settings.channel
        let query = UpdateQuery(channel: channel, package: package, device: device.facts, current: nil)
        let release = try await tools.desk.answer(query)?.decision.release
        let now = Int(tools.host.now.timeIntervalSince1970 * 1000)
        let told = events.compactMap { Self.event($0, of: package, release, now: now) }
        let sender = try ReportID(adapter: .capgo, app: tools.desk.state.app, device: device.facts.deviceID)
        await tools.take(told, of: sender, on: channel, request, context)
    }

    /// nil for what says nothing about a version.
    /// - Parameters:
    ///   - release: what the device is offered now.
    ///   - now: in milliseconds, for older clients that send no time.
    static func event(
        _ event: JSONObject, of package: PackageID, _ release: Release?, now: Int
    ) -> ReportEvent? {
        guard let action = event.looseText("action"), let meaning = meanings[action],
            let version = event.looseText("version_name").flatMap({ try? SemanticVersion($0) })
        else { return nil }
        var time = now
        if case .integer(let sent) = event["timestamp"], (1...4_000_000_000_000).contains(sent) { time = sent }
        var report = ReportEvent(
            // The same event that is sent once more has the same number.
            sequence: time * 16 + meaning.number, code: meaning.code, time: time / 1000, package: package,
            version: version, release: release?.version == version ? release?.id : nil)
        report.phase = meaning.phase
        report.fault = meaning.fault
        return report
    }

    private struct Meaning {
        let number: Int
        let code: ReportEvent.Code
        var phase: ReportEvent.Phase?
        var fault: ReportEvent.Fault?
    }

    /// The clients name the running version in every other failure, whichever version failed.
    private static let meanings = [
        "download_complete": Meaning(number: 1, code: .downloaded),
        "set_next": Meaning(number: 2, code: .installed),
        "set": Meaning(number: 3, code: .activated),
        "app_launch_ready": Meaning(number: 4, code: .confirmed),
        "update_fail": Meaning(number: 5, code: .failed, phase: .start, fault: .neverConfirmed),
        "set_fail": Meaning(number: 6, code: .failed, phase: .install, fault: .fileFailed),
        "finish_download_fail": Meaning(number: 7, code: .failed, phase: .download, fault: .damaged),
        "insufficient_disk_space": Meaning(number: 8, code: .failed, phase: .download, fault: .diskFull),
    ]
}
