import PackFormat

/// The numbers of ``EventLog``. They are in databases: a new one is added, and none is changed.
extension ReportEvent.Code {
    var logNumber: Int {
        switch self {
        case .offered: 1
        case .downloaded: 2
        case .installed: 3
        case .activated: 4
        case .confirmed: 5
        case .failed: 6
        case .rolledBack: 7
        case .gateOff: 8
        case .repaired: 9
        case .session: 10
        case .present: 11
        }
    }

    init?(logNumber: Int) {
        guard let code = Self.allCases.first(where: { $0.logNumber == logNumber }) else { return nil }
        self = code
    }
}

extension ReportEvent.Phase {
    var logNumber: Int {
        switch self {
        case .check: 1
        case .download: 2
        case .install: 3
        case .start: 4
        }
    }

    init?(logNumber: Int) {
        guard let phase = Self.allCases.first(where: { $0.logNumber == logNumber }) else { return nil }
        self = phase
    }
}

extension ReportEvent.Fault {
    var logNumber: Int {
        switch self {
        case .unreachable: 1
        case .badAnswer: 2
        case .notFound: 3
        case .notTrusted: 4
        case .damaged: 5
        case .diskFull: 6
        case .fileFailed: 7
        case .refused: 8
        case .neverConfirmed: 9
        case .late: 10
        case .asked: 11
        case .other: 12
        }
    }

    init?(logNumber: Int) {
        guard let fault = Self.allCases.first(where: { $0.logNumber == logNumber }) else { return nil }
        self = fault
    }
}
