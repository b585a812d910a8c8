import PackJSON

extension PublishOutcome {
    package var wireName: String {
        switch self {
        case .published: "published"
        case .unchanged: "unchanged"
        }
    }

    package init(wireName: String) throws {
        switch wireName {
        case "published": self = .published
        case "unchanged": self = .unchanged
        default: throw JSONError.unexpected(field: "outcome", wanted: "an outcome", found: "\"\(wireName)\"")
        }
    }
}
