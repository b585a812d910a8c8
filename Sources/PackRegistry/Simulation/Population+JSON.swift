import PackFormat
import PackJSON
package import PackRegistryAPI

extension Population {
    package static let maximumByteCount = 1 << 20
    private static let fields = [
        "$schema", "devices", "seed", "platforms", "appVersions", "osVersions", "locales", "regions", "models",
        "networks",
        "tags", "versions", "checkIntervals",
    ]

    /// Reads `docs/schema/population.schema.json`.
    /// - Throws: ``RegistryError`` of the kind `.invalid` that says where the mistake is.
    package init(parsing bytes: [UInt8]) throws(RegistryError) {
        func invalid(_ place: String, _ reason: String) -> RegistryError {
            RegistryError(.invalid, "the population is not valid: \(place): \(reason)")
        }
        guard bytes.count <= Self.maximumByteCount else {
            throw invalid("the file", "it is larger than \(Self.maximumByteCount >> 10) KiB")
        }
        do {
            let json = try JSONValue(parsing: bytes).object("population")
            if let unknown = json.members.first(where: { !Self.fields.contains($0.key) }) {
                throw invalid(
                    unknown.key, "the key is not known (there are: \(Self.fields.dropFirst().joined(separator: ", ")))")
            }
            let devices = try json.integer("devices")
            guard (1...Self.maximumDeviceCount).contains(devices) else {
                throw invalid("devices", "it must be 1 to \(Self.maximumDeviceCount)")
            }
            self.init(deviceCount: devices)
            if let seed = json["seed"] { self.seed = UInt64(bitPattern: Int64(try seed.integer("seed"))) }
            func weights<Value>(
                _ value: JSONValue?, _ place: String, _ parse: (String) throws -> Value
            ) throws -> Weighted<Value> {
                guard let value else { return Weighted() }
                let members = try value.object(place).members
                guard (1...1_000).contains(members.count) else {
                    throw invalid(place, "it must have 1 to 1,000 values")
                }
                var weights: [(value: Value?, weight: Double)] = []
                for member in members {
                    let weight = Double(try member.value.integer("\(place).\(member.key)"))
                    guard weight >= 0 else {
                        throw invalid("\(place).\(member.key)", "a weight is 0 or more")
                    }
                    do {
                        weights.append((member.key == "none" ? nil : try parse(member.key), weight))
                    } catch {
                        throw invalid("\(place).\(member.key)", "\(error)")
                    }
                }
                guard weights.contains(where: { $0.weight > 0 }) else {
                    throw invalid(place, "the weights are all 0")
                }
                return Weighted(weights)
            }
            platforms = try weights(json["platforms"], "platforms") { $0 }
            appVersions = try weights(json["appVersions"], "appVersions") { try AppVersion($0) }
            osVersions = try weights(json["osVersions"], "osVersions") { try AppVersion($0) }
            locales = try weights(json["locales"], "locales") { $0 }
            regions = try weights(json["regions"], "regions") { $0 }
            models = try weights(json["models"], "models") { $0 }
            networks = try weights(json["networks"], "networks") { text in
                guard let kind = NetworkKind(rawValue: text) else {
                    throw invalid("networks.\(text)", "a network is unmetered or metered")
                }
                return kind
            }
            checkIntervals = try weights(json["checkIntervals"], "checkIntervals") { try Self.seconds($0) }
            if let value = json["tags"] {
                tags = try value.object("tags").members.map { tag in
                    (tag.key, try weights(tag.value, "tags.\(tag.key)") { $0 })
                }
            }
            if let value = json["versions"] {
                versions = try value.object("versions").members.map { package in
                    let values = try weights(package.value, "versions.\(package.key)") { try SemanticVersion($0) }
                    return (try PackageID(package.key), values)
                }
            }
        } catch let error as RegistryError {
            throw error
        } catch {
            throw invalid("the file", "\(error)")
        }
    }

    /// `90s`, `15m`, `12h`, `7d`.
    package static func seconds(_ text: String) throws(RegistryError) -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()), number > 0,
            number * unit <= 366 * 86_400
        else {
            throw RegistryError(
                .invalid, "\"\(text)\" is not a time: use a number with s, m, h or d, such as 12h, of a year at most")
        }
        return number * unit
    }
}
