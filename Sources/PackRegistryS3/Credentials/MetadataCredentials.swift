import Foundation
import PackJSON
import PackRegistryAPI

/// The answer of an endpoint that gives out credentials for some hours.
enum MetadataCredentials {
    /// How long an endpoint may take: it is on this machine, or there is none.
    static let time: Duration = .seconds(2)

    /// - Throws: ``RegistryError``, which does not repeat the answer, because it may have a secret.
    static func parse(_ bytes: [UInt8], from name: String) throws -> S3Credentials {
        do {
            let object = try JSONValue(parsing: bytes).object()
            let token = try object["Token"].flatMap { try $0.string("Token") }
            let end = try object["Expiration"].flatMap { try $0.string("Expiration") }
            return S3Credentials(
                keyID: try object.string("AccessKeyId"), secret: try object.string("SecretAccessKey"),
                sessionToken: token, expiry: end.flatMap { try? Date($0, strategy: .iso8601) })
        } catch {
            throw RegistryError(.unusable, "the credentials from \(name) cannot be read")
        }
    }
}

/// The role of a cloud machine, from its metadata endpoint by version 2 of the protocol (Amazon EC2 User Guide, "Use the Instance
/// Metadata Service"). `AWS_EC2_METADATA_SERVICE_ENDPOINT` names another one, `AWS_EC2_METADATA_DISABLED=true` none.
struct InstanceCredentials: CredentialSource {
    private static let path = "/latest/meta-data/iam/security-credentials/"

    private let endpoint: String?
    private let connections: HTTPConnections

    var name: String { "the instance metadata endpoint" }

    init(environment: [String: String], _ connections: HTTPConnections) {
        let named = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
        let isOff = environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() == "true"
        let text = named ?? "http://169.254.169.254"
        endpoint = isOff ? nil : text.hasSuffix("/") ? String(text.dropLast()) : text
        self.connections = connections
    }

    func credentials() async throws -> S3Credentials? {
        guard let endpoint else { return nil }
        var asking = HTTPExchange(
            method: "PUT", url: "\(endpoint)/latest/api/token", time: MetadataCredentials.time)
        asking.fields = [("x-aws-ec2-metadata-token-ttl-seconds", "300")]
        let token: String
        do {
            let answer = try await connections.send(asking)
            guard answer.status == 200 else { return nil }
            token = String(decoding: answer.body, as: UTF8.self)
        } catch is HTTPFailure {
            // Not a machine of a cloud.
            return nil
        }
        guard let roles = try await read(Self.path, of: endpoint, token),
            let role = roles.split(whereSeparator: \.isNewline).first
        else { return nil }
        guard let text = try await read(Self.path + S3Encoding.path(String(role)), of: endpoint, token) else {
            return nil
        }
        return try MetadataCredentials.parse(Array(text.utf8), from: name)
    }

    private func read(_ path: String, of endpoint: String, _ token: String) async throws -> String? {
        var exchange = HTTPExchange(method: "GET", url: endpoint + path, time: MetadataCredentials.time)
        exchange.fields = [("x-aws-ec2-metadata-token", token)]
        do {
            let answer = try await connections.send(exchange)
            return answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : nil
        } catch let failure as HTTPFailure {
            throw RegistryError(.unreachable, "\(name) does not give the credentials: \(failure)")
        }
    }
}

/// The role of a container, from the endpoint that `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI` names (AWS SDKs and Tools Reference Guide, "Container credential provider").
struct ContainerCredentials: CredentialSource {
    private static let addresses: Set = [
        "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "fd00:ec2::23", "127.0.0.1", "localhost", "[::1]", "::1",
    ]

    private let environment: [String: String]
    private let connections: HTTPConnections

    var name: String { "the container's credentials endpoint" }

    init(environment: [String: String], _ connections: HTTPConnections) {
        self.environment = environment
        self.connections = connections
    }

    func credentials() async throws -> S3Credentials? {
        guard let url = try url() else { return nil }
        var exchange = HTTPExchange(method: "GET", url: url, time: MetadataCredentials.time)
        if let file = value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            guard let token = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw RegistryError(.unusable, "\(file), which is to have the container's token, cannot be read")
            }
            exchange.fields = [("Authorization", token.trimmingCharacters(in: .whitespacesAndNewlines))]
        } else if let token = value("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
            exchange.fields = [("Authorization", token)]
        }
        do {
            let answer = try await connections.send(exchange)
            guard answer.status == 200 else {
                throw RegistryError(.unusable, "\(name) refuses credentials: it answers \(answer.status)")
            }
            return try MetadataCredentials.parse(answer.body, from: name)
        } catch let failure as HTTPFailure {
            throw RegistryError(.unreachable, "\(name) cannot be reached: \(failure)")
        }
    }

    private func url() throws -> String? {
        if let path = value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") { return "http://169.254.170.2\(path)" }
        guard let text = value("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
        // The token goes there: in the clear only to this machine.
        guard let url = URL(string: text), let host = url.host(),
            url.scheme == "https" || url.scheme == "http" && Self.addresses.contains(host)
        else {
            throw RegistryError(
                .unusable, "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of this machine")
        }
        return text
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
}
