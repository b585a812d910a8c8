import Foundation
import PackFormat
import PackRegistryS3
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// The implementations of the registry protocols; every test of the contract runs against each.
enum RegistryKind: CaseIterable, CustomTestStringConvertible {
    /// The folder, opened in place.
    case local
    /// The same folder behind a real server and a real socket.
    case served
    /// The folder, with its rows in PostgreSQL.
    case postgres
    /// Rows in PostgreSQL, files in S3-compatible storage, and a folder of copies.
    case bucket

    /// A shop whose registry is of the kind. A bucket's has a prefix of its own in the one server of all tests.
    func shop() async throws -> Shop {
        try await Shop(
            isInDatabase: self == .postgres || self == .bucket, storage: self == .bucket ? S3Store.ofTests() : nil)
    }

    var testDescription: String { "\(self)" }

    /// Gives a shop's registry with the rights of a scope.
    func using(
        _ shop: Shop, scope: TokenScope = TokenScope(actions: [.admin]),
        _ body: @escaping @Sendable (any Registry) async throws -> Void
    ) async throws {
        switch self {
        case .local, .postgres, .bucket: try await body(shop.local.registry(as: Identity(name: "test", scope: scope)))
        case .served:
            let token = try await shop.registry.createToken(TokenRequest(name: "test", scope: scope, expires: nil))
            try await RunningServer.with(shop.local) { (server) async throws in
                try await body(RemoteRegistry(server.url, token: token.secret))
            }
        }
    }
}
