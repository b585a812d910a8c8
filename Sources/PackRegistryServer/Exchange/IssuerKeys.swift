import Foundation
import HTTPTypes
import Logging
import NIOHTTP1
import PackJSON
import PackRegistryAPI

/// The public keys of trusted issuers, by their discovery documents (OpenID Connect Discovery 1.0, section 4), and kept for a while.
actor IssuerKeys {
    private struct Keys {
        var known: [String: JSONWebKey] = [:]
        /// Of the last answer that was good.
        var read: Date?
        var asked: Date
    }

    /// Seconds that keys are used without a look at the issuer.
    private static let life: TimeInterval = 3_600
    /// Seconds that keys are used while the issuer does not answer.
    private static let longestLife: TimeInterval = 86_400
    /// Seconds between two looks, because of a key id that nobody knows or an issuer that does not answer.
    private static let pause: TimeInterval = 30
    private static let maximumByteCount = 256 << 10

    private let client: OutboundClient
    private let logger: Logger
    private var issuers: [String: Keys] = [:]
    private var looks: [String: Task<[String: JSONWebKey], any Error>] = [:]

    init(client: OutboundClient, logger: Logger) {
        self.client = client
        self.logger = logger
    }

    /// - Parameters:
    ///   - id: the key's id, `kid`.
    ///   - address: where the keys are; nil: where the discovery document says.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` where the issuer has no such key, and ``Problem`` (503) where it cannot be
    ///   asked.
    func key(_ id: String, of issuer: String, at address: String?, now: Date) async throws -> JSONWebKey {
        let name = address.map { "\(issuer) \($0)" } ?? issuer
        let age = issuers[name]?.read.map { now.timeIntervalSince($0) } ?? .infinity
        if age < Self.life, let key = issuers[name]?.known[id] { return key }
        if looks[name] == nil, let asked = issuers[name]?.asked, abs(now.timeIntervalSince(asked)) < Self.pause {
            return try known(id, name, issuer, age)
        }
        issuers[name, default: Keys(asked: now)].asked = now
        do {
            let keys = try await look(name, issuer, address)
            issuers[name] = Keys(known: keys, read: now, asked: now)
        } catch {
            // What an issuer showed holds for a day, so that its failure is not ours.
            if age < Self.longestLife, let key = issuers[name]?.known[id] { return key }
            logger.error("an issuer's keys cannot be read", metadata: ["issuer": "\(issuer)", "error": "\(error)"])
            throw Self.unreachable("the keys of \(issuer) cannot be read now: the server's log has the reason")
        }
        return try known(id, name, issuer, 0)
    }

    private func known(_ id: String, _ name: String, _ issuer: String, _ age: TimeInterval) throws -> JSONWebKey {
        guard age < Self.longestLife else {
            throw Self.unreachable("the keys of \(issuer) cannot be read now: try again in a minute")
        }
        guard let key = issuers[name]?.known[id] else {
            throw RegistryError(.unauthorized, "\(issuer) has no key \"\(id)\", which the id token names")
        }
        return key
    }

    /// Unlike other places that cannot be reached, the issuer is no secret of the server: the token names it.
    private static func unreachable(_ text: String) -> Problem {
        Problem(
            .serviceUnavailable, kind: RegistryError.Kind.unreachable.rawValue, text,
            headers: [.retryAfter: String(Int(pause))])
    }

    /// Those who ask at once wait for one look.
    private func look(_ name: String, _ issuer: String, _ address: String?) async throws -> [String: JSONWebKey] {
        if let running = looks[name] { return try await running.value }
        let task = Task { try await Self.read(issuer, address, client) }
        looks[name] = task
        defer { looks[name] = nil }
        return try await task.value
    }

    private static func read(_ issuer: String, _ address: String?, _ client: OutboundClient) async throws -> [String:
        JSONWebKey]
    {
        let place: String
        if let address { place = address } else { place = try await discover(issuer, client) }
        let document = try await document(place, client)
        var keys: [String: JSONWebKey] = [:]
        for value in try document.array("keys") {
            // Kinds that are not known are left out (RFC 7517, section 5).
            guard let object = try? value.object(), let key = JSONWebKey(object) else { continue }
            keys[key.id] = key
        }
        return keys
    }

    private static func discover(_ issuer: String, _ client: OutboundClient) async throws -> String {
        let place = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
        let found = try await document(place, client)
        guard try found.string("issuer").utf8.elementsEqual(issuer.utf8) else {
            throw OutboundClient.Failure(description: "\(place) names another issuer")
        }
        let address = try found.string("jwks_uri")
        guard origin(address) != nil, origin(address) == origin(issuer) else {
            throw OutboundClient.Failure(
                description: "its keys are on another host, \(address): name it with packtool token trust --keys-url")
        }
        return address
    }

    private static func origin(_ text: String) -> String? {
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host() else { return nil }
        return "\(scheme.lowercased())://\(host.lowercased()):\(url.port ?? 0)"
    }

    private static func document(_ place: String, _ client: OutboundClient) async throws -> JSONObject {
        let answer = try await client.send(
            .GET, place, fields: [("Accept", "application/json")], limit: maximumByteCount)
        guard answer.status == 200 else {
            throw OutboundClient.Failure(description: "\(place) answered \(answer.status)")
        }
        return try JSONValue(parsing: answer.body).object("the answer of \(place)")
    }
}
