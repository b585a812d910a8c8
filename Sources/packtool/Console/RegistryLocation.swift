package import Foundation
package import PackRegistryAPI

/// The location of a registry: a folder on this machine, or a server's URL.
package enum RegistryLocation: Hashable, Sendable {
    case folder(URL)
    case server(URL)

    /// - Parameter text: A URL with `http` or `https`, or else the path of a folder relative to `base`.
    package init(_ text: String, relativeTo base: URL) throws(RegistryError) {
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
