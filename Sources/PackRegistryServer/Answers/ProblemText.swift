/// The text of a problem. Values of the request in it are shortened, so that answers, logs and terminals stay
/// readable and a client does not get ten megabytes back.
enum ProblemText {
    /// Characters of a quoted value that are shown.
    static let maximumValueLength = 100
    static let maximumByteCount = 2_000

    static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumValueLength else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "\""), result.utf8.count <= maximumByteCount {
            let start = rest.index(after: open)
            let end = rest[start...].firstIndex(of: "\"") ?? rest.endIndex
            let value = rest[start..<end]
            result += rest[..<start]
            let shown = value.prefix(maximumValueLength)
            result += shown
            if shown.endIndex < value.endIndex { result += "… (\(value.utf8.count) bytes)" }
            if end < rest.endIndex { result += "\"" }
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
        }
        result += rest.prefix(maximumByteCount)
        guard result.utf8.count > maximumByteCount else { return result }
        // Characters that many code points make up are cut as well.
        return String(decoding: result.utf8.prefix(maximumByteCount), as: UTF8.self) + "… (\(text.utf8.count) bytes)"
    }
}
