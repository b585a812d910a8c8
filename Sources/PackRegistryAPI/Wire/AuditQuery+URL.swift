extension AuditQuery {
    /// The query of `GET /v1/audit`.
    package var urlQuery: String {
        var parts = ["limit=\(max(1, limit))"]
        if let actor { parts.append("actor=\(Route.encoded(actor))") }
        if let action { parts.append("action=\(Route.encoded(action))") }
        parts += subject.map { "subject=\(Route.encoded($0))" }
        if let since { parts.append("since=\(Route.encoded(WireTime.text(since)))") }
        return parts.joined(separator: "&")
    }
}
