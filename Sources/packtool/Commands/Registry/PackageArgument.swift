public import ArgumentParser
public import PackFormat

/// `PACKAGE` or `PACKAGE@VERSION` on the command line.
struct PackageArgument: ExpressibleByArgument {
    let package: PackageID
    let version: SemanticVersion?

    init?(argument: String) {
        let parts = argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let package = try? PackageID(String(parts[0])) else { return nil }
        self.package = package
        if parts.count == 2 {
            guard let version = try? SemanticVersion(String(parts[1])) else { return nil }
            self.version = version
        } else {
            version = nil
        }
    }

    /// - Throws: a usage error where no version was given.
    func requiredVersion() throws -> SemanticVersion {
        guard let version else { throw ValidationError("give the version too: \(package)@VERSION") }
        return version
    }
}

extension ChannelName: ExpressibleByArgument {
    public init?(argument: String) {
        try? self.init(argument)
    }
}

extension PackageID: ExpressibleByArgument {
    public init?(argument: String) {
        try? self.init(argument)
    }
}
