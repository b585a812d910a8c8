package import PackFormat

/// How people are told that a channel requires approvals.
package enum ApprovalWords {
    /// Such as `stable requires 1 approval of a change`.
    package static func required(_ count: Int, on channel: ChannelName) -> String {
        "\(channel) requires \(CountText.text(count, "approval")) of a change"
    }

    /// What somebody does whose change needs approval.
    package static let proposing = "propose it with --propose, and somebody else approves it (packtool changes)"
}
