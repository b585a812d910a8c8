/// The version of this software, as `packtool --version` and each request's `User-Agent` say it.
package enum ProductVersion {
    package static let text = "0.1.0"

    /// - Parameter product: the part that asks, such as `packtool`.
    package static func userAgent(_ product: String) -> String { "\(product)/\(text)" }
}
