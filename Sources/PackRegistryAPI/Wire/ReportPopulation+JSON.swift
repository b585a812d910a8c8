import PackFormat
package import PackJSON

/// As `docs/schema/population.schema.json` has it, except that `devices` may be 0.
extension ReportPopulation {
    package init(json: JSONObject) throws {
        self.init()
        devices = try Self.count(json.integer("devices"), "devices")
        platforms = try Self.counts(json, "platforms")
        appVersions = try Self.counts(json, "appVersions")
        osVersions = try Self.counts(json, "osVersions")
        for package in try json["versions"]?.object("versions").members ?? [] {
            var counts: [SemanticVersion: Int] = [:]
            for version in try package.value.object("versions").members where version.key != Self.unknown {
                counts[try SemanticVersion(version.key)] = try Self.count(
                    version.value.integer(version.key), version.key)
            }
            versions[try PackageID(package.key)] = counts
        }
    }

    package var json: JSONObject {
        var json: JSONObject = ["devices": .integer(devices)]
        json["platforms"] = Self.json(platforms)
        json["appVersions"] = Self.json(appVersions)
        json["osVersions"] = Self.json(osVersions)
        if !versions.isEmpty {
            json["versions"] = .object(
                JSONObject(
                    versions.map { package, counts in
                        var members = counts.map { ($0.key.description, JSONValue.integer($0.value)) }
                        // Devices that have other packages only.
                        let rest = devices - counts.values.reduce(0, +)
                        if rest > 0 { members.append((Self.unknown, .integer(rest))) }
                        return (package.text, .object(JSONObject(members)))
                    }))
        }
        return json
    }

    private static func counts(_ json: JSONObject, _ field: String) throws -> Counts {
        var counts: Counts = [:]
        for member in try json[field]?.object(field).members ?? [] {
            counts[member.key == unknown ? String?.none : member.key] = try count(
                member.value.integer(member.key), member.key)
        }
        return counts
    }

    /// So small that no sum of them is too large.
    private static func count(_ value: Int, _ field: String) throws -> Int {
        guard (0...(1 << 40)).contains(value) else {
            throw JSONError.unexpected(field: field, wanted: "a number of devices", found: "\(value)")
        }
        return value
    }

    private static func json(_ counts: Counts) -> JSONValue? {
        guard !counts.isEmpty else { return nil }
        return .object(JSONObject(counts.map { ($0.key ?? unknown, .integer($0.value)) }))
    }
}
