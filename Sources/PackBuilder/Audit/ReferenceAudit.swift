import Foundation
import PackFormat

/// Checks for each reference of a package whether it will work on a device, where there may be no network.
struct ReferenceAudit {
    private let package: PackageID
    private let paths: Set<PackagePath>
    /// By collision key; made when a reference finds no file under its own name.
    private lazy var byKey = Dictionary(
        paths.map { ($0.collisionKey, $0) }, uniquingKeysWith: { min($0, $1) })
    private let origins: [String]
    private let base: BasePath?
    private let api: APIRoutes
    private let isSinglePage: Bool
    /// The dist as the user named it, for the place in a finding.
    private let folder: String
    private let entry: PackagePath?

    init(
        package: PackageID, paths: some Sequence<PackagePath>, origins: [String], base: BasePath? = nil,
        api: APIRoutes = .none, isSinglePage: Bool, folder: String,
        entry: PackagePath? = nil
    ) {
        self.package = package
        self.paths = Set(paths)
        self.origins = origins
        self.base = base
        self.api = api
        self.isSinglePage = isSinglePage
        self.folder = folder
        self.entry = entry
    }

    /// Judges the references of one file, in order.
    mutating func findings(_ references: [Reference], in file: PackagePath) -> [Finding] {
        var base = file.text.split(separator: "/", omittingEmptySubsequences: false).dropLast().map(String.init)
        var isBaseOnline = false
        var findings: [Finding] = []
        for reference in references {
            func finding(_ kind: Finding.Kind, _ message: String) -> Finding {
                // Without its scripts and styles the page that opens is blank or bare.
                let isFatal = file == entry && reference.use == .code && (kind == .missingFile || kind == .nameDiffers)
                return Finding(
                    isFatal ? .error : .warning, kind, package: package, file: "\(folder)/\(file)",
                    line: reference.line, target: reference.url, message)
            }
            if reference.use == .base {
                switch target(of: reference.url, base: base) {
                case .path(let parts): base = parts.dropLast()
                case .online:
                    isBaseOnline = true
                    findings.append(
                        finding(
                            .online, "<base> makes every relative URL of the page need the network: \(reference.url)"))
                case .outside, .nothing: break
                }
                continue
            }
            switch target(of: reference.url, base: base) {
            case .nothing: break
            case .online:
                if reference.use != .link {
                    findings.append(finding(.online, "needs the network: \(reference.url)"))
                }
            case .outside:
                findings.append(finding(.outside, "\"\(reference.url)\" leads out of the package"))
            case .path(let parts):
                if isBaseOnline, !reference.url.hasPrefix("/") { continue }
                if let problem = problem(with: parts, reference) { findings.append(finding(problem.0, problem.1)) }
            }
        }
        return findings
    }

    private enum Target {
        /// The decoded components; the last is empty for a folder.
        case path([String])
        case online
        case outside
        /// The page itself, `data:`, `mailto:`, a template's placeholder, …
        case nothing
    }

    private func target(of url: String, base: [String]) -> Target {
        if ["{{", "<%", "${", "%%"].contains(where: url.contains) { return .nothing }
        var text = url[...]
        for origin in origins where url.hasPrefix(origin) { text = "/" + url.dropFirst(origin.count) }
        if let colon = text.firstIndex(of: ":"),
            text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
            text.first?.isLetter == true
        {
            let scheme = text[..<colon].lowercased()
            return scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" ? .online : .nothing
        }
        if text.hasPrefix("//") { return .online }
        text = text.prefix { $0 != "#" }.prefix { $0 != "?" }
        guard !text.isEmpty else { return .nothing }
        let decoded = String(text).removingPercentEncoding ?? String(text)
        var parts = text.hasPrefix("/") ? [] : base
        let pieces = decoded.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let piece = String(Substring(piece))
            let isLast = index == pieces.count - 1
            switch piece {
            case "..":
                // A browser stops at the root; a page that relies on it breaks under a real URL with a prefix.
                if parts.isEmpty { return .outside }
                parts.removeLast()
                if isLast { parts.append("") }
            case ".": if isLast { parts.append("") }
            case "" where !isLast: break
            default: parts.append(piece)
            }
        }
        return .path(parts)
    }

    private mutating func problem(with parts: [String], _ reference: Reference) -> (Finding.Kind, String)? {
        let text = parts.joined(separator: "/")
        if text.isEmpty || api.target(of: "/" + text) != nil { return nil }  // the entry, or a service
        var candidates = Self.candidates(text)
        if let rest = base?.rest(of: text) {
            if rest.isEmpty { return nil }
            candidates = Self.candidates(rest) + candidates
        }
        for candidate in candidates {
            if let path = try? PackagePath(candidate), paths.contains(path) { return nil }
        }
        for candidate in candidates {
            let normal = candidate.precomposedStringWithCanonicalMapping
            if let path = try? PackagePath(normal), let other = byKey[path.collisionKey] {
                return (
                    .nameDiffers,
                    "\"\(reference.url)\" finds no file; \"\(other)\" differs only in upper and lower case or Unicode form"
                )
            }
        }
        if isSinglePage, reference.use == .link, parts.last?.contains(".") == false { return nil }
        var hint = ""
        if reference.url.hasPrefix("/"), let slash = text.firstIndex(of: "/"),
            let path = try? PackagePath(String(text[text.index(after: slash)...])), paths.contains(path)
        {
            hint = "; \"\(path)\" is: where the build is made for /\(text[..<slash])/, say --base /\(text[..<slash])/"
        }
        return (.missingFile, "\"\(reference.url)\" is not in the package (\(text))\(hint)")
    }

    /// The files that may answer a path, as ``SitePath`` looks them up.
    private static func candidates(_ text: String) -> [String] {
        if text.utf8.last == UInt8(ascii: "/") { return [text + "index.html"] }
        let name = text.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
        return name.contains(UInt8(ascii: ".")) ? [text] : [text, text + ".html", text + "/index.html"]
    }
}
