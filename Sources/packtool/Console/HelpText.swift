/// The text of a command's help. The parser wraps what is one line; sources have several, for their readers.
enum HelpText {
    /// Joins the lines of each paragraph. Lists, and paragraphs of examples, whose lines all begin with a
    /// space, a brace or `packtool`, stay as they are.
    ///
    /// Each run of the program builds the texts of all its commands, whichever is asked for, so this works on bytes.
    static func flowing(_ text: String) -> String {
        var result = ""
        var paragraph: [Substring.UTF8View] = []
        var isFirst = true
        func end() {
            if paragraph.isEmpty { return }
            if !isFirst { result += "\n\n" }
            isFirst = false
            let isExample = paragraph.allSatisfy { $0.first == space || $0.first == brace || isCommand($0) }
            let isList = paragraph.count > 1 && paragraph.dropFirst().allSatisfy { $0.first == space }
            let separator = isExample || isList ? "\n" : " "
            for (index, line) in paragraph.enumerated() {
                if index > 0 { result += separator }
                result += Substring(line)
            }
            paragraph.removeAll(keepingCapacity: true)
        }
        for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) {
            if line.isEmpty { end() } else { paragraph.append(line) }
        }
        end()
        return result
    }

    private static let newline = UInt8(ascii: "\n"), space = UInt8(ascii: " "), brace = UInt8(ascii: "{")

    private static func isCommand(_ line: Substring.UTF8View) -> Bool { line.starts(with: "packtool ".utf8) }
}
