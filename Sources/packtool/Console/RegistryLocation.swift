package import Foundation
package import PackRegistryAPI

/// Where a registry is: a folder that is opened in place, or a server's URL.
package enum RegistryLocation: Hashable, Sendable {
    case folder(URL)
    case server(URL)

    /// - Parameter text: a URL with `http` or `https`, else the path of a folder, relative to `base`.
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
