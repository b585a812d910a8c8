import Crypto
import Foundation
import PackRegistry

/// The fields by which a receiver knows that a delivery is ours, whole, new, and not one that it had.
///
/// The signature is over the id, the time of the attempt and the body, so neither can be taken from one delivery and put on
/// another. A receiver refuses times that are more than five minutes off, and ids that it had.
///
/// Source: Standard Webhooks 1.0.
enum WebhookSignature {
    /// - Parameter seconds: of the attempt, since 1970.
    static func fields(id: String, seconds: Int, body: [UInt8], secret: WebhookSecret) -> [(String, String)] {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret.bytes))
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
        ]
    }
}
