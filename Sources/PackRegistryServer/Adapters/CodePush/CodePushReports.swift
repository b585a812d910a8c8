import Foundation
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry

/// What CodePush's clients tell of updates, as reports.
struct CodePushReports: Sendable {
    private static let maximumByteCount = 64 << 10
    private static let order: [ReportEvent.Code] = [.downloaded, .activated, .confirmed, .failed]

    let tools: AdapterTools

    /// A version started, or was left for the one before. A report without a label is about what the app brought.
    func takeDeployment(_ request: Request, _ context: RegistryRequestContext) async throws -> Response {
        let body = try await body(of: request, context)
        switch body.looseText("status") {
        case "DeploymentSucceeded": try await report([.activated, .confirmed], body, request, context)
        // It ran, and was left: these clients tell nothing when a version begins to run. One that could not be installed is told without
        // the version that it would have followed.
        case "DeploymentFailed":
            let before =
                body.looseText("previous_label_or_app_version") ?? body.looseText("previousLabelOrAppVersion")
            try await report(before == nil ? [.failed] : [.activated, .failed], body, request, context)
        case nil: _ = try key(of: body)
        case .some: throw Problem.badRequest("the status is DeploymentSucceeded or DeploymentFailed")
        }
        return .adapterText("OK")
    }

    func takeDownload(_ request: Request, _ context: RegistryRequestContext) async throws -> Response {
        try await report([.downloaded], body(of: request, context), request, context)
        return .adapterText("OK")
    }

    private func body(of request: Request, _ context: RegistryRequestContext) async throws -> JSONObject {
        try await tools.body(of: request, context, upTo: Self.maximumByteCount).object("the body")
    }

    private func key(of body: JSONObject) throws -> CodePushKey {
        guard let text = body.looseText("deployment_key") ?? body.looseText("deploymentKey") else {
            throw Problem.badRequest("a report must have a deployment key")
        }
        return try CodePushQuery.key(text, tools.settings.codePushKeys)
    }

    private func report(
        _ codes: [ReportEvent.Code], _ body: JSONObject, _ request: Request, _ context: RegistryRequestContext
    ) async throws {
        let key = try key(of: body)
        guard tools.reports.isOpen, let label = body.looseText("label"), let version = try? SemanticVersion(label),
            let id = body.looseText("client_unique_id") ?? body.looseText("clientUniqueId")
        else { return }
        let app = (body.looseText("app_version") ?? body.looseText("appVersion")).flatMap { try? AppVersion($0) }
        let query = UpdateQuery(
            channel: key.channel, package: key.package, device: DeviceFacts(deviceID: id, appVersion: app), current: nil
        )
        let release = try await tools.desk.answer(query)?.decision.release
        // The clients send no time and no number. What one of them tells at the same moment is not the same.
        let now = Int(tools.host.now.timeIntervalSince1970 * 1000)
        let events = codes.map { code in
            var event = ReportEvent(
                sequence: now * 16 + (Self.order.firstIndex(of: code) ?? 0), code: code, time: now / 1000,
                package: key.package, version: version,
                release: release?.version == version ? release?.id : nil)
            if code == .failed {
                (event.phase, event.fault) =
                    codes.contains(.activated) ? (.start, .neverConfirmed) : (.install, .damaged)
            }
            return event
        }
        let sender = try ReportID(adapter: .codepush, app: tools.desk.state.app, device: id)
        await tools.take(events, of: sender, on: key.channel, request, context)
    }
}
