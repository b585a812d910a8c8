import Foundation
package import PackRegistryAPI

/// The secret by which a receiver knows who sent a delivery: `whsec_` and Base64.
///
/// Source: Standard Webhooks, section "Symmetric signatures".
package struct WebhookSecret: Hashable, Sendable {
    private static let prefix = "whsec_"
    private static let byteRange = 24...64

    package let bytes: [UInt8]

    package var text: String { Self.prefix + Data(bytes).base64EncodedString() }

    package init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Throws: ``RegistryError`` of the kind `.invalid`. It does not repeat the text.
    package init(_ text: String) throws(RegistryError) {
        guard text.hasPrefix(Self.prefix), let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            Self.byteRange.contains(data.count)
        else {
            throw RegistryError(
                .invalid,
                "a webhook's secret is whsec_ and Base64 of \(Self.byteRange.lowerBound) to "
                    + "\(Self.byteRange.upperBound) bytes: leave it out and the registry makes one")
        }
        bytes = Array(data)
    }
}
