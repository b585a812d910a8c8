/// Why an archive was refused or could not be written: the fault, the file, and the entry if there is one.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the archive, or of the file to be packed.
    package let file: String
    /// The name of the entry with the fault.
    package let entry: String?
    package let fault: ArchiveFault

    package init(_ fault: ArchiveFault, file: String, entry: String? = nil) {
        self.fault = fault
        self.file = file
        self.entry = entry
    }

    package var description: String {
        let place = entry.map { "\(file): \"\(Self.printable($0))\"" } ?? file
        return "\(place): \(fault)"
    }

    /// The name with control characters escaped: a hostile name must not write to a terminal.
    private static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
