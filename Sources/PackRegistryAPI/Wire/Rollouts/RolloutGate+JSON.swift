import PackFormat
package import PackJSON

extension RolloutGate {
    static let keys = ["haltAbove", "advanceBelow", "devices", "silence", "expected", "networks"]

    /// Reads a gate in a plan: an object, or `true` for the defaults.
    init(json: JSONValue, path: String) throws {
        if case .bool(true) = json {
            self = .standard
            return
        }
        let reader = try FieldReader(json, path: path, known: Self.keys)
        do {
            try self.init(
                haltAbove: reader.value("haltAbove") { value, _ in try Share(plan: value) },
                advanceBelow: reader.value("advanceBelow") { value, _ in try Share(plan: value) },
                devices: reader.value("devices") { value, _ in try value.integer() },
                silence: reader.value("silence") { value, _ in try PlanDuration(value.string()) },
                expected: reader.value("expected") { value, _ in try Share(plan: value) },
                networks: reader.value("networks") { value, _ in try value.integer() })
        } catch let fault as FieldFault {
            throw fault.place.hasPrefix(path) ? fault : FieldFault("\(path).\(fault.place)", fault.reason)
        }
    }

    /// All of it, so that a later default changes no plan that is there.
    package var json: JSONObject {
        [
            "haltAbove": haltAbove.planJSON, "advanceBelow": advanceBelow.planJSON, "devices": .integer(devices),
            "silence": .string(silence.description), "expected": expected.planJSON, "networks": .integer(networks),
        ]
    }
}

extension Share {
    /// A percentage as plans write it: `10`, or `"0.5"`.
    init(plan value: JSONValue) throws {
        switch value {
        case .integer(let percent): try self.init(percent: percent)
        case .string(let text): try self.init(text)
        default: throw FieldFault("", "it must be a percentage such as 10 or \"0.5\", not \(value.kind)")
        }
    }

    var planJSON: JSONValue { isWholePercent ? .integer(percent) : .string(percentText) }
}
