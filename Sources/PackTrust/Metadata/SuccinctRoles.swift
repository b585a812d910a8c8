import Crypto
import PackJSON

/// Delegation to hash bins in one line (TAP 15): `2^bitLength` roles with the same keys. Each target path belongs to
/// exactly one of them, which the first bits of its SHA-256 select. It is only read, from other repositories; none is
/// made here.
struct SuccinctRoles: Sendable, Equatable {
    let roleKeys: RoleKeys
    /// 1…32.
    let bitLength: Int
    let namePrefix: String

    init(reading object: JSONObject) throws {
        bitLength = try object.integer("bit_length")
        guard (1...32).contains(bitLength) else { throw MetadataFault("the bit length \(bitLength) is not in 1…32") }
        namePrefix = try object.string("name_prefix")
        roleKeys = try RoleKeys(reading: object, besides: ["bit_length", "name_prefix"])
    }

    var json: JSONObject {
        var object = roleKeys.json
        object["bit_length"] = .integer(bitLength)
        object["name_prefix"] = .string(namePrefix)
        return object
    }

    /// The role that may speak for a target path, and no other of the bins.
    func role(for path: String) throws(TrustError) -> DelegatedRole {
        let first = SHA256.hash(data: Array(path.utf8)).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let name = self.name(ofBin: first >> UInt32(32 - bitLength))
        return try DelegatedRole(name: name, roleKeys: roleKeys, scope: .paths([]))
    }

    /// Whether a name is that of one of the bins.
    func names(_ name: String) -> Bool {
        let start = "\(namePrefix)-"
        guard name.utf8.starts(with: start.utf8) else { return false }
        let digits = String(decoding: name.utf8.dropFirst(start.utf8.count), as: UTF8.self)
        guard let bin = UInt64(digits, radix: 16), bin < 1 << UInt64(bitLength) else { return false }
        return self.name(ofBin: UInt32(bin)).isExactly(name)
    }

    /// All bins have names of one length.
    private func name(ofBin bin: UInt32) -> String {
        let digits = String(bin, radix: 16)
        return "\(namePrefix)-" + String(repeating: "0", count: (bitLength + 3) / 4 - digits.count) + digits
    }
}
