extension StringProtocol {
    /// Without the white space and line breaks at both ends. Foundation's own is not in FoundationEssentials.
    package var trimmed: String {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}
