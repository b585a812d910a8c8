import PackJSON

/// A named set of devices that rollouts may ask for (`group=testers`): a signed file beside the channel's, of salted hashes, so
/// that no file has an id.
///
///     { "format": 1, "name": "testers", "salt": "9f86d0…", "hashes": "03ac67…" }
///
/// The hashes are one text, each of 32 digits, in their order.
public struct DeviceGroup: Hashable, Sendable {
    public static let currentFormat = 1
    /// A device fetches the whole file: more devices are a tag's matter, which the app says of itself.
    public static let maximumDeviceCount = 50_000
    /// Bytes.
    public static let maximumByteCount = 2 << 20
    /// Of a channel.
    public static let maximumCount = 32

    public let name: String
    /// 32 hexadecimal digits, made anew with each change: hashes of two groups cannot be compared.
    public let salt: String
    /// The hashes of its devices (``hash(of:salt:)``).
    public let devices: Set<String>

    /// - Throws: ``FormatError/invalidGroup(_:reason:)``
    public init(name: String, salt: String, devices: Set<String>) throws(FormatError) {
        guard Self.isName(name) else {
            throw .invalidGroup(name, reason: "a name is 1 to 63 lower-case letters, digits and hyphens")
        }
        guard salt.utf8.count == 32, Self.isHexadecimal(salt) else {
            throw .invalidGroup(name, reason: "its salt is not 32 hexadecimal digits")
        }
        guard devices.count <= Self.maximumDeviceCount else {
            throw .invalidGroup(
                name,
                reason:
                    "it has \(CountText.text(devices.count, "device")) and a group has at most \(CountText.number(Self.maximumDeviceCount)), because devices "
                    + "fetch all of it: give those devices a tag (tag.NAME=VALUE)")
        }
        guard devices.allSatisfy({ $0.utf8.count == 32 && Self.isHexadecimal($0) }) else {
            throw .invalidGroup(name, reason: "a hash in it is not 32 hexadecimal digits")
        }
        self.name = name
        self.salt = salt
        self.devices = devices
    }

    /// - Throws: ``FormatError/invalidGroup(_:reason:)``; the name of the file is the caller's to compare.
    public init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw .invalidGroup("?", reason: "its file is larger than \(Self.maximumByteCount) bytes")
        }
        do {
            let json = try JSONValue(parsing: bytes).object("group")
            let format = try json.integer("format")
            guard format == Self.currentFormat else {
                throw FormatError.unsupportedFormat("the group", found: format, supported: Self.currentFormat)
            }
            try self.init(
                name: json.string("name"), salt: json.string("salt"),
                devices: Self.hashes(json.string("hashes")))
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidGroup("?", reason: "\(error)")
        }
    }

    /// Canonical JSON.
    public var bytes: [UInt8] {
        let json: JSONObject = [
            "format": .integer(Self.currentFormat), "name": .string(name), "salt": .string(salt),
            "hashes": .string(devices.sorted().joined()),
        ]
        return JSONValue.object(json).canonicalBytes
    }

    public func contains(device id: String) -> Bool { devices.contains(Self.hash(of: id, salt: salt)) }

    /// The first 16 bytes of SHA-256(`packtool group ` + salt + ` ` + id), in hexadecimal digits.
    public static func hash(of device: String, salt: String) -> String {
        String(Digest(of: Array("packtool group \(salt) \(device)".utf8)).hex.prefix(32))
    }

    private static func hashes(_ text: String) throws(FormatError) -> Set<String> {
        let bytes = Array(text.utf8)
        guard bytes.count % 32 == 0 else { throw .invalidGroup("?", reason: "a hash in it does not have 32 digits") }
        return Set(
            stride(from: 0, to: bytes.count, by: 32).map { String(decoding: bytes[$0..<$0 + 32], as: UTF8.self) })
    }

    /// As a channel's name, so that it may be a part of a file's name.
    static func isName(_ text: String) -> Bool { (try? ChannelName(text)) != nil }

    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
}

/// What a channel's file says of a group.
public struct GroupReference: Hashable, Sendable {
    public let deviceCount: Int
    /// Of the group's file.
    public let digest: Digest

    public init(deviceCount: Int, digest: Digest) {
        self.deviceCount = deviceCount
        self.digest = digest
    }
}
