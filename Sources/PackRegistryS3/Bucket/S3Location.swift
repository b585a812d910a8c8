import PackRegistryAPI

/// An address whose gaps are filled: which URL has which object.
struct S3Location: Hashable, Sendable {
    let bucket: String
    let prefix: String
    let region: String
    /// The field `Host`, with the port where it is not the scheme's own.
    let host: String
    private let scheme: String
    private let isInPath: Bool

    /// - Throws: ``RegistryError`` of the kind `.invalid` where neither address nor environment has a region.
    init(_ address: S3Address, environment: [String: String]) throws(RegistryError) {
        bucket = address.bucket
        prefix = address.prefix
        let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let region = address.region ?? named ?? (address.endpoint == nil ? nil : "us-east-1") else {
            throw RegistryError(
                .invalid, "\(address) names no region: add ?region=REGION to it, or set AWS_REGION")
        }
        self.region = region
        let suffix = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let endpoint = address.endpoint ?? "https://s3.\(region).\(suffix)"
        let isSecure = endpoint.hasPrefix("https:")
        scheme = isSecure ? "https" : "http"
        var host = String(endpoint.dropFirst(scheme.count + "://".count))
        let port = isSecure ? ":443" : ":80"
        if host.hasSuffix(port) { host.removeLast(port.count) }
        // Most other stores know both; a certificate for *.HOST is for names without a dot.
        let usual: S3Address.Style = address.endpoint == nil && !bucket.contains(".") ? .host : .path
        isInPath = (address.style ?? usual) == .path
        self.host = isInPath ? host : "\(bucket).\(host)"
    }

    /// The whole name of an object.
    func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

    /// The encoded path of an object; nil: of the bucket.
    func path(_ key: String?) -> String {
        let bucketPath = isInPath ? "/\(bucket)" : ""
        guard let key else { return isInPath ? bucketPath : "/" }
        return "\(bucketPath)/\(S3Encoding.path(key))"
    }

    func url(path: String, query: [(String, String)]) -> String {
        "\(scheme)://\(host)\(path)" + (query.isEmpty ? "" : "?\(S3Encoding.query(query))")
    }
}
