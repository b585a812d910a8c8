import PackRegistryAPI
import PackRegistrySQL

/// The values of a statement's parameters as libpq reads them: text, of which the server knows the type by its place, and bytes
/// as they are.
struct PostgresParameters {
    private typealias Place = (offset: Int, length: Int, isBinary: Bool)

    /// All values one after the other; texts with a zero byte at their end.
    private var storage: [UInt8] = []
    private var places: [Place?] = []

    /// - Throws: ``RegistryError`` of the kind `.invalid` for a text with a zero character, which PostgreSQL cannot store.
    init(_ values: [SQLValue]) throws(RegistryError) {
        for value in values {
            switch value {
            case .null: places.append(nil)
            case .integer(let number): try append(String(number))
            case .text(let text): try append(text)
            case .bytes(let bytes):
                places.append((storage.count, bytes.count, true))
                storage += bytes
            case .time(let date): try append(StoredTime.text(date) + "+00")
            }
        }
    }

    private mutating func append(_ text: String) throws(RegistryError) {
        let start = storage.count
        storage += text.utf8
        guard !storage[start...].contains(0) else {
            throw RegistryError(.invalid, "a text with a zero character cannot be stored: take it out")
        }
        places.append((start, storage.count - start, false))
        storage.append(0)
    }

    var count: Int { places.count }

    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>?
    typealias Numbers = UnsafePointer<Int32>?

    func withPointers<Value>(_ body: (Texts, Numbers, Numbers) -> Value) -> Value {
        // One byte more, so that there is an address even where nothing is stored.
        (storage + [0]).withUnsafeBytes { bytes in
            let pointers = places.map { place in
                place.flatMap { bytes.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = places.map { Int32($0?.length ?? 0) }
            let formats = places.map { Int32($0?.isBinary == true ? 1 : 0) }
            return body(pointers, lengths, formats)
        }
    }
}
