/// Moves the references of a page to a custom scheme: for web views that can neither be given a proxy nor a virtual domain.
///
///     let rewriter = HTMLRewriter(base: "https://shop.package/") { url in
///         url.hasPrefix("https://shop.package/") ? "h5pack://shop/" + url.dropFirst(21) : nil
///     }
///     let html = rewriter.rewrite(html)
///
/// The text is cut into tags by the tokenizer's rules of the HTML standard, so comments, scripts and texts stay as they are. What
/// the page loads is rewritten: `src`, `srcset`, `href` of links and images, `poster`, `data`, `style`, style sheets, `<base>`.
/// What leads elsewhere is not: `<a>`, forms that send a body. Prefer one of the three ways in, which change no page.
public struct HTMLRewriter: Sendable {
    private let base: String
    private let map: @Sendable (String) -> String?

    /// - Parameters:
    ///   - base: the page's URL: relative references follow the page by themselves and are left as they are.
    ///   - map: the new URL of an absolute one; nil leaves it.
    public init(base: String, map: @escaping @Sendable (String) -> String?) {
        self.base = base
        self.map = map
    }

    public func rewrite(_ html: String) -> String {
        var output: [UInt8] = []
        var tokenizer = HTMLTokenizer(Array(html.utf8))
        while let token = tokenizer.next() {
            switch token {
            case .text(let bytes): output += bytes
            case .style(let bytes): output += css(bytes)
            case .tag(var tag):
                rewrite(&tag)
                output += tag.bytes
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func rewrite(_ tag: inout HTMLTokenizer.Tag) {
        guard !tag.isEnd else { return }
        let method = tag.attributes.first { $0.name == "method" }?.value.lowercased() ?? "get"
        for index in tag.attributes.indices {
            let attribute = tag.attributes[index]
            let value = attribute.value
            let new: String?
            switch (tag.name, attribute.name) {
            case ("a", "href"), ("area", "href"): new = nil
            case (_, "src"), ("link", "href"), ("image", "href"), ("use", "href"), ("base", "href"), (_, "poster"),
                ("object", "data"), (_, "xlink:href"):
                new = url(value)
            case ("form", "action") where method == "get": new = url(value)
            case (_, "srcset"), (_, "imagesrcset"): new = sourceSet(value)
            case (_, "style"): new = String(decoding: css(Array(value.utf8)), as: UTF8.self)
            default: new = nil
            }
            if let new, new != value { tag.attributes[index].replace(new) }
        }
    }

    private func url(_ text: String) -> String? {
        let trimmed = String(text.drop { " \t\n\r".contains($0) })
        let kept = String(trimmed.prefix { !" \t\n\r".contains($0) })
        if kept.hasPrefix("//"), let colon = base.firstIndex(of: ":") { return map(base[..<colon] + ":" + kept) }
        guard let colon = kept.firstIndex(of: ":"), kept[..<colon].allSatisfy({ $0.isASCII && $0.isLetter }) else {
            return nil
        }
        return map(kept)
    }

    /// `URL 2x, URL 300w`: a comma ends a candidate only after the URL.
    private func sourceSet(_ text: String) -> String {
        text.split(separator: ",", omittingEmptySubsequences: false).map { candidate in
            let leading = candidate.prefix { $0.isWhitespace }
            let rest = candidate.dropFirst(leading.count)
            let address = rest.prefix { !$0.isWhitespace }
            return leading + (url(String(address)) ?? String(address)) + rest.dropFirst(address.count)
        }.joined(separator: ",")
    }

    /// `url(…)` and `@import "…"`, outside of comments.
    private func css(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        func starts(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard index + count <= bytes.count else { return false }
            return text.withUTF8Buffer { expected in
                (0..<count).allSatisfy { Self.lowerCase(bytes[index + $0]) == expected[$0] }
            }
        }
        func take(_ count: Int) {
            output += bytes[index..<min(bytes.count, index + count)]
            index = min(bytes.count, index + count)
        }
        while index < bytes.count {
            if starts("/*") {
                while index < bytes.count, !starts("*/") { take(1) }
                take(2)
                continue
            }
            let isImport = starts("@import")
            guard isImport || starts("url(") else {
                take(1)
                continue
            }
            take(isImport ? 7 : 4)
            while index < bytes.count, " \t\n\r".utf8.contains(bytes[index]) { take(1) }
            guard index < bytes.count else { break }
            let quote = bytes[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") { take(1) } else if isImport { continue }
            let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            let start = index
            while index < bytes.count, isQuoted ? bytes[index] != quote : !") \t\n\r".utf8.contains(bytes[index]) {
                index += 1
            }
            let address = String(decoding: bytes[start..<index], as: UTF8.self)
            output += Array((url(address) ?? address).utf8)
        }
        return output
    }

    /// Of a letter; every other byte is itself.
    private static func lowerCase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
