#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The report of the last page in a file, for other processes.
///
///     let last = LastPage(folder: store)
///     try last.write(page.report, at: Date())
///     try last.read()?.report.entries
public struct LastPage: Sendable {
    public struct Record: Hashable, Sendable, Codable {
        /// When the report was written, in seconds since 1970.
        public let time: Date
        public let report: PageReport

        public init(time: Date, report: PageReport) {
            self.time = time
            self.report = report
        }
    }

    private let file: URL

    /// - Parameter folder: The device's store, or any other folder of the app.
    public init(folder: URL) {
        file = folder.appendingPathComponent("last-page.json")
    }

    /// Replaces the record as a whole.
    public func write(_ report: PageReport, at time: Date) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(Record(time: time, report: report)).write(to: file, options: .atomic)
    }

    /// The last record; nil if there is none or it is unreadable.
    public func read() -> Record? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return (try? Data(contentsOf: file)).flatMap { try? decoder.decode(Record.self, from: $0) }
    }
}
