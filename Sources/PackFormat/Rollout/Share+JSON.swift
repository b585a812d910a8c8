package import PackJSON

/// A share stands as `percent` where that is a whole number, as every packtool has written it, else as `share` in 1/10,000.
extension JSONObject {
    package mutating func set(_ share: Share) {
        self[share.isWholePercent ? "percent" : "share"] = .integer(
            share.isWholePercent ? share.percent : share.tenThousandths)
    }

    /// nil where neither field is there; `share` where both are.
    package func share() throws -> Share? {
        if let share = self["share"] { return try Share(tenThousandths: share.integer("share")) }
        return try self["percent"].map { try Share(percent: $0.integer("percent")) }
    }
}
