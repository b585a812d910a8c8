import Foundation

/// The audience of id tokens for a server, if nobody says another: its URL without a slash at its end.
enum AudienceText {
    static func of(_ url: URL) -> String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
