import Foundation
import PackWeb

extension HookMessage {
    static let version = 1
    /// Bytes of a message's text: a chunk of 192 KB in base64, and room for a form's list of parts.
    static let maximumLength = 1 << 20
    static let maximumPartCount = 10_000
    static let maximumHeaderCount = 200

    /// - Throws: ``HookFault`` and nothing else.
    init(parsing text: String) throws {
        guard text.utf8.count <= Self.maximumLength else {
            throw HookFault(.tooLarge, "a message has \(text.utf8.count) bytes, at most \(Self.maximumLength) are read")
        }
        do {
            self = try JSONDecoder().decode(Parsed.self, from: Data(text.utf8)).message
        } catch let fault as HookFault {
            throw fault
        } catch let WebError.invalidRules(reason) {
            throw HookFault(.invalid, reason)
        } catch {
            throw HookFault(.invalid, "it is not a message of the page hook")
        }
    }
}

/// A message as it is parsed, by its `type`.
private struct Parsed: Decodable {
    let message: HookMessage

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: StrictKey.self)
        func refuse(outside names: Set<String>) throws { try fields.refuseKeys(outside: names.union(["v", "type"])) }
        func text(_ name: String) throws -> String { try fields.decode(String.self, forKey: StrictKey(name)) }
        func id() throws -> HookID {
            guard let id = HookID(try text("id")) else { throw HookFault(.invalid, "the id has not the form of one") }
            return id
        }
        guard try fields.decode(Int.self, forKey: StrictKey("v")) == HookMessage.version else {
            throw HookFault(.version, "this app reads version \(HookMessage.version) of the page hook's messages")
        }
        switch try text("type") {
        case "body":
            try refuse(outside: ["id", "purpose", "body"])
            let purpose = try fields.decode(HookMessage.Purpose.self, forKey: StrictKey("purpose"))
            message = try .body(id(), purpose, fields.decode(ParsedBody.self, forKey: StrictKey("body")).body)
        case "chunk":
            try refuse(outside: ["id", "number", "data"])
            let number = try fields.decode(Int.self, forKey: StrictKey("number"))
            message = try .chunk(id(), number: number, fields.decode(Data.self, forKey: StrictKey("data")))
        case "request":
            let names: Set = ["method", "url", "headers", "mode", "credentials", "redirect", "referrer"]
            try refuse(outside: names.union(["id", "body", "unread", "keepalive"]))
            let body = try fields.decodeIfPresent(ParsedBody.self, forKey: StrictKey("body"))?.body
            message = try .request(id(), HookMessage.Request(fields), body)
        case "read":
            try refuse(outside: ["id"])
            message = try .read(id())
        case "cancel":
            try refuse(outside: ["id"])
            message = try .cancel(id())
        case "leave":
            try refuse(outside: ["nonce"])
            let nonce = try text("nonce")
            guard HookID.isNonce(nonce) else { throw HookFault(.invalid, "the nonce has not the form of one") }
            message = .leave(nonce: nonce)
        case "cookies":
            try refuse(outside: [])
            message = .cookies
        case "setCookie":
            try refuse(outside: ["cookie"])
            message = try .setCookie(text("cookie"))
        case "confirm":
            try refuse(outside: ["package", "version", "token"])
            message = try .confirm(package: text("package"), version: text("version"), token: text("token"))
        default:
            throw HookFault(.invalid, "the type of the message is not known")
        }
    }
}

private struct ParsedBody: Decodable {
    let body: HookMessage.Body

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: StrictKey.self)
        try fields.refuseKeys(outside: ["kind", "size", "parts", "data"])
        let size = try fields.decode(Int.self, forKey: StrictKey("size"))
        let data = try fields.decodeIfPresent(Data.self, forKey: StrictKey("data"))
        guard size >= 0, data.map({ $0.count == size }) ?? true else {
            throw HookFault(.invalid, "the body's size is not what it says")
        }
        let kind: CapturedBody.Kind
        switch try fields.decode(String.self, forKey: StrictKey("kind")) {
        case "bytes":
            kind = .bytes
        case "form":
            let parts = try fields.decode([ParsedPart].self, forKey: StrictKey("parts")).map(\.part)
            guard parts.count <= HookMessage.maximumPartCount else {
                throw HookFault(.tooLarge, "the form has more than \(HookMessage.maximumPartCount) entries")
            }
            var sum = 0
            for part in parts {
                let (next, overflow) = sum.addingReportingOverflow(part.size)
                guard !overflow else { throw HookFault(.tooLarge, "the form's sizes are out of range") }
                sum = next
            }
            guard sum == size else { throw HookFault(.invalid, "the form's parts are not as large as the form") }
            kind = .form(parts)
        default:
            throw HookFault(.invalid, "the kind of the body is not known")
        }
        body = HookMessage.Body(body: CapturedBody(kind: kind, size: size), data: data)
    }
}

private struct ParsedPart: Decodable {
    let part: CapturedBody.Part

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: StrictKey.self)
        try fields.refuseKeys(outside: ["name", "size", "filename", "type"])
        let size = try fields.decode(Int.self, forKey: StrictKey("size"))
        let type = try fields.decodeIfPresent(String.self, forKey: StrictKey("type"))
        // A line end in a type would write header lines of its own.
        guard size >= 0, type.map({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) ?? true else {
            throw HookFault(.invalid, "an entry of the form is not valid")
        }
        part = CapturedBody.Part(
            name: try fields.decode(String.self, forKey: StrictKey("name")), size: size,
            filename: try fields.decodeIfPresent(String.self, forKey: StrictKey("filename")), type: type)
    }
}

extension HookMessage.Request {
    fileprivate init(_ fields: KeyedDecodingContainer<StrictKey>) throws {
        method = try fields.decode(String.self, forKey: StrictKey("method"))
        guard Self.isToken(method), !["CONNECT", "TRACE", "TRACK"].contains(method.uppercased()) else {
            throw HookFault(.invalid, "the method cannot be sent")
        }
        let address = try fields.decode(String.self, forKey: StrictKey("url"))
        guard let url = SentAddress.url(address), url.scheme != nil, url.host() != nil else {
            throw HookFault(.invalid, "the address cannot be read")
        }
        self.url = url
        self.address = address
        let pairs = try fields.decode([[String]].self, forKey: StrictKey("headers"))
        guard pairs.count <= HookMessage.maximumHeaderCount else {
            throw HookFault(.tooLarge, "the request has more than \(HookMessage.maximumHeaderCount) headers")
        }
        headers = try pairs.map { pair in
            guard pair.count == 2, Self.isToken(pair[0]), !pair[1].utf8.contains(where: { $0 < 0x20 && $0 != 9 }) else {
                throw HookFault(.invalid, "a header cannot be sent")
            }
            return (pair[0].lowercased(), pair[1])
        }
        mode = try fields.decode(Mode.self, forKey: StrictKey("mode"))
        credentials = try fields.decode(Credentials.self, forKey: StrictKey("credentials"))
        redirect = try fields.decode(Redirect.self, forKey: StrictKey("redirect"))
        referrer = try fields.decode(String.self, forKey: StrictKey("referrer"))
        isUnread = try fields.decodeIfPresent(Bool.self, forKey: StrictKey("unread")) ?? false
        isKeptAlive = try fields.decodeIfPresent(Bool.self, forKey: StrictKey("keepalive")) ?? false
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
