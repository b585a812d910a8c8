import PackJSON

extension Manifest {
    /// Parses `pack.json`. Unknown fields are refused, because signed content must be understood.
    /// - Throws: ``FormatError/invalidDocument(_:reason:)``, ``FormatError/unsupportedFormat(_:found:supported:)``
    public init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw .invalidDocument("the manifest", reason: "it is larger than \(Self.maximumByteCount) bytes")
        }
        do {
            self = try Self(json: JSONValue(parsing: bytes).object("manifest"))
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidDocument("the manifest", reason: "\(error)")
        }
    }

    /// The bytes of `pack.json`: canonical JSON, equal for equal manifests.
    public var bytes: [UInt8] { bytes(inOrder: sortedPaths) }

    /// Returns the same as ``bytes`` for a caller that has the paths in order already. A list with other paths is not
    /// used.
    package func bytes(inOrder paths: [PackagePath]) -> [UInt8] {
        let isOrder =
            paths.count == files.count && zip(paths, paths.dropFirst()).allSatisfy { $0 < $1 }
            && paths.allSatisfy { files[$0] != nil }
        return JSONValue.object(json(isOrder ? paths : sortedPaths)).canonicalBytes
    }

    /// The SHA-256 of ``bytes``, which names this version's content. Computed at each call: keep it.
    public var digest: Digest { Digest(of: bytes) }

    private init(json: JSONObject) throws {
        let format = try json.integer("format")
        guard (1...Self.currentFormat).contains(format) else {
            throw FormatError.unsupportedFormat("the manifest", found: format, supported: Self.currentFormat)
        }
        try json.refuseKeys(outside: Self.keys(of: format))
        let entry = try json["entry"].map { try PackagePath($0.string("entry")) }
        let requires = try json["requires"]?.object("requires")
        try requires?.refuseKeys(outside: ["app"])
        try self.init(
            package: PackageID(json.string("package")),
            version: SemanticVersion(json.string("version")),
            entry: entry,
            files: Self.files(json.object("files")),
            shared: Self.pins(json["shared"]?.object("shared") ?? [:]),
            origins: json["origins"]?.array("origins").map { try $0.string("origins") } ?? [],
            requiredApp: requires?["app"].map { try VersionRange($0.string("requires.app")) },
            isSinglePage: json["spa"]?.bool("spa") ?? false,
            headers: Self.headers(json["headers"]?.object("headers") ?? [:]),
            base: json["base"].map { try BasePath($0.string("base")) },
            wantsServiceWorker: json["serviceWorker"]?.bool("serviceWorker") ?? false,
            api: Self.api(json["api"]?.object("api") ?? [:]),
            state: json["state"].map { try State(json: $0.object("state")) })
        guard self.format == format else {
            throw FormatError.invalidDocument(
                "the manifest", reason: "it has format \(format) and needs format \(self.format)")
        }
    }

    private static let keys: Set = [
        "format", "package", "version", "entry", "files", "shared", "origins", "requires", "spa", "headers",
    ]

    private static func keys(of format: Int) -> Set<String> {
        switch format {
        case 1: keys
        case 2: keys.union(["base", "serviceWorker", "api"])
        default: keys.union(["base", "serviceWorker", "api", "state"])
        }
    }

    private static func api(_ json: JSONObject) throws -> APIRoutes {
        var targets: [String: String] = [:]
        for member in json.members { targets[member.key] = try member.value.string("api") }
        // Two spellings that are one `String` are beyond ASCII, which no prefix is.
        guard targets.count == json.members.count else {
            throw FormatError.invalidDocument("the manifest", reason: "two prefixes of api are one")
        }
        return try targets.isEmpty ? .none : APIRoutes(targets)
    }

    /// Each name is judged before it becomes a key: JSON keeps two spellings of "é" apart, a `String` does not.
    private static func headers(_ json: JSONObject) throws -> [String: String] {
        var headers: [String: String] = [:]
        for member in json.members {
            if let reason = fault(ofHeaderName: member.key) {
                throw FormatError.invalidDocument("the manifest", reason: reason)
            }
            headers[member.key] = try member.value.string("headers")
        }
        return headers
    }

    private static func files(_ json: JSONObject) throws -> [PackagePath: File] {
        guard json.members.count <= maximumFileCount else {
            throw FormatError.invalidDocument("the manifest", reason: "it lists more than \(maximumFileCount) files")
        }
        var files: [PackagePath: File] = [:]
        files.reserveCapacity(json.members.count)
        for member in json.members {
            let file = try member.value.object(member.key)
            try file.refuseKeys(outside: fileKeys)
            files[try PackagePath(member.key)] = try File(
                digest: Digest(hex: file.string("sha256")), size: file.integer("size"),
                from: file["from"].map { try PackageID($0.string("from")) })
        }
        return files
    }

    /// Made once: a manifest has thousands of files.
    private static let fileKeys: Set = ["sha256", "size", "from"]

    private static func pins(_ json: JSONObject) throws -> [PackageID: VersionID] {
        var pins: [PackageID: VersionID] = [:]
        for member in json.members {
            let pin = try member.value.object(member.key)
            try pin.refuseKeys(outside: ["version", "manifest"])
            pins[try PackageID(member.key)] = try VersionID(
                version: SemanticVersion(pin.string("version")), manifest: Digest(hex: pin.string("manifest")))
        }
        return pins
    }

    private func json(_ paths: [PackagePath]) -> JSONObject {
        var json: JSONObject = [
            "format": .integer(format), "package": .string(package.text),
            "version": .string(version.description),
        ]
        json["entry"] = entry.map { .string($0.text) }
        json["files"] = .object(
            JSONObject(
                paths.compactMap { path in
                    files[path].map { (path.text, $0.json) }
                }))
        if !shared.isEmpty {
            json["shared"] = .object(
                JSONObject(
                    shared.map { id, pin in
                        let value: JSONObject = [
                            "version": .string(pin.version.description), "manifest": .string(pin.manifest.hex),
                        ]
                        return (id.text, .object(value))
                    }))
        }
        if !origins.isEmpty { json["origins"] = .array(origins.map { .string($0) }) }
        if let requiredApp { json["requires"] = .object(["app": .string(requiredApp.description)]) }
        if isSinglePage { json["spa"] = true }
        if !headers.isEmpty { json["headers"] = .object(JSONObject(headers.map { ($0.key, .string($0.value)) })) }
        json["base"] = base.map { .string($0.text) }
        if wantsServiceWorker { json["serviceWorker"] = true }
        json["state"] = state.map { .object($0.json) }
        if !api.isEmpty { json["api"] = .object(JSONObject(api.targets.map { ($0.key, .string($0.value)) })) }
        return json
    }
}

extension Manifest.File {
    /// Its entry in the manifest.
    var json: JSONValue {
        var entry: JSONObject = ["sha256": .string(digest.hex), "size": .integer(size)]
        entry["from"] = from.map { .string($0.text) }
        return .object(entry)
    }
}
