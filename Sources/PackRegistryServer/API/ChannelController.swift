import Hummingbird
import PackFormat
import PackRegistryAPI

/// Changes of what a channel offers.
struct ChannelController {
    let bearer: Bearer
    let memory: BodyMemory
    let writes: ConcurrencyGate

    func addRoutes(to router: Router<RegistryRequestContext>) {
        router.post("v1/channels/:channel/packages/:package", use: change)
    }

    @Sendable func change(request: Request, context: RegistryRequestContext) async throws -> Response {
        let channel = try ChannelName(context.parameters.require("channel"))
        let package = try PackageID(context.parameters.require("package"))
        let registry = try await bearer.registry(for: request, .release, package: package, channel: channel)
        return try await writes.pass {
            let change = try await memory.withDocument(of: request, context, ChannelChange.init(json:))
            return .json(try await registry.change(change, of: package, on: channel).json)
        }
    }
}
