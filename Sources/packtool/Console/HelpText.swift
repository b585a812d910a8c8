/// The text of a command's help. The parser wraps what is one line; sources have several, for their readers.
enum HelpText {
    /// Joins the lines of each paragraph. Lists, and paragraphs of examples, whose lines all begin with a
    /// space, a brace or `packtool`, stay as they are.
    static func flowing(_ text: String) -> String {
        text.split(separator: "\n\n", omittingEmptySubsequences: false).map { paragraph in
            let lines = paragraph.split(separator: "\n")
            let isExample = lines.allSatisfy { line in
                [" ", "{", "packtool "].contains { line.hasPrefix($0) }
            }
            let isList = lines.count > 1 && lines.dropFirst().allSatisfy { $0.hasPrefix(" ") }
            return isExample || isList ? String(paragraph) : lines.joined(separator: " ")
        }.joined(separator: "\n\n")
    }
}
