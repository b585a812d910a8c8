import PackFormat
package import PackJSON

extension TokenScope {
    /// Parses `{"actions": […], "packages": […], "channels": […]}`; a missing list admits all.
    package init(json: JSONValue) throws {
        let object = try json.object("scope")
        try object.refuseKeys(outside: ["actions", "packages", "channels"])
        let actions = try object.array("actions").map { value -> TokenAction in
            let text = try value.string("actions")
            guard let action = TokenAction(rawValue: text) else {
                throw JSONError.unexpected(
                    field: "actions", wanted: TokenAction.allCases.map(\.rawValue).joined(separator: ", "), found: text)
            }
            return action
        }
        try self.init(
            actions: Set(actions),
            packages: object["packages"].map {
                try Set($0.array("packages").map { try PackageID($0.string("packages")) })
            },
            channels: object["channels"].map {
                try Set($0.array("channels").map { try ChannelName($0.string("channels")) })
            })
    }

    package var json: JSONValue {
        var object: JSONObject = ["actions": .array(actions.map(\.rawValue).sorted().map { .string($0) })]
        object["packages"] = packages.map { .array($0.sorted().map { .string($0.text) }) }
        object["channels"] = channels.map { .array($0.sorted().map { .string($0.text) }) }
        return .object(object)
    }
}
