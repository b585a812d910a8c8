/// Header fields that frame or describe an answer itself (RFC 9110 sections 8 and 14, RFC 9112 section 6): a package that sets one
/// would make it a lie. Whoever serves a file sets them.
package enum AnswerFields {
    /// In lower case.
    package static let names: Set<String> = [
        "accept-ranges", "connection", "content-encoding", "content-length", "content-range", "content-type", "date",
        "etag", "keep-alive", "last-modified", "location", "set-cookie", "trailer", "transfer-encoding", "upgrade",
    ]
}
