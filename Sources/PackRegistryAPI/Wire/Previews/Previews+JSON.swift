package import PackFormat
package import PackJSON

/// The body of `POST /v1/channels/CHANNEL/packages/PACKAGE/preview`.
package struct ChangePreview: Hashable, Sendable {
    package let change: ChannelChange
    package let versions: [AssumedVersion]

    package init(_ change: ChannelChange, assuming versions: [AssumedVersion]) {
        self.change = change
        self.versions = versions
    }

    package var json: JSONObject {
        ["change": .object(change.json), "assuming": .array(versions.map { .object($0.json) })]
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["change", "assuming"])
        try self.init(ChannelChange(json: json.object("change")), assuming: json.assumedVersions())
    }
}

/// The body of `POST /v1/channels/CHANNEL/sets/preview`.
package struct SetPreview: Hashable, Sendable {
    package let set: ReleaseSet
    package let versions: [AssumedVersion]

    package init(_ set: ReleaseSet, assuming versions: [AssumedVersion]) {
        self.set = set
        self.versions = versions
    }

    package var json: JSONObject { ["set": .object(set.json), "assuming": .array(versions.map { .object($0.json) })] }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["set", "assuming"])
        try self.init(ReleaseSet(json: json.object("set")), assuming: json.assumedVersions())
    }
}

/// The body of `POST /v1/packages/PACKAGE/versions/VERSION/withdrawal/preview`, and what it answers.
package enum WithdrawalPreview {
    package static func json(reason: String) -> JSONObject { ["reason": .string(reason)] }

    package static func reason(json: JSONObject) throws -> String {
        try json.refuseKeys(outside: ["reason"])
        return try json.string("reason")
    }

    package static func json(_ channels: [ChannelName: ChannelOutcome]) -> JSONObject {
        ["channels": .object(JSONObject(channels.map { ($0.key.text, .object($0.value.json)) }))]
    }

    package static func channels(json: JSONObject) throws -> [ChannelName: ChannelOutcome] {
        var channels: [ChannelName: ChannelOutcome] = [:]
        for member in try json.object("channels").members {
            channels[try ChannelName(member.key)] = try ChannelOutcome(json: member.value.object(member.key))
        }
        return channels
    }
}

extension AssumedVersion {
    package var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "version": .string(version.description),
            "manifest": .string(manifest.hex),
        ]
        if !hasEntry { json["bundle"] = true }
        json["app"] = requiredApp.map { .string($0.description) }
        json["state"] = state.map { .object($0.json) }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["package", "version", "manifest", "bundle", "app", "state"])
        try self.init(
            package: PackageID(json.string("package")), version: SemanticVersion(json.string("version")),
            manifest: Digest(hex: json.string("manifest")), hasEntry: !(json["bundle"]?.bool("bundle") ?? false),
            requiredApp: json["app"].map { try VersionRange($0.string("app")) },
            state: json["state"].map { try Manifest.State(json: $0.object("state")) })
    }
}

extension JSONObject {
    /// As many as a set may have, and a bundle for each.
    private static var maximumAssumedCount: Int { 2 * ReleaseSet.maximumCount }

    fileprivate func assumedVersions() throws -> [AssumedVersion] {
        let values = try self["assuming"]?.array("assuming") ?? []
        guard values.count <= Self.maximumAssumedCount else {
            throw JSONError.unexpected(
                field: "assuming", wanted: "at most \(Self.maximumAssumedCount) versions", found: "\(values.count)")
        }
        return try values.map { try AssumedVersion(json: $0.object("assuming")) }
    }
}
