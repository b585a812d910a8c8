package import PackJSON

/// One thing that the doctor looked at, and what it found.
package struct DoctorFinding: Hashable, Sendable {
    package enum Level: String, Hashable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, and will not for long or not for everybody.
        case warning
        /// Something does not work, or is not safe.
        case error
    }

    package let code: DoctorCode
    package let level: Level
    /// What it is about: a file, a URL, a role.
    package let subject: String
    package let detail: String
    /// What to do; nil where nothing has to be done.
    package let fix: String?

    package static func ok(_ code: DoctorCode, _ subject: String, _ detail: String) -> DoctorFinding {
        DoctorFinding(code: code, level: .ok, subject: subject, detail: detail, fix: nil)
    }

    package static func warning(_ code: DoctorCode, _ subject: String, _ detail: String, fix: String) -> DoctorFinding {
        DoctorFinding(code: code, level: .warning, subject: subject, detail: detail, fix: fix)
    }

    package static func error(_ code: DoctorCode, _ subject: String, _ detail: String, fix: String) -> DoctorFinding {
        DoctorFinding(code: code, level: .error, subject: subject, detail: detail, fix: fix)
    }

    package var json: JSONObject {
        [
            "code": .string(code.rawValue), "level": .string(level.rawValue), "subject": .string(subject),
            "detail": .string(detail), "fix": fix.map { .string($0) } ?? .null,
        ]
    }
}

/// Everything that one examination found.
package struct DoctorReport: Hashable, Sendable {
    package let findings: [DoctorFinding]

    package init(_ findings: [DoctorFinding]) {
        self.findings = findings
    }

    package func count(_ level: DoctorFinding.Level) -> Int { findings.count { $0.level == level } }

    package var json: JSONObject {
        [
            "findings": .array(findings.map { .object($0.json) }), "errors": .integer(count(.error)),
            "warnings": .integer(count(.warning)),
        ]
    }

    /// A line for each finding, with what to do below it; errors last, where a terminal shows them.
    package var text: String {
        var lines: [String] = []
        for level in DoctorFinding.Level.allCases {
            for finding in findings where finding.level == level {
                let mark = level == .ok ? "ok" : level.rawValue
                let space = String(repeating: " ", count: 9 - mark.count)
                lines.append("\(mark)\(space)\(finding.subject): \(finding.detail) [\(finding.code.rawValue)]")
                if let fix = finding.fix { lines.append("         fix: \(fix)") }
            }
        }
        let (errors, warnings) = (count(.error), count(.warning))
        lines.append("")
        lines.append(
            errors + warnings == 0
                ? "everything is as it should be (\(findings.count) checks)"
                : "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s") in "
                    + "\(findings.count) checks")
        return lines.joined(separator: "\n")
    }
}
