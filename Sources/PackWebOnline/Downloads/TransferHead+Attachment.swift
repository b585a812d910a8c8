extension TransferHead {
    /// Whether a server wants the answer to be saved and not shown (RFC 6266 section 4.2).
    public var isAttachment: Bool {
        let field = headers.first { $0.key.lowercased() == "content-disposition" }?.value ?? ""
        let type = field.prefix { $0 != ";" }.trimmed.lowercased()
        // A type that nobody knows is to be treated as an attachment.
        return !type.isEmpty && type != "inline"
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
