/// Finds the URLs in a page: attributes of tags, style attributes and style elements. It skips comments, scripts and
/// text, as a browser does (HTML, section 13.2.5).
struct HTMLScanner {
    private struct Attribute {
        let name: String
        let value: String
        let offset: Int
        let range: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private var lines: LineCounter
    private var found: [Reference] = []
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        lines = LineCounter(bytes)
    }

    mutating func references() -> [Reference] {
        while let start = next(UInt8(ascii: "<"), from: position) {
            position = start + 1
            guard position < bytes.count else { break }
            if ASCIIText.follows("!--", in: bytes, at: position, end: bytes.count) {
                position = after("-->", from: position + 3)
            } else if bytes[position] == UInt8(ascii: "!") || bytes[position] == UInt8(ascii: "?")
                || bytes[position] == UInt8(ascii: "/")
            {
                position = next(UInt8(ascii: ">"), from: position).map { $0 + 1 } ?? bytes.count
            } else if ASCIIText.isLetter(bytes[position]) {
                tag()
            }
        }
        return found
    }

    private mutating func tag() {
        let name = word { !ASCIIText.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }.lowercased()
        var attributes: [Attribute] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            if ASCIIText.isBlank(bytes[position]) || bytes[position] == UInt8(ascii: "/") {
                position += 1
            } else {
                attributes.append(attribute())
            }
        }
        position += 1
        collect(name, attributes)
        switch name {
        case "script", "textarea", "title", "xmp", "noembed", "noframes": skipText(of: name)
        case "style":
            let start = min(position, bytes.count)
            skipText(of: name)
            scanStyle(start..<min(position, bytes.count))
        default: break
        }
    }

    private mutating func attribute() -> Attribute {
        let start = position
        // A stray = starts a name, so that every turn moves on.
        position += 1
        let rest = word {
            !ASCIIText.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "=")
        }
        let name = (String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 1]), as: UTF8.self) + rest)
            .lowercased()
        skipBlank()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            return Attribute(name: name, value: "", offset: start, range: start..<start)
        }
        position += 1
        skipBlank()
        let valueStart: Int
        let valueEnd: Int
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") {
            valueStart = position + 1
            valueEnd = next(bytes[position], from: valueStart) ?? bytes.count
            position = min(valueEnd + 1, bytes.count)
        } else {
            valueStart = position
            _ = word { !ASCIIText.isBlank($0) && $0 != UInt8(ascii: ">") }
            valueEnd = position
        }
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[valueStart..<valueEnd]), as: UTF8.self)
        return Attribute(
            name: name, value: HTMLEntities.decode(text), offset: valueStart, range: valueStart..<valueEnd)
    }

    // MARK: What a tag refers to

    private mutating func collect(_ tag: String, _ attributes: [Attribute]) {
        let relations = attributes.first { $0.name == "rel" }?.value.lowercased().split(separator: " ") ?? []
        for attribute in attributes {
            switch (tag, attribute.name) {
            case ("base", "href"): add(attribute, .base)
            case ("a", "href"), ("area", "href"), ("a", "xlink:href"): add(attribute, .link)
            case ("link", "href"):
                let isLoaded = relations.contains { Self.loadedRelations.contains(String($0)) }
                let isStyle = relations.contains("stylesheet") && !relations.contains("alternate")
                if isLoaded { add(attribute, isStyle ? .code : .resource) }
            case ("script", "src"): add(attribute, .code)
            case ("image", "href"), ("use", "href"), (_, "xlink:href"), (_, "src"), ("video", "poster"),
                ("object", "data"), ("html", "manifest"), ("body", "background"):
                add(attribute, .resource)
            case (_, "srcset"), (_, "imagesrcset"): addCandidates(attribute)
            case (_, "style"): scanStyle(attribute.range)
            default: break
            }
        }
    }

    /// Relations whose target the browser fetches by itself.
    private static let loadedRelations: Set<String> = [
        "stylesheet", "icon", "shortcut", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest",
        "preload", "modulepreload", "prefetch", "apple-touch-startup-image",
    ]

    private mutating func add(_ attribute: Attribute, _ use: Reference.Use) {
        let url = attribute.value.filter { $0 != "\n" && $0 != "\t" && $0 != "\r" && $0 != "\r\n" }
        add(String(url), use, at: attribute.offset)
    }

    private mutating func add(_ url: String, _ use: Reference.Use, at offset: Int) {
        let bare = url.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        guard !bare.isEmpty else { return }
        found.append(Reference(url: String(bare), use: use, line: lines.line(at: offset)))
    }

    /// `a.png 1x, b.png 2x`: a URL runs to white space, and commas at its end are not of it.
    private mutating func addCandidates(_ attribute: Attribute) {
        var rest = Substring(attribute.value)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard !rest.isEmpty else { return }
            let url = rest.prefix { !$0.isWhitespace }
            rest = rest[url.endIndex...]
            let bare = url.reversed().drop { $0 == "," }.reversed()
            add(String(bare), .resource, at: attribute.offset)
            if bare.count == url.count { rest = rest.drop { $0 != "," } }
        }
    }

    private mutating func scanStyle(_ range: Range<Int>) {
        var scanner = CSSScanner(bytes, lines: lines)
        scanner.scan(range)
        found += scanner.references.map { Reference(url: HTMLEntities.decode($0.url), use: $0.use, line: $0.line) }
    }

    // MARK: Bytes

    private mutating func skipText(of tag: String) {
        while let start = next(UInt8(ascii: "<"), from: position) {
            position = start + 1
            guard position < bytes.count else { return }
            guard bytes[position] == UInt8(ascii: "/") else { continue }
            let name = UnsafeRawBufferPointer(rebasing: bytes[(position + 1)...].prefix(tag.utf8.count))
            if name.map({ ASCIIText.isLetter($0) ? $0 | 0x20 : $0 }).elementsEqual(tag.utf8) {
                position = start
                return
            }
        }
        position = bytes.count
    }

    private mutating func word(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    private mutating func skipBlank() {
        while position < bytes.count, ASCIIText.isBlank(bytes[position]) { position += 1 }
    }

    private func next(_ byte: UInt8, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return bytes[start...].firstIndex(of: byte)
    }

    private func after(_ word: StaticString, from start: Int) -> Int {
        var position = start
        while position < bytes.count {
            if ASCIIText.follows(word, in: bytes, at: position, end: bytes.count) {
                return position + word.utf8CodeUnitCount
            }
            position += 1
        }
        return bytes.count
    }
}

/// Character references, as they occur in URLs.
enum HTMLEntities {
    private static let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]

    static func decode(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...].dropFirst()
            guard let end = rest.prefix(12).firstIndex(of: ";"), let character = character(rest[..<end]) else {
                result += "&"
                continue
            }
            result += character
            rest = rest[end...].dropFirst()
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.first == "#" else { return named[String(name)] }
        let digits = name.dropFirst()
        let value =
            digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
