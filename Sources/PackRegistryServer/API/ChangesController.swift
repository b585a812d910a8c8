import Hummingbird
import PackRegistryAPI

/// Proposed changes: what is proposed, approved and rejected.
struct ChangesController {
    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.proposeChange) { call, proposal in try await call.registry.propose(proposal) }
        router.add(Endpoints.changes) { call, _ in
            switch call.request.uri.queryParameters["all"] {
            case nil, "false": try await call.registry.changes(.open)
            case "true": try await call.registry.changes(.newest)
            default: throw Problem.badRequest("all must be true or false")
            }
        }
        router.add(Endpoints.change) { call, _ in try await call.registry.changes(.one(Self.id(call))) }
        router.add(Endpoints.voteOnChange) { call, vote in try await call.registry.vote(vote, on: Self.id(call)) }
    }

    private static func id(_ call: EndpointCall) throws -> Int {
        let text = try call.value("id")
        guard let id = Int(text), id > 0 else { throw Problem.badRequest("the id of a change is a number from 1") }
        return id
    }
}
