import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackRegistryAPI

/// Finds the identity behind a request (RFC 6750). It reads a token only from the `Authorization` field: in a URL a
/// token would end up in logs, histories and `Referer` fields.
struct Bearer: Sendable {
    let host: any RegistryHost

    /// The holder of the request's token.
    /// - Throws: 401 without a token that is valid now.
    func identity(of request: Request, _ context: RegistryRequestContext) async throws -> Identity {
        guard let identity = try await optionalIdentity(of: request, context) else {
            throw Problem.unauthorized(
                "this needs an access token: send \"Authorization: Bearer ptk_…\" (packtool reads it from PACKTOOL_TOKEN)",
                isTokenGiven: false)
        }
        return identity
    }

    /// nil without a token. One that is not valid is refused, even where none would be needed.
    func optionalIdentity(of request: Request, _ context: RegistryRequestContext) async throws -> Identity? {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem.unauthorized(
                "the access token is not understood: send \"Authorization: Bearer ptk_…\" once",
                isTokenGiven: true)
        }
        let identity = try await host.authenticate(String(parts[1]))
        context.caller.note(identity)
        return identity
    }

    // Not inlined: with its ways to throw inside them, Swift 6.3.1's optimiser crashes on the routes of release builds
    // (signal 11 in llvm::coro::normalizeCoroutine).
    /// Who asks by a route, and has its right for the package and the channel that the path names; nil without a token where
    /// the route needs none.
    @inline(never)
    func identity(
        of request: Request, _ context: RegistryRequestContext, for route: Route
    ) async throws -> Identity? {
        guard let right = route.right else { return try await optionalIdentity(of: request, context) }
        let identity = try await identity(of: request, context)
        let package = try context.parameters.get("package").map { try PackageID($0) }
        let channel = try context.parameters.get("channel").map { try ChannelName($0) }
        if let other = route.otherRight, identity.scope.allows(other, package: package, channel: channel) {
            return identity
        }
        try identity.require(right, package: package, channel: channel)
        return identity
    }

    /// The registry on behalf of ``identity(of:_:for:)``.
    func registry(
        for request: Request, _ context: RegistryRequestContext, by route: Route
    ) async throws -> any Registry {
        host.registry(as: try await identity(of: request, context, for: route) ?? .anonymous)
    }
}
