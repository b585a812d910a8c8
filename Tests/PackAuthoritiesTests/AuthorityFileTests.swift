import Foundation
import PackAuthorities
import Testing

@Suite struct AuthorityFileTests {
    /// A DER sequence of 6 bytes stands for a certificate.
    static let block = "-----BEGIN CERTIFICATE-----\nMAQCAQEF\n-----END CERTIFICATE-----\n"

    @Test func `certificates are taken, whatever stands between them`() throws {
        let file = try AuthorityFile(parsing: "a key\r\n\(Self.block)text\n\(Self.block)", from: "f")
        #expect(file.count == 2)
        #expect(file.text == "-----BEGIN CERTIFICATE-----\nMAQCAQEF\n-----END CERTIFICATE-----\n" + Self.block)
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", "\u{30}\u{82}"])
    func `a file without a certificate is refused`(text: String) {
        #expect(throws: AuthorityError.empty("f")) { try AuthorityFile(parsing: text, from: "f") }
    }

    @Test(arguments: [
        "-----BEGIN CERTIFICATE-----\nMAQCAQEF\n", "-----BEGIN CERTIFICATE-----\nMAQC!\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nMAQCAQE=\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----",
    ])
    func `a damaged certificate is named by its number`(text: String) {
        #expect(throws: AuthorityError.damaged("f", number: 2)) {
            try AuthorityFile(parsing: Self.block + text, from: "f")
        }
    }

    @Test func `a file that is not there is refused`() {
        #expect(throws: AuthorityError.unreadable("/nowhere/ca.pem")) { try AuthorityFile("/nowhere/ca.pem") }
        #expect(throws: AuthorityError.unreadable("/nowhere/v.pem")) {
            try PrivateAuthorities.trust(nil, environment: [PrivateAuthorities.variable: "/nowhere/v.pem\n"])
        }
        #expect(throws: Never.self) {
            try PrivateAuthorities.trust(nil, environment: [PrivateAuthorities.variable: " "])
        }
    }
}
