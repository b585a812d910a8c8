import Foundation
package import PackRegistryAPI

/// Where a registry's files are in S3-compatible storage.
///
///     s3://BUCKET/PREFIX?endpoint=https://s3.example.com&region=eu-central-1&style=path
///
/// Everything but the bucket may be left out. Without an endpoint it is Amazon's of the region, and the region comes from
/// `AWS_REGION` or `AWS_DEFAULT_REGION`. An address has no secret, so it may be in a file and in a message.
package struct S3Address: Hashable, Sendable, CustomStringConvertible {
    /// Where a URL has the bucket's name (Amazon S3 User Guide, "Virtual hosting of buckets").
    package enum Style: String, Hashable, Sendable {
        /// `https://ENDPOINT/BUCKET/KEY`
        case path
        /// `https://BUCKET.ENDPOINT/KEY`
        case host
    }

    package let bucket: String
    /// The names of all files begin with it and a slash; empty for none.
    package let prefix: String
    /// Scheme, host and perhaps port.
    package let endpoint: String?
    package let region: String?
    package let style: Style?

    private static let scheme = "s3://"
    private static let form =
        "an address of S3 storage has the form s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&style=path"

    /// Whether a text means S3 storage at all.
    package static func isOne(_ text: String) -> Bool { text.lowercased().hasPrefix(scheme) }

    /// - Throws: ``RegistryError`` of the kind `.invalid`, which does not repeat the text, because it may have a password.
    package init(_ text: String) throws(RegistryError) {
        guard Self.isOne(text), let parts = URLComponents(string: text), let bucket = parts.host else {
            throw RegistryError(.invalid, Self.form)
        }
        guard parts.user == nil, parts.password == nil else {
            throw RegistryError(
                .invalid,
                "an address of S3 storage has no key and no secret: they come from AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY, from ~/.aws/credentials, or from the machine's role")
        }
        guard parts.port == nil, parts.fragment == nil else { throw RegistryError(.invalid, Self.form) }
        guard Self.isBucket(bucket) else {
            throw RegistryError(
                .invalid,
                "\"\(bucket)\" is no name of a bucket: it has 3 to 63 small letters, digits, dots and hyphens")
        }
        self.bucket = bucket
        prefix = try Self.prefix(parts.percentEncodedPath)
        var values: [String: String] = [:]
        for item in parts.queryItems ?? [] {
            guard ["endpoint", "region", "style"].contains(item.name), values[item.name] == nil,
                let value = item.value, !value.isEmpty
            else {
                throw RegistryError(
                    .invalid,
                    "\(Self.form): it has endpoint, region and style, each of them once, and no \"\(item.name)\"")
            }
            values[item.name] = value
        }
        endpoint = try values["endpoint"].map { text throws(RegistryError) in try Self.endpoint(text) }
        region = values["region"]
        guard region?.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil || region == nil else {
            throw RegistryError(.invalid, "the region has small letters, digits and hyphens, such as eu-central-1")
        }
        style = try values["style"].map { text throws(RegistryError) in
            guard let style = Style(rawValue: text) else {
                throw RegistryError(.invalid, "the style is path or host, and not \"\(text)\"")
            }
            return style
        }
    }

    package var description: String {
        var text = Self.scheme + bucket
        if !prefix.isEmpty { text += "/\(prefix)" }
        let values = [("endpoint", endpoint), ("region", region), ("style", style?.rawValue)]
        let given = values.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return given.isEmpty ? text : "\(text)?\(given.joined(separator: "&"))"
    }

    /// Bucket naming rules of the Amazon S3 User Guide, as far as they keep a name from being part of something else.
    private static func isBucket(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) != nil && !text.contains("..")
    }

    /// A prefix that needs no encoding: so a CDN's origin path is the same text.
    private static func prefix(_ path: String) throws(RegistryError) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if parts.last == "" { parts.removeLast() }
        for part in parts {
            guard part.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil, part != ".", part != ".." else {
                throw RegistryError(
                    .invalid,
                    "the prefix in an address of S3 storage has letters, digits, dots, hyphens and underscores "
                        + "between single slashes")
            }
        }
        return parts.joined(separator: "/")
    }

    private static func endpoint(_ text: String) throws(RegistryError) -> String {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil,
            parts.password == nil, ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil
        else {
            throw RegistryError(
                .invalid,
                "the endpoint in an address of S3 storage has the form https://HOST or http://HOST:PORT, and "
                    + "nothing after it")
        }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}
