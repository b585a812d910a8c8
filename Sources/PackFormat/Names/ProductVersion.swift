/// The version of this software, as it appears in `packtool --version` and in each request's `User-Agent`.
package enum ProductVersion {
    package static let text = "0.1.0"

    /// - Parameter product: The requesting part, such as `packtool`.
    package static func userAgent(_ product: String) -> String { "\(product)/\(text)" }
}
