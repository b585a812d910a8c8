import PackFormat

extension Audience {
    /// Whether every device that meets the other audience certainly meets this one. False also where that cannot be told.
    func includes(_ other: Audience) -> Bool {
        conditions.allSatisfy { condition in other.conditions.contains { condition.isImplied(by: $0) } }
    }
}

extension Condition {
    /// Each kind of condition holds where one of its values does, so more values admit more devices.
    fileprivate func isImplied(by other: Condition) -> Bool {
        switch (self, other) {
        case (.platform(let all), .platform(let some)), (.locale(let all), .locale(let some)),
            (.region(let all), .region(let some)), (.model(let all), .model(let some)),
            (.group(let all), .group(let some)):
            Set(some).isSubset(of: all)
        case (.network(let all), .network(let some)): Set(some).isSubset(of: all)
        case (.tag(let name, let all), .tag(let same, let some)): name == same && Set(some).isSubset(of: all)
        default: self == other
        }
    }
}
