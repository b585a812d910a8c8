/// A safe name for a file whose name somebody else has chosen: one path component, not hidden, without invisible
/// characters, and without anything that other systems read as more than a name.
package enum DownloadName {
    /// Of most file systems 255, less what tells copies apart.
    private static let maximumByteCount = 200
    private static let other = "download"
    private static let forbidden = Set("<>:\"/\\|?*".unicodeScalars)
    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    package static func safe(_ suggested: String) -> String {
        let last = suggested.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        var name = ""
        for scalar in last.unicodeScalars where isVisible(scalar) {
            name.unicodeScalars.append(forbidden.contains(scalar) ? "_" : scalar)
        }
        name = trimmed(name)
        if name.isEmpty { name = other }
        if devices.contains(stem(of: name).lowercased()) { name = "_" + name }
        return shortened(name)
    }

    /// The name of a copy: `report (2).pdf`.
    package static func copy(_ number: Int, of name: String) -> String {
        guard number > 1 else { return name }
        let (base, ending) = parts(of: name)
        return "\(base) (\(number))\(ending)"
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// A dot at the start hides a file, a dot or a blank at the end is lost on other systems.
    private static func trimmed(_ name: String) -> String {
        var rest = Substring(name).drop { $0 == "." || $0 == " " }
        while let last = rest.last, last == "." || last == " " { rest.removeLast() }
        return String(rest)
    }

    private static func stem(of name: String) -> String { String(name.prefix { $0 != "." }) }

    /// The name and its ending with the dot, where it has a short one.
    private static func parts(of name: String) -> (base: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 16 else {
            return (name, "")
        }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func shortened(_ name: String) -> String {
        var (base, ending) = parts(of: name)
        while base.utf8.count + ending.utf8.count > maximumByteCount, base.count > 1 { base.removeLast() }
        return trimmed(base) + ending
    }
}
