extension VersionRange {
    /// Whether an app's version is in the range, compared as ``AppVersion`` orders them: `2024.3.1 (17)` is in `>=2024.3.0`.
    public func contains(_ app: AppVersion) -> Bool {
        (try? AppVersionRange(description))?.contains(app) ?? false
    }
}
