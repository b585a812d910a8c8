package import PackFormat
import PackRegistryAPI

/// What a change has to know before it can be decided. A store answers all of it from one consistent read.
///
/// Everything that is read unasked: the newest root, targets, channels, snapshot and timestamp, and the newest version of
/// every role, if the change ``signs``.
package struct FactsQuery: Sendable {
    /// A published version by its name.
    package struct Version: Hashable, Sendable {
        package let package: PackageID
        package let version: SemanticVersion

        package init(_ package: PackageID, _ version: SemanticVersion) {
            self.package = package
            self.version = version
        }
    }

    /// The releases of one package.
    package struct Histories: Hashable, Sendable {
        package let package: PackageID
        /// nil: every channel that ever offered the package.
        package let channels: Set<ChannelName>?
        /// Whose newest channel files are read too; nil: of all of these channels.
        package let files: Set<ChannelName>?

        package init(of package: PackageID, on channels: Set<ChannelName>?, files: Set<ChannelName>?) {
            self.package = package
            self.channels = channels
            self.files = files
        }
    }

    /// Names that an error lists for somebody who misspelt one.
    package struct Names: Hashable, Sendable {
        package let versionsOf: PackageID
        package let packagesOn: ChannelName

        package init(versionsOf package: PackageID, packagesOn channel: ChannelName) {
            versionsOf = package
            packagesOn = channel
        }
    }

    package enum Tokens: Hashable, Sendable {
        case all
        case hash(Digest)
    }

    /// Whether the change may end in signed metadata.
    package var signs = true
    /// Whose newest signed documents are read; all of them, where they are many.
    package var roles: Set<String> = []
    package var manifests: Set<Digest> = []
    package var versions: Set<Version> = []
    /// The versions, not withdrawn, that need this shared bundle.
    package var usersOfBundle: Version?
    package var histories: Histories?
    package var names: Names?
    /// Which of these objects are not recorded.
    package var objects: [Object] = []
    package var tokens: Tokens?
    /// How many entries of the audit log, newest first.
    package var auditCount = 0

    package init() {}

    /// A query of rows that no signature depends on.
    package static var unsigned: FactsQuery {
        var query = FactsQuery()
        query.signs = false
        return query
    }
}
