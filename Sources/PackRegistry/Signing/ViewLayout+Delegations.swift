package import PackFormat

extension ViewLayout {
    /// The one path pattern of the channels role.
    package static let channelPaths = "channels/*"

    /// The one path pattern of a package's role.
    package static func manifestPaths(of package: PackageID) -> String { "manifests/\(package)/*" }
}
