package import PackFormat

/// A problem in a dist that will show on a device, with the place where it is written.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    /// The kinds, by their names in reports and JSON.
    package enum Kind: String, CaseIterable, Sendable {
        /// A reference to a file that is not in the package.
        case missingFile = "missing-file"
        /// A reference that finds its file only on a file system that ignores case or Unicode form.
        case nameDiffers = "name-differs"
        /// An absolute URL that the page loads from the network.
        case online
        /// A reference that leads outside the package's root.
        case outside
        /// Two files that some file systems cannot distinguish.
        case collision
        /// A file name that no package can hold.
        case invalidName = "invalid-name"
        case missingEntry = "missing-entry"
        case budget
        /// A private key or an access token.
        case secret
        /// A file name that misleads people, or that another system does not allow.
        case riskyName = "risky-name"
        /// A service worker that devices refuse, because the package does not ask for one.
        case serviceWorker = "service-worker"
        /// No page can confirm the version.
        case noConfirm = "no-confirm"

        /// Whether a project may set another level. The other kinds make a package impossible, or are limits that the
        /// project has set itself.
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
    /// The file, as a person finds it; nil if the finding is about the whole package.
    package let file: String?
    /// The line, counted from 1.
    package let line: Int?
    package let message: String
    /// The URL of the finding; nil if there is none. Findings are grouped by the beginning of it.
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

    /// No page or script of a package can call `packtool.confirm()`.
    static func noConfirm(package: PackageID, file: String) -> Finding {
        Finding(
            .warning, .noConfirm, package: package, file: file,
            """
            no page can call packtool.confirm(), and a device takes a version that never confirms for a broken \
            one. Call it where the app has shown what its user came for, such as at the end of its start:
                globalThis.packtool?.confirm?.();
            Not in an event such as load: a page whose script has failed gets that too.
            """)
    }

    /// Whether a published version can have the same finding. Such versions are judged by their pages, styles, scripts
    /// and names.
    package var isComparable: Bool {
        switch kind {
        case .missingFile, .nameDiffers, .noConfirm, .online, .outside, .riskyName: true
        default: false
        }
    }

    /// Identifies a mistake independently of its place: the same mistake in two versions has the same key.
    package var key: String { "\(kind.rawValue) \(message)" }
}
