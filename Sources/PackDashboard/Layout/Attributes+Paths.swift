/// Links and forms lead to pages of the dashboard only.
extension HTML.Attribute {
    static func href(_ path: DashboardPath) -> Self { Self("href", path.text) }
    static func action(_ path: DashboardPath) -> Self { Self("action", path.text) }
}
