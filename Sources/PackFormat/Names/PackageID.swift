/// The id of a package: a DNS label in lower case, such as `checkout`.
///
/// The id is part of file names and URLs and the host of `https://checkout.package`, so nothing else is allowed.
public struct PackageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Throws: ``FormatError/invalidPackageID(_:)``
    public init(_ text: String) throws(FormatError) {
        guard DNSLabel.isValid(text) else { throw .invalidPackageID(text) }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: PackageID, right: PackageID) -> Bool { left.text < right.text }
}
