import Foundation
import PackFormat
package import PackJSON

extension RolloutPlan {
    private static let keys = [
        "$schema", "steps", "start", "end", "hours", "devices", "newDevicesPerHour", "unknownHealth", "gate",
    ]

    /// Reads a plan's file, in which comments and trailing commas are allowed.
    /// - Parameters:
    ///   - name: of the file, for messages.
    ///   - devices: how many there are, in place of the plan's own number.
    /// - Throws: ``RegistryError`` of the kind `.invalid` that says file, line, column, place and reason.
    package init(parsing bytes: [UInt8], named name: String, devices: Int? = nil) throws(RegistryError) {
        self = try FieldReader.file(bytes, named: name, as: "a plan", maximumByteCount: Self.maximumByteCount) {
            document throws(FieldReader.Mistake) in try Self.read(document, devices: devices)
        }
    }

    /// - Throws: ``RegistryError`` of the kind `.invalid`
    package init(json: JSONValue) throws(RegistryError) {
        do { self = try Self.read(json, devices: nil) } catch {
            throw RegistryError(.invalid, "the plan is not valid: \(error.fault)")
        }
    }

    private static func read(_ document: JSONValue, devices: Int?) throws(FieldReader.Mistake) -> RolloutPlan {
        do {
            let reader = try FieldReader(document, path: "", known: keys)
            // One gate for all steps that have none of their own.
            let gate = try reader.value("gate") { value, path in try RolloutGate(json: value, path: path) }
            let given = try reader.value("devices") { value, _ in try value.integer() }
            return try RolloutPlan(
                steps: reader.required("steps") { value, path in
                    try value.array().enumerated().map { try Step(json: $1, path: "\(path)[\($0)]", gate: gate) }
                },
                start: reader.value("start") { value, _ in try Start(json: value) } ?? .atOnce,
                end: reader.value("end") { value, _ in try WireTime.date(value.string(), field: "end") },
                hours: reader.value("hours") { value, path in try OfficeHours(json: value, path: path) },
                devices: devices ?? given,
                newDevicesPerHour: reader.value("newDevicesPerHour") { value, _ in try value.integer() },
                unknownHealth: reader.value("unknownHealth") { value, _ in try UnknownHealth(json: value) } ?? .advance)
        } catch let mistake as FieldReader.Mistake {
            throw mistake
        } catch let fault as FieldFault {
            throw FieldReader.Mistake(fault: fault)
        } catch {
            throw FieldReader.Mistake(fault: FieldFault("", "\(error)"))
        }
    }

    /// As it was read, without what says nothing.
    package var json: JSONObject {
        var json: JSONObject = ["steps": .array(steps.map(\.json))]
        switch start {
        case .atOnce: break
        case .at(let date): json["start"] = .string(WireTime.text(date))
        case .manual: json["start"] = "manual"
        }
        json["end"] = end.map { .string(WireTime.text($0)) }
        json["hours"] = hours.map(\.json)
        json["devices"] = devices.map { .integer($0) }
        json["newDevicesPerHour"] = newDevicesPerHour.map { .integer($0) }
        if unknownHealth != .advance { json["unknownHealth"] = .string(unknownHealth.rawValue) }
        return json
    }
}

extension RolloutPlan.Step {
    /// - Parameter gate: of the plan, for a step that is not the end and says nothing else.
    fileprivate init(json: JSONValue, path: String, gate: RolloutGate?) throws {
        let reader = try FieldReader(json, path: path, known: ["share", "for", "gate"])
        let time = try reader.value("for") { value, _ in try PlanDuration(value.string()) }
        let own = try reader.value("gate") { value, path -> RolloutGate? in
            if case .bool(false) = value { return nil }
            return try RolloutGate(json: value, path: path)
        }
        try self.init(
            share: reader.required("share") { value, _ in try Share(plan: value) }, time: time,
            gate: own ?? (time == nil ? nil : gate))
    }

    fileprivate var json: JSONValue {
        var json: JSONObject = ["share": share.planJSON]
        json["for"] = time.map { .string($0.description) }
        json["gate"] = gate.map { .object($0.json) }
        return .object(json)
    }
}

extension RolloutPlan.Start {
    fileprivate init(json: JSONValue) throws {
        let text = try json.string()
        if text == "manual" {
            self = .manual
        } else if let date = try? WireTime.date(text, field: "start") {
            self = .at(date)
        } else {
            throw FieldFault(
                "", "it must be \"manual\" or a time such as 2026-11-21T09:00:00Z, not \"\(text.prefix(40))\"")
        }
    }
}

extension RolloutPlan.UnknownHealth {
    fileprivate init(json: JSONValue) throws {
        guard let value = try Self(rawValue: json.string()) else {
            throw FieldFault("", "it must be \(Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))")
        }
        self = value
    }
}

extension OfficeHours {
    fileprivate init(json: JSONValue, path: String) throws {
        let reader = try FieldReader(json, path: path, known: ["zone", "windows"])
        try self.init(
            zone: reader.required("zone") { value, _ in try value.string() },
            windows: reader.required("windows") { value, path in
                try value.array().enumerated().map { try Window(json: $1, path: "\(path)[\($0)]") }
            })
    }

    fileprivate var json: JSONValue {
        .object(["zone": .string(zone.planName), "windows": .array(windows.map(\.json))])
    }
}

extension OfficeHours.Window {
    fileprivate init(json: JSONValue, path: String) throws {
        let reader = try FieldReader(json, path: path, known: ["days", "from", "to"])
        do {
            try self.init(
                days: reader.required("days") { value, _ in
                    try Set(
                        value.array().map { value in
                            guard let day = try OfficeHours.Day(rawValue: value.string()) else {
                                throw FieldFault("", "a day is one of mon, tue, wed, thu, fri, sat and sun")
                            }
                            return day
                        })
                }, from: reader.required("from") { value, _ in try Self.minutes(value.string()) },
                to: reader.required("to") { value, _ in try Self.minutes(value.string()) })
        } catch let fault as FieldFault {
            throw fault.place.hasPrefix(path) ? fault : FieldFault("\(path).\(fault.place)", fault.reason)
        }
    }

    fileprivate var json: JSONValue {
        .object([
            "days": .array(OfficeHours.Day.allCases.filter(days.contains).map { .string($0.rawValue) }),
            "from": .string(Self.text(from)), "to": .string(Self.text(to)),
        ])
    }

    /// `09:30`, to `24:00`.
    private static func minutes(_ text: String) throws -> Int {
        guard let match = text.wholeMatch(of: /([0-9]{2}):([0-9]{2})/), let hour = Int(match.1),
            let minute = Int(match.2), minute < 60, hour * 60 + minute <= 1_440
        else {
            throw FieldFault(
                "", "\"\(text.prefix(40))\" is no time of the day: write 09:30, and 24:00 for the day's end")
        }
        return hour * 60 + minute
    }

    private static func text(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
