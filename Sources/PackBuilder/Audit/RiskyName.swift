import PackFormat

/// File names that a package can hold and that cause trouble, for people who read them or for other systems.
enum RiskyName {
    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// Why a name is risky; nil for a plain one.
    static func reason(_ path: PackagePath) -> String? {
        for component in path.components {
            if component.utf8.allSatisfy({ $0 < 0x80 }) {
                if let reason = plainReason(component) { return reason }
                continue
            }
            for scalar in component.unicodeScalars {
                switch scalar.value {
                case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C:
                    return "it contains a character that changes the direction of text (\(name(of: scalar)))"
                case 0x200B...0x200D, 0x2060...0x2064, 0xFEFF, 0x00AD, 0x180E:
                    return "it contains an invisible character (\(name(of: scalar)))"
                default: break
                }
            }
            if let reason = plainReason(component) { return reason }
        }
        return nil
    }

    static func finding(_ path: PackagePath, package: PackageID, folder: String) -> Finding? {
        reason(path).map { reason in
            Finding(
                .warning, .riskyName, package: package, file: "\(folder)/\(path)",
                "the name of \"\(path)\" is risky: \(reason); rename the file")
        }
    }

    private static func plainReason(_ component: Substring) -> String? {
        if component.utf8.last == UInt8(ascii: ".") { return "it ends with a dot, which Windows drops" }
        if component.utf8.last == UInt8(ascii: " ") { return "it ends with a space, which Windows drops" }
        let stem = component.prefix { $0 != "." }.lowercased()
        return devices.contains(stem) ? "\"\(stem)\" is a device on Windows" : nil
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    }
}
