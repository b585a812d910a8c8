import PackFormat
import PackJSON

extension PackageState {
    init(json: JSONObject) throws {
        if let value = try json["active"]?.object("active") {
            active = try Active(
                installed: Installed(json: value), isConfirmed: value.bool("confirmed"),
                starts: value.integer("starts"),
                loads: value.array("loads").map { try $0.string("loads") },
                unconfirmedSince: value["since"]?.integer("since"))
        }
        previous = try json["previous"].map { try Installed(json: $0.object("previous")) }
        unproven = try json["unproven"].map { try Installed(json: $0.object("unproven")) }
        embedded = try json["embedded"].map { try Installed(json: $0.object("embedded")) }
        if let value = try json["staged"]?.object("staged") {
            if value["version"] == nil {
                staged = .nothing(try ReleaseMark(json: value))
            } else {
                staged = .version(try Installed(json: value))
            }
        }
        beforeSets =
            try json["beforeSets"]?.array("beforeSets").map { value in
                let before = try value.object("beforeSets")
                return try BeforeSet(
                    set: before.string("before"), installed: Installed(json: before),
                    isConfirmed: before.bool("confirmed"))
            } ?? []
        failures =
            try json["failures"]?.array("failures").map { value in
                let failure = try value.object("failures")
                return try Failure(
                    id: VersionID(json: failure),
                    release: failure["release"] == nil ? nil : ReleaseMark(json: failure),
                    reason: failure.string("reason"))
            } ?? []
        isWanted = try json["wanted"]?.bool("wanted") ?? false
        isEnabled = try json["enabled"]?.bool("enabled") ?? true
        awaitedSet = try json["awaitedSet"]?.string("awaitedSet")
        offered = try json["offered"].map { try VersionID(json: $0.object("offered")) }
        decision = try json["decision"]?.string("decision") ?? ""
        delay = try json["delay"]?.string("delay")
    }

    var json: JSONObject {
        var json: JSONObject = [:]
        if let active {
            var value = active.installed.json
            value["confirmed"] = .bool(active.isConfirmed)
            value["starts"] = .integer(active.starts)
            value["loads"] = .array(active.loads.map { .string($0) })
            value["since"] = active.unconfirmedSince.map { .integer($0) }
            json["active"] = .object(value)
        }
        json["previous"] = previous.map { .object($0.json) }
        json["unproven"] = unproven.map { .object($0.json) }
        json["embedded"] = embedded.map { .object($0.json) }
        switch staged {
        case .version(let installed): json["staged"] = .object(installed.json)
        case .nothing(let mark): json["staged"] = .object(mark.json)
        case nil: break
        }
        if !beforeSets.isEmpty {
            json["beforeSets"] = .array(
                beforeSets.map { before in
                    var value = before.installed.json
                    value["before"] = .string(before.set)
                    value["confirmed"] = .bool(before.isConfirmed)
                    return .object(value)
                })
        }
        if !failures.isEmpty {
            json["failures"] = .array(
                failures.map { failure in
                    var value = failure.id.json
                    if let release = failure.release { value.merge(release.json) }
                    value["reason"] = .string(failure.reason)
                    return .object(value)
                })
        }
        json["offered"] = offered.map { .object($0.json) }
        if isWanted { json["wanted"] = true }
        if !isEnabled { json["enabled"] = false }
        json["awaitedSet"] = awaitedSet.map { .string($0) }
        if !decision.isEmpty { json["decision"] = .string(decision) }
        json["delay"] = delay.map { .string($0) }
        return json
    }
}

extension PackageState.Installed {
    init(json: JSONObject) throws {
        try self.init(
            id: VersionID(json: json),
            release: json["release"] == nil ? nil : PackageState.ReleaseMark(json: json),
            hasPages: json["pages"]?.bool("pages") ?? true)
    }

    var json: JSONObject {
        var json = id.json
        if let release { json.merge(release.json) }
        if !hasPages { json["pages"] = false }
        return json
    }
}

extension PackageState.ReleaseMark {
    init(json: JSONObject) throws {
        try self.init(
            id: json.string("release"), retry: json["retry"]?.integer("retry") ?? 0,
            set: json["set"]?.string("set"))
    }

    var json: JSONObject {
        var json: JSONObject = ["release": .string(id)]
        if retry != 0 { json["retry"] = .integer(retry) }
        json["set"] = set.map { .string($0) }
        return json
    }
}

extension VersionID {
    init(json: JSONObject) throws {
        try self.init(
            version: SemanticVersion(json.string("version")), manifest: Digest(hex: json.string("manifest")))
    }

    var json: JSONObject { ["version": .string(version.description), "manifest": .string(manifest.hex)] }
}

extension JSONObject {
    fileprivate mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.key] = member.value }
    }
}
