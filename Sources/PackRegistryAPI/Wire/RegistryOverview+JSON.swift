import PackFormat
package import PackJSON

extension RegistryOverview {
    /// The document of `GET /v1/overview`.
    package var json: JSONObject {
        let packages = versions.map { id, versions in
            (id.text, JSONValue.array(versions.map { .object($0.json) }))
        }
        let channels = channels.map { channel, packages in
            let releases = packages.map { id, releases in
                (id.text, JSONValue.array(releases.map { .object($0.json) }))
            }
            return (channel.text, JSONValue.object(JSONObject(releases)))
        }
        let earlier = earlier.filter { !$0.value.isEmpty }.map { channel, packages in
            (channel.text, JSONValue.object(JSONObject(packages.map { ($0.key.text, .object($0.value.json)) })))
        }
        var json: JSONObject = [
            "app": .string(app), "packages": .object(JSONObject(packages)), "channels": .object(JSONObject(channels)),
            "earlier": .object(JSONObject(earlier)),
        ]
        let settings = settings.filter { !$0.value.isEmpty }.map { ($0.key.text, JSONValue.object($0.value.json)) }
        if !settings.isEmpty { json["settings"] = .object(JSONObject(settings)) }
        if !approvals.isEmpty {
            json["approvals"] = .object(JSONObject(approvals.map { ($0.key.text, .integer($0.value)) }))
        }
        let rollbacks = rollbacks.filter { !$0.value.isEmpty }.map { channel, packages in
            (channel.text, JSONValue.object(JSONObject(packages.map { ($0.key.text, .object($0.value.json)) })))
        }
        if !rollbacks.isEmpty { json["rollbacks"] = .object(JSONObject(rollbacks)) }
        return json
    }

    package init(json: JSONObject) throws {
        var versions: [PackageID: [Version]] = [:]
        for member in try json.object("packages").members {
            versions[try PackageID(member.key)] = try member.value.array(member.key).map {
                try Version(json: $0.object("version"))
            }
        }
        var channels: [ChannelName: [PackageID: [Release]]] = [:]
        for channel in try json.object("channels").members {
            var packages: [PackageID: [Release]] = [:]
            for member in try channel.value.object(channel.key).members {
                packages[try PackageID(member.key)] = try member.value.array(member.key).map {
                    try Release(json: $0.object("release"))
                }
            }
            channels[try ChannelName(channel.key)] = packages
        }
        var earlier: [ChannelName: [PackageID: Release]] = [:]
        // An older registry does not tell.
        for channel in try json["earlier"]?.object("earlier").members ?? [] {
            for member in try channel.value.object(channel.key).members {
                earlier[try ChannelName(channel.key), default: [:]][try PackageID(member.key)] = try Release(
                    json: member.value.object(member.key))
            }
        }
        var settings: [ChannelName: ChannelSettings] = [:]
        for member in try json["settings"]?.object("settings").members ?? [] {
            settings[try ChannelName(member.key)] = try ChannelSettings(json: member.value.object(member.key))
        }
        var approvals: [ChannelName: Int] = [:]
        for member in try json["approvals"]?.object("approvals").members ?? [] {
            approvals[try ChannelName(member.key)] = try member.value.integer(member.key)
        }
        var rollbacks: [ChannelName: [PackageID: Rollback]] = [:]
        for channel in try json["rollbacks"]?.object("rollbacks").members ?? [] {
            for member in try channel.value.object(channel.key).members {
                rollbacks[try ChannelName(channel.key), default: [:]][try PackageID(member.key)] = try Rollback(
                    json: member.value.object(member.key))
            }
        }
        try self.init(
            app: json.string("app"), versions: versions, channels: channels, earlier: earlier, settings: settings,
            approvals: approvals, rollbacks: rollbacks)
    }

    /// The same without names, reasons and what approvals channels require, for clients without a token.
    package var anonymous: RegistryOverview {
        RegistryOverview(
            app: app,
            versions: versions.mapValues { versions in
                versions.map {
                    Version(
                        version: $0.version, manifest: $0.manifest, published: $0.published, publishedBy: "",
                        fileCount: $0.fileCount, size: $0.size, fullSize: $0.fullSize,
                        archiveSize: $0.archiveSize, withdrawn: $0.withdrawn, pruned: $0.pruned)
                }
            }, channels: channels, earlier: earlier, settings: settings)
    }
}

extension RegistryOverview.Version {
    package var json: JSONObject {
        var json: JSONObject = [
            "version": .string(version.description), "manifest": .string(manifest.hex),
            "published": .string(WireTime.text(published)), "files": .integer(fileCount), "size": .integer(size),
        ]
        if !publishedBy.isEmpty { json["publishedBy"] = .string(publishedBy) }
        json["fullSize"] = fullSize.map { .integer($0) }
        json["archiveSize"] = archiveSize.map { .integer($0) }
        json["withdrawn"] = withdrawn.map { .string($0) }
        json["pruned"] = pruned.map { .string(WireTime.text($0)) }
        json.set(note)
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            version: SemanticVersion(json.string("version")), manifest: Digest(hex: json.string("manifest")),
            published: json.date("published"), publishedBy: json["publishedBy"]?.string("publishedBy") ?? "",
            fileCount: json.integer("files"), size: json.integer("size"),
            fullSize: json["fullSize"]?.integer("fullSize"),
            archiveSize: json["archiveSize"]?.integer("archiveSize"), withdrawn: json["withdrawn"]?.string("withdrawn"),
            pruned: json["pruned"] == nil ? nil : json.date("pruned"),
            note: json.note())
    }
}

extension RegistryOverview.Rollback {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["by": .string(by), "at": .string(WireTime.text(time))]
        json["from"] = from.map { .string($0.description) }
        json["to"] = to.map { .string($0.description) }
        if !reason.isEmpty { json["reason"] = .string(reason) }
        return json
    }

    fileprivate init(json: JSONObject) throws {
        try self.init(
            from: json["from"].map { try SemanticVersion($0.string("from")) },
            to: json["to"].map { try SemanticVersion($0.string("to")) }, by: json.string("by"), time: json.date("at"),
            reason: json["reason"]?.string("reason") ?? "")
    }
}
