extension Rollout {
    /// The text for a list: `10 %`, `2.5 % of platform=ios`, `100 %`.
    public var text: String {
        audiences.isEmpty ? share.description : "\(share) of \(audienceText)"
    }

    /// The text for a sentence: `10 % of the devices`, `100 % of the devices with platform=ios`.
    public var devicesText: String {
        "\(share) of the devices" + (audiences.isEmpty ? "" : " with \(audienceText)")
    }

    private var audienceText: String { audiences.map(\.description).joined(separator: ", or with ") }
}
