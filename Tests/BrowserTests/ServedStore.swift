import TestSupport

/// A project, a registry and a device's store of the real `packtool`, and a `packtool client serve` on it.
final class ServedStore {
    let project: PacktoolFolder

    init() throws {
        project = try PacktoolFolder("packbrowser")
    }

    /// Builds and publishes a version of `shop`, and installs it.
    func install(_ version: String, _ site: [String: String], allowsWorker: Bool = true) throws {
        try project.publish(
            version, site, settings: "{ \"serviceWorker\": \(allowsWorker), \"channel\": \"stable\" }")
        try project.run("client", "update", "--store", "store")
    }

    /// Starts `packtool client serve`.
    /// - Returns: the address of `shop`.
    func serve() throws -> String {
        try project.serve("client", "serve", "--store", "store", saying: /http:\/\/shop\.package\.localhost:[0-9]+\//)
    }
}
