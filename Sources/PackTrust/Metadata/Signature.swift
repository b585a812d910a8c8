import PackJSON

/// One entry of a document's `signatures` (§4.2).
public struct Signature: Sendable, Equatable {
    public let keyID: String
    /// In hexadecimal, as it stands in the document. It may be empty where a key holder has not signed yet.
    public let hex: String
    private var extra = JSONObject()

    /// A signature by a key over a document's canonical bytes.
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
