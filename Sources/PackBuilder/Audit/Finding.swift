package import PackFormat

/// Something in a dist that will not work on a device, with the place where it is written.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    /// The kinds, by the word that reports and JSON use.
    package enum Kind: String, CaseIterable, Sendable {
        /// A reference to a file that is not in the package.
        case missingFile = "missing-file"
        /// A reference that finds its file only where case or Unicode form does not count.
        case nameDiffers = "name-differs"
        /// An absolute URL that the page loads from the network.
        case online
        /// A reference that leads out of the package's root.
        case outside
        /// Two files that one file system cannot tell apart.
        case collision
        /// A file name that no package can hold.
        case invalidName = "invalid-name"
        case missingEntry = "missing-entry"
        case budget
    }

    package let severity: Severity
    package let kind: Kind
    package let package: PackageID
    /// The file as a person finds it; nil where the finding is about the whole package.
    package let file: String?
    /// Counted from 1.
    package let line: Int?
    package let message: String

    package init(
        _ severity: Severity, _ kind: Kind, package: PackageID, file: String? = nil, line: Int? = nil, _ message: String
    ) {
        self.severity = severity
        self.kind = kind
        self.package = package
        self.file = file
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: severity: message`, the form that editors and CI systems recognise.
    package var description: String {
        let place = (file ?? package.text) + (line.map { ":\($0)" } ?? "")
        return "\(place): \(severity.rawValue): \(message) [\(kind.rawValue)]"
    }

    /// The same finding as an error, for `--strict`.
    var strict: Finding { Finding(.error, kind, package: package, file: file, line: line, message) }
}
