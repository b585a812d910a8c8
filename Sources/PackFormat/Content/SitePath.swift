import PackJSON

/// Decides which file of a version answers a request path. Device, online copy and preview share this one rule.
///
/// The order is: the exact file; `path/index.html`; `path.html`; in a single-page application the entry, if the path
/// has no extension and the request is for a page. `/` is the entry. Nothing else is looked up, so no request leads
/// to a file that the manifest does not list. If the manifest has a `base`, a path below it is looked up first
/// without it, then unchanged.
public enum SitePath {
    /// The longest request path in bytes, before percent-decoding.
    public static let maximumLength = 4096

    public enum Resolution: Hashable, Sendable {
        case file(PackagePath, Manifest.File)
        /// A valid path that the version does not have: answer 404, or ask the server behind the version.
        case missing
        /// A path that no site can have: `..`, NUL, a backslash, an empty segment, bad percent-encoding, not NFC, or
        /// too long. The text says which. Do not pass it on to anything that may read it differently.
        case refused(String)
    }

    /// - Parameters:
    ///   - requestPath: the path of the request's URL as it was sent: percent-encoded, starting with `/`, without
    ///     query and fragment.
    ///   - wantsPage: whether the request is for a page (a navigation) rather than for data; only such a request
    ///     gets a single-page application's entry for an unknown path.
    public static func resolve(_ requestPath: String, in manifest: Manifest, wantsPage: Bool = true) -> Resolution {
        let decoded: String
        switch decode(requestPath) {
        case .success(let path): decoded = path
        case .failure(let refusal): return .refused(refusal.reason)
        }
        let path: PackagePath?
        do {
            path = try decoded.isEmpty ? nil : PackagePath(withoutSlashAtEnd(decoded))
        } catch {
            if case .invalidPath(_, let reason) = error { return .refused(reason) }
            return .refused("\(error)")
        }
        // Below the base a build's own server has nothing but the build.
        if let rest = manifest.base?.rest(of: decoded), let found = lookUp(rest, in: manifest) { return found }
        if let found = lookUp(decoded, in: manifest) { return found }
        if manifest.isSinglePage, wantsPage, path?.name.utf8.contains(UInt8(ascii: ".")) == false,
            let entry = manifest.entry
        {
            return file(at: entry, in: manifest) ?? .missing
        }
        return .missing
    }

    /// Whether a request is for a page (a navigation) rather than for data or a part of a page.
    ///
    /// Engines say so in `Sec-Fetch-Dest` and `Sec-Fetch-Mode` (Fetch Metadata); older ones, and WebKit's scheme
    /// handlers, only in `Accept`. A request without any of these counts as one for a page.
    package static func isForPage(destination: String?, mode: String?, accept: String?) -> Bool {
        if let destination { return ["document", "iframe", "frame", "embed", "object"].contains(destination) }
        if let mode { return mode == "navigate" }
        return accept?.contains("text/html") ?? true
    }

    /// Whether a page's path that the version lacks would open the entry in a single-page application: the most
    /// likely reason of such a 404.
    package static func wouldBeRoute(_ requestPath: String, in manifest: Manifest) -> Bool {
        !manifest.isSinglePage && manifest.entry != nil
            && requestPath.split(separator: "/").last?.contains(".") == false
    }

    /// The file of a decoded path without its leading slash; nil for none.
    private static func lookUp(_ decoded: String, in manifest: Manifest) -> Resolution? {
        if decoded.isEmpty { return manifest.entry.flatMap { file(at: $0, in: manifest) } }
        let text = withoutSlashAtEnd(decoded)
        let isFolder = text.utf8.count < decoded.utf8.count
        if !isFolder, let found = file(named: text, in: manifest) { return found }
        if let found = file(named: text + "/index.html", in: manifest) { return found }
        return isFolder ? nil : file(named: text + ".html", in: manifest)
    }

    private static func withoutSlashAtEnd(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: "/") ? String(text.utf8.dropLast()) ?? text : text
    }

    /// Why no site can have this path; nil for a valid path. Use it for answers that do not come from an installed
    /// version: pass only a valid path on to an online copy.
    public static func fault(of requestPath: String) -> String? {
        switch decode(requestPath) {
        case .failure(let refusal): return refusal.reason
        case .success(""): return nil
        case .success(let decoded):
            do {
                _ = try PackagePath(withoutSlashAtEnd(decoded))
                return nil
            } catch {
                if case .invalidPath(_, let reason) = error { return reason }
                return "\(error)"
            }
        }
    }

    /// A package path as a request path: `/` and the percent-encoded components.
    public static func requestPath(of path: PackagePath) -> String {
        "/" + percentEncoded(path.text)
    }

    private struct Refusal: Error {
        let reason: String
    }

    /// Undoes the percent-encoding once, strictly, and drops the leading slash.
    private static func decode(_ requestPath: String) -> Result<String, Refusal> {
        let bytes = Array(requestPath.utf8)
        guard bytes.count <= maximumLength else {
            return .failure(Refusal(reason: "it is longer than \(maximumLength) bytes"))
        }
        guard bytes.first == UInt8(ascii: "/") else { return .failure(Refusal(reason: "it does not start with /")) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 1
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                decoded.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count, let high = hexDigit(bytes[index + 1]), let low = hexDigit(bytes[index + 2])
            else { return .failure(Refusal(reason: "its percent-encoding is broken")) }
            let byte = high << 4 | low
            // "a%2Fb" is one segment for a browser and two for a file system: whoever checks one and opens the
            // other is tricked.
            if byte == UInt8(ascii: "/") { return .failure(Refusal(reason: "it contains an encoded slash")) }
            decoded.append(byte)
            index += 3
        }
        guard let text = String(validUTF8: decoded[...]) else {
            return .failure(Refusal(reason: "it is not UTF-8"))
        }
        return .success(text)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// RFC 3986 `pchar` and `/`.
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=@/".utf8)

    private static func file(named text: String, in manifest: Manifest) -> Resolution? {
        (try? PackagePath(text)).flatMap { file(at: $0, in: manifest) }
    }

    private static func file(at path: PackagePath, in manifest: Manifest) -> Resolution? {
        manifest.files[path].map { .file(path, $0) }
    }
}
