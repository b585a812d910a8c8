import Foundation
import PackFormat
import Testing

@testable import PackRegistry

/// The implementations of the registry protocols; every test of the contract runs against each.
enum RegistryKind: CaseIterable, CustomTestStringConvertible {
    case local

    var testDescription: String { "\(self)" }

    /// Opens a shop's registry with the rights of a scope.
    func using<Result>(
        _ shop: Shop, scope: TokenScope = TokenScope(actions: [.admin]),
        _ body: (any Registry) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .local: try await body(shop.local.acting(as: Identity(name: "test", scope: scope)))
        }
    }
}
