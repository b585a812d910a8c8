import PackFormat

/// The devices of a group as a server keeps them: 16 bytes for each, a fifth of what the texts of ``DeviceGroup`` take.
struct GroupMembers: Sendable {
    private let salt: String
    /// In their order.
    private let hashes: [UInt128]

    init(_ group: DeviceGroup) {
        salt = group.salt
        hashes = group.devices.compactMap { UInt128($0, radix: 16) }.sorted()
    }

    func contains(device id: String) -> Bool {
        guard let hash = UInt128(DeviceGroup.hash(of: id, salt: salt), radix: 16) else { return false }
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }
}
