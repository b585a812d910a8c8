import Foundation
import PackJSON
import PackRegistryAPI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The id token of the CI job that a command runs in.
package enum JobIDToken {
    /// The variable in which GitLab CI, or whoever calls, gives it.
    package static let variable = "PACKTOOL_ID_TOKEN"
    private static let timeout: TimeInterval = 30

    /// - Parameter audience: what a token that is asked for is to be made for.
    /// - Throws: ``RegistryError`` of the kind `.invalid` where the job has none, with what to write into its definition.
    package static func read(_ environment: [String: String], audience: String) async throws -> String {
        if let given = environment[variable]?.trimmingCharacters(in: .whitespacesAndNewlines), !given.isEmpty {
            return given
        }
        guard let address = environment["ACTIONS_ID_TOKEN_REQUEST_URL"], !address.isEmpty,
            let secret = environment["ACTIONS_ID_TOKEN_REQUEST_TOKEN"], !secret.isEmpty
        else {
            throw RegistryError(
                .invalid,
                "this job has no id token. In GitHub Actions, give it \"permissions: id-token: write\"; in GitLab CI, name \(variable) "
                    + "below id_tokens with \"aud: \(audience)\"; elsewhere, set \(variable)")
        }
        return try await ask(address, secret, audience)
    }

    /// Source: "OpenID Connect reference" of GitHub Actions, "Requesting the JWT using environment variables".
    private static func ask(_ address: String, _ secret: String, _ audience: String) async throws -> String {
        guard var parts = URLComponents(string: address) else {
            throw RegistryError(.invalid, "ACTIONS_ID_TOKEN_REQUEST_URL is no URL")
        }
        parts.queryItems = (parts.queryItems ?? []) + [URLQueryItem(name: "audience", value: audience)]
        guard let url = parts.url else { throw RegistryError(.invalid, "ACTIONS_ID_TOKEN_REQUEST_URL is no URL") }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.setValue("bearer \(secret)", forHTTPHeaderField: "Authorization")
        let reply: HTTPReply
        do {
            reply = try await HTTPExchange().send(request, into: .memory(maximumByteCount: 64 << 10))
        } catch let error as URLError {
            throw RegistryError(.unreachable, "the CI system gave no id token (\(error.localizedDescription))")
        }
        guard reply.status == 200, let token = try? JSONValue(parsing: reply.body).object().string("value") else {
            throw RegistryError(.unreachable, "the CI system gave no id token: it answered \(reply.status)")
        }
        return token
    }
}
