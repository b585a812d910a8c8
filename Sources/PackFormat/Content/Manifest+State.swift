package import PackJSON

extension Manifest {
    /// What a version says of the data that its pages store on a device, in local storage or IndexedDB. The publisher numbers the forms of
    /// that data; a new form has a higher number.
    ///
    /// It is for the registry, which does not lead devices to a version that cannot read what they may have written. A device decides
    /// nothing by it.
    public struct State: Hashable, Sendable {
        public static let maximumVersion = 1_000_000

        /// The number of the form that the version writes.
        public let version: Int
        /// The numbers of the forms that it reads. Its own is among them.
        public let reads: ClosedRange<Int>

        /// - Throws: ``FormatError/invalidDocument(_:reason:)``
        public init(version: Int, reads: ClosedRange<Int>) throws(FormatError) {
            guard (1...Self.maximumVersion).contains(version), reads.lowerBound >= 1,
                reads.upperBound <= Self.maximumVersion
            else {
                throw .invalidDocument("\"state\"", reason: "its numbers are 1 to \(Self.maximumVersion)")
            }
            guard reads.contains(version) else {
                throw .invalidDocument(
                    "\"state\"",
                    reason:
                        "the version writes \(version), and reads \(reads.lowerBound) to \(reads.upperBound): it must read "
                        + "what it writes itself")
            }
            self.version = version
            self.reads = reads
        }

        /// The field of the manifest: `{"version": 2, "reads": [1, 2]}`.
        package var json: JSONObject {
            [
                "version": .integer(version),
                "reads": .array([.integer(reads.lowerBound), .integer(reads.upperBound)]),
            ]
        }

        package init(json: JSONObject) throws {
            try json.refuseKeys(outside: ["version", "reads"])
            try self.init(version: json.integer("version"), reads: Self.range(json.array("reads")))
        }

        /// `[1, 2]`.
        package static func range(_ values: [JSONValue]) throws -> ClosedRange<Int> {
            let numbers = try values.map { try $0.integer("reads") }
            guard numbers.count == 2, numbers[0] <= numbers[1] else {
                throw FormatError.invalidDocument(
                    "\"state\"", reason: "\"reads\" has the lowest and the highest number: [1, 2]")
            }
            return numbers[0]...numbers[1]
        }

        /// `2, reads 1 to 2`.
        package var text: String { "\(version), reads \(readsText)" }

        /// `1`, or `1 to 2`.
        package var readsText: String {
            reads.count == 1 ? "\(reads.lowerBound)" : "\(reads.lowerBound) to \(reads.upperBound)"
        }
    }
}
