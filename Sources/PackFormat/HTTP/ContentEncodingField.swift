/// Content codings of answers (RFC 9110 section 8.4.1). Every request of ours allows only `identity`.
package enum ContentEncodingField {
    /// The coding of an answer that does not comply, shortened for a message; nil if the answer complies.
    /// - Parameter field: the text of `Content-Encoding`; nil if the answer does not have it.
    package static func unwanted(_ field: String?) -> String? {
        guard let field, field.lowercased() != "identity" else { return nil }
        return String(field.prefix(40))
    }
}
