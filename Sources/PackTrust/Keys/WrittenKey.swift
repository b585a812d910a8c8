import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of a private key as forms, variables and secret stores deliver it: a PEM in one line, with `\n` for line
/// breaks, or in base64.
package enum WrittenKey {
    /// A PEM private key or the text of a ``KeyFile`` in its own form; a text that is neither as it is.
    package static func restored(_ text: String) -> String {
        if let key = read(text) { return key }
        let compact = text.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: compact), let inner = String(data: data, encoding: .utf8) else {
            return text
        }
        return read(inner) ?? text
    }

    private static func read(_ text: String) -> String? {
        let trimmed = text.trimmed
        if trimmed.hasPrefix("{") { return trimmed }
        let broken = trimmed.replacing("\\r", with: "").replacing("\\n", with: "\n")
        guard let match = broken.firstMatch(of: /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----([^-:]+)-----END \1-----/)
        else {
            return nil
        }
        let body = match.output.2.filter { !$0.isWhitespace }
        var lines = ["-----BEGIN \(match.output.1)-----"]
        var rest = Substring(body)
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END \(match.output.1)-----", ""]).joined(separator: "\n")
    }
}
