import Foundation

/// How long something still counts, in words and in levels.
struct Expiry {
    let date: Date
    let now: Date
    /// Days that are left from which on it is a warning.
    let warningDays: Int

    var isOver: Bool { date <= now }
    var isNear: Bool { date.timeIntervalSince(now) < Double(warningDays) * 86_400 }

    var text: String {
        let days = Int((date.timeIntervalSince(now) / 86_400).rounded(.down))
        let day = date.formatted(.iso8601.year().month().day())
        if isOver { return "expired on \(day)" }
        return days < 3
            ? "expires in \(Int(date.timeIntervalSince(now) / 3600)) hours" : "expires in \(days) days, on \(day)"
    }

    func finding(_ code: DoctorCode, _ subject: String, fix: String) -> DoctorFinding {
        if isOver { return .error(code, subject, text, fix: fix) }
        return isNear ? .warning(code, subject, text, fix: fix) : .ok(code, subject, text)
    }
}
