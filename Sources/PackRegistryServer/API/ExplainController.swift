import Foundation
import Hummingbird
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// What channels offer, and why a device gets what it gets of it; at a past moment too.
struct ExplainController {
    let state: ReleaseCache
    let host: any RegistryHost
    /// The past is read from all events of a channel.
    let reports: ConcurrencyGate

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.channel, gate: reports) { call, _ in
            let channel = try ChannelName(call.value("channel"))
            return try await file(channel, call.request)
        }
        router.add(Endpoints.explain, explain)
    }

    @Sendable private func explain(request: Request, context: RegistryRequestContext) async throws -> Response {
        let query = DeviceQuery(request)
        let channel = try ChannelName(query.required("channel"))
        let package = try PackageID(query.required("package"))
        let facts = try await query.facts(
            groups: state.groups(of: query["device"] ?? "", on: channel))
        return try await reports.pass {
            let explanation = try await RolloutExplanation(package, in: file(channel, request), for: facts)
            return try FileResponder.document(to: request, explanation.json)
        }
    }

    private func file(_ channel: ChannelName, _ request: Request) async throws -> ChannelFile {
        let found: ChannelFile?
        if let text = DeviceQuery(request)["at"] {
            let time: Date
            do { time = try WireTime.date(text, field: "at") } catch { throw Problem.badRequest("\(error)") }
            found = try await host.registry(as: .anonymous).channelFile(channel, at: time)
        } else {
            found = try await state.offers(on: channel)?.file
        }
        guard let found else { throw Problem.notFound("nothing is offered on the channel \(channel) at that time") }
        return found
    }
}
