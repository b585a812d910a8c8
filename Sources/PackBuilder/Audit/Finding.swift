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
        /// A private key or an access token.
        case secret
        /// A file name that misleads people, or that another system cannot have.
        case riskyName = "risky-name"
        /// A service worker that devices refuse, because the package does not ask for one.
        case serviceWorker = "service-worker"
        /// No page can say that the version works.
        case noConfirm = "no-confirm"

        /// Whether a project may set another level: the others would make no package, or are limits of its own.
        package var isAdjustable: Bool {
            switch self {
            case .collision, .invalidName, .missingEntry, .budget: false
            default: true
            }
        }
    }

    package let severity: Severity
    package let kind: Kind
    package let package: PackageID
    /// The file as a person finds it; nil where the finding is about the whole package.
    package let file: String?
    /// Counted from 1.
    package let line: Int?
    package let message: String
    /// The URL that it is about; nil for none. Findings are shown together by what it begins with.
    package let target: String?

    package init(
        _ severity: Severity, _ kind: Kind, package: PackageID, file: String? = nil, line: Int? = nil,
        target: String? = nil, _ message: String
    ) {
        self.severity = severity
        self.kind = kind
        self.package = package
        self.file = file
        self.line = line
        self.message = message
        self.target = target
    }

    /// `FILE:LINE: severity: message`, the form that editors and CI systems recognise.
    package var description: String {
        let place = (file ?? package.text) + (line.map { ":\($0)" } ?? "")
        return "\(place): \(severity.rawValue): \(message) [\(kind.rawValue)]"
    }

    func with(_ severity: Severity) -> Finding {
        Finding(severity, kind, package: package, file: file, line: line, target: target, message)
    }

    /// Whether a published version can have the same finding: it is judged by its pages, styles and names.
    package var isComparable: Bool {
        switch kind {
        case .missingFile, .nameDiffers, .online, .outside, .riskyName: true
        default: false
        }
    }

    /// What it is, wherever it stands: the same mistake in two versions has the same key.
    package var key: String { "\(kind.rawValue) \(message)" }
}
