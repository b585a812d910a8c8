/// Channel files and devices made at random, as text: whatever a registry may say, and whatever a device may be.
package struct RandomChannel {
    /// A channel file of format 2.
    package let text: String
    /// Such as `p0`.
    package let packages: [String]

    private static let conditions = [
        #"{"kind":"platform","in":["ios"]}"#, #"{"kind":"platform","in":["android","Linux"]}"#,
        #"{"kind":"app","range":">=2"}"#, #"{"kind":"app","range":"<3.1"}"#, #"{"kind":"os","range":">=17"}"#,
        #"{"kind":"locale","in":["de","fr-FR"]}"#, #"{"kind":"region","in":["AT","DE"]}"#,
        #"{"kind":"model","prefix":["iPhone14"]}"#, #"{"kind":"network","in":["unmetered"]}"#,
        #"{"kind":"tag","name":"tier","in":["gold"]}"#, #"{"kind":"group","in":["testers"]}"#,
        #"{"kind":"moon","phase":3}"#,
    ]
    private static let policies = [
        #"{"network":"unmetered"}"#, #"{"install":"now","mandatory":true}"#, #"{"install":"nextStart"}"#,
    ]
    private static let apps = [">=2.0.0", "<3.0.0", ">=1.0.0 <2.5.0"]

    package init(using dice: inout some RandomNumberGenerator) {
        func one<Value>(_ values: [Value], using dice: inout some RandomNumberGenerator) -> Value {
            values[Int.random(in: 0..<values.count, using: &dice)]
        }
        packages = (0..<Int.random(in: 1...5, using: &dice)).map { "p\($0)" }
        let digest = String(repeating: "0123456789abcdef", count: 4)
        /// The releases of a set have the same rollout.
        let sets = (0..<3).map { _ in Self.rollout(using: &dice) }
        var members: [String] = []
        for package in packages {
            var releases: [String] = []
            for index in 0..<Int.random(in: 0...5, using: &dice) {
                var fields = ["\"id\":\"\(package)-r\(index)\""]
                if Int.random(in: 0..<8, using: &dice) == 0 {
                    fields.append("\"embedded\":true")
                } else {
                    fields.append("\"version\":\"1.\(9 - index).0\",\"manifest\":\"\(digest)\"")
                }
                let set = Int.random(in: 0..<9, using: &dice)
                if set < sets.count, !releases.contains(where: { $0.contains("\"set-\(set)\"") }) {
                    fields += sets[set] + ["\"set\":\"set-\(set)\""]
                } else {
                    fields += Self.rollout(using: &dice)
                }
                if Int.random(in: 0..<5, using: &dice) == 0 {
                    fields.append("\"policy\":\(one(Self.policies, using: &dice))")
                }
                if Int.random(in: 0..<5, using: &dice) == 0 {
                    fields.append("\"app\":\"\(one(Self.apps, using: &dice))\"")
                }
                if Int.random(in: 0..<20, using: &dice) == 0 { fields.append("\"later\":1") }
                releases.append("{\(fields.joined(separator: ","))}")
            }
            let gate = Int.random(in: 0..<8, using: &dice) == 0 ? "\"enabled\":false," : ""
            members.append("\"\(package)\":{\(gate)\"releases\":[\(releases.joined(separator: ","))]}")
        }
        text = """
            {"format":2,"app":"shop","channel":"beta","packages":{\(members.joined(separator: ","))},
             "groups":{"testers":{"count":3,"sha256":"\(digest)"}},"poll":{"seconds":900,"jitter":60}}
            """
    }

    private static func rollout(using dice: inout some RandomNumberGenerator) -> [String] {
        var fields: [String] = []
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: fields.append("\"percent\":\(Int.random(in: 0...100, using: &dice))")
        case 1: fields.append("\"share\":\(Int.random(in: 0...10_000, using: &dice))")
        default: break
        }
        let count = Int.random(in: 0..<4, using: &dice)
        guard count < 3, count > 0 else { return fields }
        let audiences = (0..<count).map { _ in
            let chosen = (0..<Int.random(in: 1...2, using: &dice)).map { _ in
                conditions[Int.random(in: 0..<conditions.count, using: &dice)]
            }
            return "[\(chosen.joined(separator: ","))]"
        }
        return fields + ["\"audiences\":[\(audiences.joined(separator: ","))]"]
    }
}

/// What a device may be; nil and empty for what it does not say.
package struct RandomDevice {
    package let id: String
    package let platform: String?
    package let app: String?
    package let system: String?
    package let locale: String?
    package let region: String?
    package let model: String?
    package let isUnmetered: Bool?
    package let tags: [String: String]
    package let groups: Set<String>

    package init(using dice: inout some RandomNumberGenerator) {
        func maybe<Value>(_ values: [Value], using dice: inout some RandomNumberGenerator) -> Value? {
            let index = Int.random(in: 0...values.count, using: &dice)
            return index < values.count ? values[index] : nil
        }
        id = "device-\(UInt32.random(in: .min ... .max, using: &dice))"
        platform = maybe(["ios", "Android", "linux"], using: &dice)
        app = maybe(["1.0", "2.0.0", "2.4 (17)", "3.1"], using: &dice)
        system = maybe(["16.2", "17", "17.4.1"], using: &dice)
        locale = maybe(["de-AT", "fr_FR", "en"], using: &dice)
        region = maybe(["AT", "us"], using: &dice)
        model = maybe(["iPhone14,2", "Pixel 9"], using: &dice)
        isUnmetered = maybe([true, false], using: &dice)
        tags = maybe([["tier": "gold"], ["tier": "silver"]], using: &dice) ?? [:]
        groups = maybe([["testers"]], using: &dice).map { Set($0) } ?? []
    }
}
