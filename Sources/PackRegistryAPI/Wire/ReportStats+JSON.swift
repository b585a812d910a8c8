import Foundation
import PackFormat
package import PackJSON

extension ReportStats {
    package init(json: JSONObject) throws {
        try self.init(
            channel: ChannelName(json.string("channel")), from: json.seconds("from"), to: json.seconds("to"),
            step: json.integer("stepSeconds"), window: json.integer("windowSeconds"))
        versions = try json.array("versions").map { try Version(json: $0.object("versions")) }
        failures = try json.array("failures").map { try Failure(json: $0.object("failures")) }
        let sums = try json.object("savings")
        savings.installations = try sums.integer("installations")
        savings.wireByteCount = try sums.integer("wireBytes")
        savings.zipByteCount = try sums.integer("zipBytes")
        let counts = try json.object("pages")
        sessions = try counts.integer("sessions")
        web = try WebCounters(
            local: counts.integer("local"), online: counts.integer("online"), missed: counts.integer("missed"),
            byteCount: counts.integer("bytes"))
        // A server of before has none.
        population = try json["population"].map { try ReportPopulation(json: $0.object("population")) } ?? population
    }

    package var json: JSONObject {
        [
            "channel": .string(channel.text), "from": .seconds(from), "to": .seconds(to),
            "stepSeconds": .integer(step), "windowSeconds": .integer(window),
            "versions": .array(versions.map { .object($0.json) }),
            "failures": .array(failures.map { .object($0.json) }),
            "savings": .object([
                "installations": .integer(savings.installations), "wireBytes": .integer(savings.wireByteCount),
                "zipBytes": .integer(savings.zipByteCount),
            ]),
            "pages": .object([
                "sessions": .integer(sessions), "local": .integer(web.local), "online": .integer(web.online),
                "missed": .integer(web.missed), "bytes": .integer(web.byteCount),
            ]),
            "population": .object(population.json),
        ]
    }
}

extension ReportStats.Version {
    fileprivate init(json: JSONObject) throws {
        try self.init(
            package: PackageID(json.string("package")), version: SemanticVersion(json.string("version")),
            release: json["release"]?.string("release"))
        activated = try json.integer("activated")
        confirmed = try json.integer("confirmed")
        failed = try json.integer("failed")
        silent = try json.integer("silent")
        waiting = try json.integer("waiting")
        series = try json.array("series").map { value in
            let json = try value.object("series")
            var point = try ReportStats.Point(time: json.seconds("time"))
            point.activated = try json.integer("activated")
            point.confirmed = try json.integer("confirmed")
            point.failed = try json.integer("failed")
            return point
        }
    }

    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "version": .string(version.description),
            "activated": .integer(activated), "confirmed": .integer(confirmed), "failed": .integer(failed),
            "silent": .integer(silent), "waiting": .integer(waiting),
            "series": .array(
                series.map {
                    .object([
                        "time": .seconds($0.time), "activated": .integer($0.activated),
                        "confirmed": .integer($0.confirmed), "failed": .integer($0.failed),
                    ])
                }),
        ]
        json["release"] = release.map { .string($0) }
        return json
    }
}

extension ReportStats.Failure {
    fileprivate init(json: JSONObject) throws {
        try self.init(
            package: PackageID(json.string("package")), version: SemanticVersion(json.string("version")),
            release: json["release"]?.string("release"),
            phase: json["phase"].flatMap { try ReportEvent.Phase(rawValue: $0.string("phase")) },
            fault: json["error"].flatMap { try ReportEvent.Fault(rawValue: $0.string("error")) },
            first: json.seconds("first"))
        count = try json.integer("count")
        last = try json.seconds("last")
    }

    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "version": .string(version.description), "count": .integer(count),
            "first": .seconds(first), "last": .seconds(last),
        ]
        json["release"] = release.map { .string($0) }
        json["phase"] = phase.map { .string($0.rawValue) }
        json["error"] = fault.map { .string($0.rawValue) }
        return json
    }
}

extension DeviceEvent {
    package init(json: JSONObject) throws {
        guard let event = try ReportEvent(json: json.object("event")) else {
            throw JSONError.unexpected(field: "event", wanted: "an event of a known kind", found: "another one")
        }
        try self.init(
            channel: ChannelName(json.string("channel")), event: event, received: json.seconds("received"))
    }

    package var json: JSONObject {
        ["channel": .string(channel.text), "event": .object(event.json), "received": .seconds(received)]
    }
}

extension ReportReceipt {
    package var json: JSONObject {
        [
            "accepted": .integer(accepted), "duplicates": .integer(duplicates),
            "dropped": .object(["unknown": .integer(unknown), "neverOffered": .integer(neverOffered)]),
        ]
    }
}

extension JSONValue {
    fileprivate static func seconds(_ time: Int) -> JSONValue {
        .string(WireTime.text(Date(timeIntervalSince1970: Double(time))))
    }
}

extension JSONObject {
    fileprivate func seconds(_ key: String) throws -> Int {
        let seconds = try date(key).timeIntervalSince1970.rounded()
        guard abs(seconds) < 1e12 else {
            throw JSONError.unexpected(field: key, wanted: "a time of this age", found: try string(key))
        }
        return Int(seconds)
    }
}
