import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The name that older offline caches give a URL: the MD5 of its text in hexadecimal. It is a name and protects
/// nothing.
package enum URLFingerprint {
    package static func name(of url: String) -> String {
        Insecure.MD5.hash(data: Data(url.utf8)).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
