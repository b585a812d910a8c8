package import Foundation
package import PackRegistryAPI

/// The location of a registry: a folder on this machine, or a server's URL.
package enum RegistryLocation: Hashable, Sendable, CustomStringConvertible {
    case folder(URL)
    case server(URL)

    package var description: String {
        switch self {
        case .folder(let folder): folder.path(percentEncoded: false)
        case .server(let url): url.absoluteString
        }
    }

    /// - Parameter text: A URL with `http` or `https`, or else the path of a folder relative to `base`.
    package init(_ text: String, relativeTo base: URL) throws(RegistryError) {
        if let separator = text.range(of: "://"),
            !["http", "https"].contains(text[..<separator.lowerBound].lowercased())
        {
            let scheme = String(text[..<separator.lowerBound])
            let near = NearName.of(scheme, among: ["https", "http"]) ?? "https"
            throw RegistryError(
                .invalid,
                "\"\(text)\" is not the URL of a registry, because \(scheme) is neither http nor https: did you mean "
                    + "\(near)://\(text[separator.upperBound...])?")
        }
        guard text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") else {
            self = .folder(URL(filePath: text, directoryHint: .isDirectory, relativeTo: base).absoluteURL)
            return
        }
        guard let url = URL(string: text), url.host() != nil else {
            throw RegistryError(.invalid, "\"\(text)\" is not the URL of a registry")
        }
        self = .server(url)
    }
}
