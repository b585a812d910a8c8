import Foundation
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

struct TokenTests {
    @Test func `a mistyped token is told from an unknown one`() async throws {
        let shop = try await Shop()
        let request = TokenRequest(name: "ci", scope: TokenScope(actions: [.publish]), expires: nil)
        let secret = try await shop.registry.createToken(request).secret
        var mistyped = Array(secret)
        mistyped[10] = mistyped[10] == "A" ? "B" : "A"
        let wrong = await #expect(throws: RegistryError.self) { try await shop.local.authenticate(String(mistyped)) }
        #expect(wrong?.message.contains("incomplete") == true)
        var generator = SystemRandomNumberGenerator()
        let other = TokenSecret(generator: &generator).text
        let unknown = await #expect(throws: RegistryError.self) { try await shop.local.authenticate(other) }
        #expect(unknown?.message.contains("not known") == true)
    }

    @Test func `a token ends when it expires`() async throws {
        let shop = try await Shop()
        let request = TokenRequest(
            name: "ci", scope: TokenScope(actions: [.publish]), expires: shop.clock.now.addingTimeInterval(86_400))
        let secret = try await shop.registry.createToken(request).secret
        #expect(try await shop.local.authenticate(secret).name.hasPrefix("ci ("))
        shop.clock.advance(days: 1.1)
        let error = await #expect(throws: RegistryError.self) { try await shop.local.authenticate(secret) }
        #expect(error?.message.contains("expired") == true)
    }

    @Test func `the registry's files do not hold a token's text`() async throws {
        let shop = try await Shop()
        let request = TokenRequest(name: "ci", scope: TokenScope(actions: [.admin]), expires: nil)
        let secret = try await shop.registry.createToken(request).secret
        for name in try shop.folder.listing("project/registry") {
            let bytes = try Data(contentsOf: shop.local.folder.appending(path: name))
            #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        ("", [TokenAction.publish]), ("a\nb", [.publish]), (String(repeating: "x", count: 101), [.publish]), ("ci", []),
    ])
    func `a token that makes no sense is refused`(name: String, actions: [TokenAction]) async throws {
        let shop = try await Shop()
        let error = await #expect(throws: RegistryError.self) {
            try await shop.registry.createToken(
                TokenRequest(name: name, scope: TokenScope(actions: Set(actions)), expires: nil))
        }
        #expect(error?.kind == .invalid)
    }
}
