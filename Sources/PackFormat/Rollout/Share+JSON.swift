package import PackJSON

/// A share is written as `percent` if that is a whole number, as every version of packtool has written it; otherwise
/// as `share` in 1/10,000.
extension JSONObject {
    package mutating func set(_ share: Share) {
        self[share.isWholePercent ? "percent" : "share"] = .integer(
            share.isWholePercent ? share.percent : share.tenThousandths)
    }

    /// Nil if neither field is there. If both are, `share` counts.
    package func share() throws -> Share? {
        if let share = self["share"] { return try Share(tenThousandths: share.integer("share")) }
        return try self["percent"].map { try Share(percent: $0.integer("percent")) }
    }
}
