import PackRegistryAPI

extension S3Bucket {
    /// An object in a list.
    struct Listed: Hashable, Sendable {
        /// Below the prefix of the store.
        let name: String
        let size: Int
    }

    /// Up to a thousand objects, and how to go on.
    struct Page: Sendable {
        let objects: [Listed]
        /// Nil at the end.
        let next: String?
    }

    /// Lists objects whose names begin so, in the order of their names (Amazon S3 API Reference, "ListObjectsV2").
    /// - Parameter token: of the page before; nil for the first one.
    func list(_ start: String, after token: String? = nil) async throws -> Page {
        var request = S3Request(method: "GET", key: nil)
        request.query = [
            ("list-type", "2"), ("prefix", client.location.key(start)), ("max-keys", "1000"), ("encoding-type", "url"),
        ]
        if let token { request.query.append(("continuation-token", token)) }
        request.maximumByteCount = 8 << 20
        request.isFaulty = { answer in
            guard answer.status == 200, (try? S3Element(parsing: answer.body))?.name != "ListBucketResult" else {
                return nil
            }
            return HTTPFailure(description: "the answer is no list of objects")
        }
        let answer = try await client.send(request, expecting: [200])
        guard let list = try? S3Element(parsing: answer.body) else { throw unusable("gives no list of its objects") }
        let isEncoded = list["EncodingType"] == "url"
        let prefix = client.location.key("")
        var objects: [Listed] = []
        for entry in list.children where entry.name == "Contents" {
            guard let text = entry["Key"], let key = isEncoded ? S3Encoding.decoded(text) : text,
                let size = entry["Size"].flatMap({ Int($0) }), key.hasPrefix(prefix)
            else { throw unusable("has an object in its list that cannot be read") }
            objects.append(Listed(name: String(key.dropFirst(prefix.count)), size: size))
        }
        guard list["IsTruncated"] == "true" else { return Page(objects: objects, next: nil) }
        guard let next = list["NextContinuationToken"], !next.isEmpty, next != token else {
            throw unusable("does not tell how its list goes on")
        }
        return Page(objects: objects, next: next)
    }
}
