import Hummingbird

/// Speaks the protocol of one other system, over the same decisions as `/v1/update`.
///
/// These clients do not verify signed metadata: they believe whoever answers under the server's name
/// (`docs/ADAPTERS.md`).
protocol Adapter: Sendable {
    /// - Parameter path: what follows `/adapters/KIND/`, decoded.
    /// - Throws: anything; ``answer(to:)`` says it in the protocol's words.
    func response(
        to request: Request, path: ArraySlice<String>, _ context: RegistryRequestContext
    ) async throws -> Response

    /// The protocol's own form of a refusal.
    func answer(to problem: Problem) -> Response
}
