public import PackFormat

/// A place inside a package, in whichever form the page has named it.
///
///     try SiteAddress(package: PackageID("checkout"), path: "/pay", query: "from=cart").virtualURL
///     // https://checkout.package/pay?from=cart
public struct SiteAddress: Hashable, Sendable {
    /// How the URL named the package.
    public enum Form: Hashable, Sendable {
        /// `https://PACKAGE.package/…`
        case virtualDomain
        /// `SCHEME://PACKAGE/…`
        case scheme(String)
        /// A real URL under this prefix of the manifest's `origins`.
        case origin(String)
    }

    public let package: PackageID
    /// The path relative to the package's root, starting with `/`, percent-encoded as it was sent.
    public let path: String
    /// The query without the `?`.
    public let query: String?
    /// The fragment without the `#`.
    public let fragment: String?
    public let form: Form

    /// The last label of the virtual hosts.
    public static let virtualSuffix = "package"

    /// The host of a package under the virtual domain.
    public static func virtualHost(of package: PackageID) -> String { "\(package).\(virtualSuffix)" }

    public init(
        package: PackageID, path: String = "/", query: String? = nil, fragment: String? = nil,
        form: Form = .virtualDomain
    ) {
        self.package = package
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        self.query = query
        self.fragment = fragment
        self.form = form
    }

    /// The address under the virtual domain, which a host app loads to open the page. A deep link's path, query and
    /// fragment are kept.
    public var virtualURL: String { url(under: "https://\(Self.virtualHost(of: package))/") }

    /// The address under a custom scheme.
    public func url(scheme: String) -> String { url(under: "\(scheme)://\(package)/") }

    /// The address under a URL prefix that ends with `/`, such as the prefix of the package's web site.
    public func url(under prefix: String) -> String {
        prefix + String(Substring(path.utf8.dropFirst())) + (query.map { "?" + $0 } ?? "")
            + (fragment.map { "#" + $0 } ?? "")
    }
}
