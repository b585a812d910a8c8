/// The value of an answer's `Server` field (RFC 9110 section 10.2.4).
enum ServerName {
    static let text = "packtool"
}
