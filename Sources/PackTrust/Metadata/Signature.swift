import PackJSON

/// One entry of a document's `signatures` (§4.2).
public struct Signature: Sendable, Equatable {
    public let keyID: String
    /// The signature in hexadecimal, as in the document. It may be empty if a key holder has not signed yet.
    public let hex: String
    private var extra = JSONObject()

    /// A key's signature over a document's canonical bytes.
    public init(keyID: String, bytes: [UInt8]) {
        self.keyID = keyID
        hex = bytes.hexadecimal
    }

    init(reading object: JSONObject) throws {
        keyID = try object.string("keyid")
        hex = try object.string("sig")
        extra = object.unknown(besides: "keyid", "sig")
    }

    var json: JSONObject {
        var object = extra
        object["keyid"] = .string(keyID)
        object["sig"] = .string(hex)
        return object
    }
}
