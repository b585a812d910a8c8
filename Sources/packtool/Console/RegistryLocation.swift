package import Foundation
import PackPublisher
package import PackRegistryAPI
import PackRegistryLocal

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

    /// Opens the registry; in place it is opened as the local user, and signatures that expire soon are renewed.
    /// - Parameter token: for a server; nil: only what needs no right can be done.
    package func open(token: String?) throws -> any Registry {
        switch self {
        case .folder(let folder):
            let local = try LocalRegistry.open(folder)
            try local.renew()
            return local.acting(as: .local(user: NSUserName()))
        case .server(let url):
            return try RemoteRegistry(url.absoluteString, token: token)
        }
    }
}
