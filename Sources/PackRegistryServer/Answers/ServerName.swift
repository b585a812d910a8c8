/// What the `Server` field of an answer says (RFC 9110 section 10.2.4).
enum ServerName {
    static let text = "packtool"
}
