import PackFormat

extension ReportEvent.Fault {
    /// The code for an error. Its text, which may name files and addresses, is not reported.
    init(_ error: any Error) {
        self =
            switch error as? UpdateError {
            case .unreachable: .unreachable
            case .badAnswer: .badAnswer
            case .notFound, .registryLacks, .noChannel: .notFound
            case .notTrusted, .noRoot: .notTrusted
            case .damagedContent, .storeIsDamaged: .damaged
            case .diskIsFull: .diskFull
            case .fileFailed: .fileFailed
            case .refused: .refused
            default: .other
            }
    }
}
