package import PackJSON

extension ChannelPoll {
    package var json: JSONObject { ["seconds": .integer(seconds), "jitter": .integer(jitter)] }

    /// Other fields are ignored, and what is out of range is brought into it: a check more or less gives no device anything that
    /// it should not have.
    package init(json: JSONObject) throws {
        let seconds = min(max(try json.integer("seconds"), Self.range.lowerBound), Self.range.upperBound)
        let jitter = try json["jitter"].map { min(max(try $0.integer("jitter"), 0), Self.range.upperBound) }
        try self.init(seconds: seconds, jitter: jitter)
    }
}
