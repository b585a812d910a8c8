import Crypto
import Foundation

/// AWS Signature Version 4 in the field `Authorization`, with a signed payload (Amazon S3 API Reference, "Authenticating
/// Requests: Using the Authorization Header", "Signature Calculations … Transferring Payload in a Single Chunk").
///
///     let signature = RequestSignature(credentials, region: "eu-central-1")
///     request.fields += signature.fields(for: request, payload: sha256, at: now)
///
/// Every field that is sent is signed, conditions too: whoever changes or drops one on the way makes the request invalid.
struct RequestSignature: Sendable {
    /// The parts of a request that are signed.
    struct Content: Sendable {
        var method: String
        /// With the port where it is not the scheme's own.
        var host: String
        /// Encoded by ``S3Encoding/path(_:)``.
        var path: String
        /// Names and values before their encoding, in any order.
        var query: [(String, String)]
        var fields: [(name: String, value: String)]
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    private let credentials: S3Credentials
    private let region: String
    private let service = "s3"

    init(_ credentials: S3Credentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The fields to send beside those of the content.
    /// - Parameter payload: The SHA-256 of the body in lower-case hexadecimal digits.
    func fields(for content: Content, payload: String, at time: Date) -> [(name: String, value: String)] {
        let stamp = Self.stamp(time)
        var added = [("x-amz-date", stamp), ("x-amz-content-sha256", payload)]
        if let token = credentials.sessionToken { added.append(("x-amz-security-token", token)) }
        var signed = content
        signed.fields += added
        let (request, names) = Self.canonical(signed, payload: payload)
        let value =
            "\(Self.algorithm) Credential=\(credentials.keyID)/\(scope(stamp)),SignedHeaders=\(names),"
            + "Signature=\(signature(of: request, stamp))"
        return added + [("Authorization", value)]
    }

    /// The query of a URL that is a signed request by itself, for whoever has it ("Authenticating Requests: Using Query
    /// Parameters"). The body is not signed.
    /// - Parameter seconds: how long it is valid, at most seven days.
    func query(for content: Content, seconds: Int, at time: Date) -> [(String, String)] {
        let stamp = Self.stamp(time)
        var signed = content
        signed.query += [
            ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(credentials.keyID)/\(scope(stamp))"),
            ("X-Amz-Date", stamp), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { signed.query.append(("X-Amz-Security-Token", token)) }
        let (request, _) = Self.canonical(signed, payload: "UNSIGNED-PAYLOAD")
        return signed.query + [("X-Amz-Signature", signature(of: request, stamp))]
    }

    private func scope(_ stamp: String) -> String { "\(stamp.prefix(8))/\(region)/\(service)/aws4_request" }

    /// Tasks 2 and 3: the signature of a canonical request.
    private func signature(of request: String, _ stamp: String) -> String {
        let text = "\(Self.algorithm)\n\(stamp)\n\(scope(stamp))\n\(Self.hex(SHA256.hash(data: Data(request.utf8))))"
        return Self.hex(hmac(text, key: key(day: String(stamp.prefix(8)))))
    }

    /// Task 1 of the section: the canonical request, and the names of its fields.
    static func canonical(_ content: Content, payload: String) -> (request: String, names: String) {
        let fields = (content.fields + [("host", content.host)])
            .map { (name: $0.name.lowercased(), value: $0.value.trimmingCharacters(in: .whitespaces)) }
            .sorted { $0.name < $1.name }
        let names = fields.map(\.name).joined(separator: ";")
        let lines = [content.method, content.path, S3Encoding.query(content.query)]
        return
            ((lines + fields.map { "\($0.name):\($0.value)" } + ["", names, payload]).joined(separator: "\n"), names)
    }

    /// Task 3: the key of a day, a region and a service.
    private func key(day: String) -> SymmetricKey {
        var key = SymmetricKey(data: Data("AWS4\(credentials.secret)".utf8))
        for part in [day, region, service, "aws4_request"] { key = SymmetricKey(data: hmac(part, key: key)) }
        return key
    }

    private func hmac(_ text: String, key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Such as `20130524T000000Z`.
    static func stamp(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    }
}
