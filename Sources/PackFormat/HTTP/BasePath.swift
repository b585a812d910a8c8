/// Where a web build expects to be mounted: `/static-files/` for a build whose pages load `/static-files/app.js`.
///
///     let base = try BasePath("/static-files")     // the slash at the end may be left out
///     base.rest(of: "static-files/app.js")          // "app.js"
///
/// The device mounts every package at `/`. With a base both places lead to the same file.
public struct BasePath: Hashable, Sendable, CustomStringConvertible {
    /// Begins and ends with `/`, not percent-encoded.
    public let text: String

    /// - Throws: ``FormatError/invalidBase(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw .invalidBase(text, reason: "it does not begin with /")
        }
        let inner = text.utf8.last == UInt8(ascii: "/") ? text.dropFirst().dropLast() : text.dropFirst()
        if inner.isEmpty { throw .invalidBase(text, reason: "every package is at / already: leave base out") }
        if let byte = inner.utf8.first(where: { "%?#".utf8.contains($0) }) {
            throw .invalidBase(text, reason: "it contains \"\(Character(UnicodeScalar(byte)))\"")
        }
        do {
            self.text = "/\(try PackagePath(String(inner)))/"
        } catch {
            if case .invalidPath(_, let reason) = error { throw .invalidBase(text, reason: reason) }
            throw error
        }
    }

    public var description: String { text }

    /// The part of a decoded path after the base, without its leading slash; nil for a path that is not below the
    /// base.
    package func rest(of path: String) -> String? {
        let prefix = text.utf8.dropFirst()
        if path.utf8.starts(with: prefix) { return String(path.utf8.dropFirst(prefix.count)) }
        return path.utf8.elementsEqual(prefix.dropLast()) ? "" : nil
    }
}
