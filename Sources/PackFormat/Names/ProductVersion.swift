/// The version of this software, as it appears in `packtool --version` and in each request's `User-Agent`. Between
/// releases it ends with `-dev` (docs/RELEASING.md).
package enum ProductVersion {
    package static let text = "0.2.0"

    /// - Parameter product: The requesting part, such as `packtool`.
    package static func userAgent(_ product: String) -> String { "\(product)/\(text)" }
}
