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
        router.add(Endpoints.planProgress, gate: reports) { call, _ in
            try await call.registry.planProgress(
                of: PackageID(call.value("package")), on: ChannelName(call.value("channel")), at: time(call.request))
        }
        router.add(Endpoints.explain, explain)
    }

    @Sendable private func explain(request: Request, context: RegistryRequestContext) async throws -> Response {
        let query = DeviceQuery(request)
        let channel = try ChannelName(query.required("channel"))
        let package = try PackageID(query.required("package"))
        var question = try DeviceQuestion(package, on: channel, facts: query.facts(groups: []))
        question.time = try time(request)
        question.running = try query["current"].map { try SemanticVersion($0) }
        return try await reports.pass {
            let answer = try await question.answer(
                file(channel, request), groups: state.groups(of: query["device"] ?? "", on: channel),
                plans: host.registry(as: .anonymous).planProgress(of: package, on: channel, at: question.time))
            return try FileResponder.document(to: request, answer.json)
        }
    }

    private func time(_ request: Request) throws -> Date? {
        guard let text = DeviceQuery(request)["at"] else { return nil }
        do { return try WireTime.date(text, field: "at") } catch { throw Problem.badRequest("\(error)") }
    }

    private func file(_ channel: ChannelName, _ request: Request) async throws -> ChannelFile {
        let found: ChannelFile?
        if let time = try time(request) {
            found = try await host.registry(as: .anonymous).channelFile(channel, at: time)
        } else {
            found = try await state.offers(on: channel)?.file
        }
        guard let found else { throw Problem.notFound("nothing is offered on the channel \(channel) at that time") }
        return found
    }
}
