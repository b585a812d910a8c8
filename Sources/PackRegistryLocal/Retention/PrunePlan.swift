package import PackFormat
package import PackRegistry

/// What a prune removes, and what stays.
package struct PrunePlan: Hashable, Sendable {
    package struct Upload: Hashable, Sendable {
        package let name: VersionName
        let manifest: Digest
    }

    /// Files of one kind, and their bytes.
    package struct Amount: Hashable, Sendable {
        package var count = 0
        package var byteCount = 0

        mutating func add(_ size: Int) {
            count += 1
            byteCount += size
        }
    }

    /// The versions that lose files, the oldest publication first.
    package var versions: [VersionName] = []
    /// How many versions keep their files, and why.
    package var kept: [RetentionRule.Reason: Int] = [:]
    package internal(set) var uploads: [Upload] = []
    var objects: [Object] = []
    var derived: [DerivedTable.Entry] = []
    var encodings: [EncodingTable.Made] = []
    /// Files that an earlier prune was to remove, and did not.
    package var leftCount = 0

    package var isEmpty: Bool {
        versions.isEmpty && uploads.isEmpty && objects.isEmpty && derived.isEmpty && encodings.isEmpty && leftCount == 0
    }

    package var objectAmount: Amount { Self.amount(objects.map(\.size)) }
    /// Full downloads and zips.
    package var downloadAmount: Amount {
        Self.amount(derived.filter { [.full, .archive].contains($0.file.kind) }.compactMap(\.size))
    }
    package var patchAmount: Amount {
        Self.amount(derived.filter { ![.full, .archive].contains($0.file.kind) }.compactMap(\.size))
    }
    package var encodingAmount: Amount { Self.amount(encodings.map(\.size)) }

    package var byteCount: Int {
        [objectAmount, downloadAmount, patchAmount, encodingAmount].reduce(0) { $0 + $1.byteCount }
    }

    /// The files below the view.
    var paths: [StoredPath] {
        objects.map { .view(.object($0.digest)) } + derived.filter { $0.size != nil }.map { .view($0.path) }
            + encodings.compactMap { form in form.coding.map { .encoded(form.object, $0) } }
    }

    private static func amount(_ sizes: [Int]) -> Amount {
        var amount = Amount()
        for size in sizes { amount.add(size) }
        return amount
    }
}
