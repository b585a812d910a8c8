/// The id of a request's body in its address: the last part of the query, `packtool-body=ID`. It is removed before
/// anything else reads the address, and no server ever sees it.
///
/// The address and not a header, because forms, beacons and `no-cors` requests cannot have headers of their own, and
/// a header would make the browser ask a server for its consent first (Fetch section 3.2.2).
public struct RequestTag: Hashable, Sendable {
    public static let name = "packtool-body"

    /// The address without the tag.
    public let url: String
    public let id: HookID

    /// Nil if the address has no tag.
    public init?(_ text: String) {
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let address = text[..<fragment]
        guard let mark = address.lastIndex(where: { $0 == "?" || $0 == "&" }) else { return nil }
        let last = address[address.index(after: mark)...]
        guard last.hasPrefix(Self.name + "="), let id = HookID(last.dropFirst(Self.name.utf8.count + 1)) else {
            return nil
        }
        url = String(address[..<mark]) + text[fragment...]
        self.id = id
    }

    /// The address with a tag, as the hook writes it.
    static func tagged(_ url: String, _ id: HookID) -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        return "\(url[..<fragment])\(url[..<fragment].contains("?") ? "&" : "?")\(name)=\(id)\(url[fragment...])"
    }

    /// Whether an address has a tag. Cheap, for callers that check often.
    public static func isIn(_ text: String) -> Bool { RequestTag(text) != nil }
}
