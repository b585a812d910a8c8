package import Foundation
package import PackFormat

/// A change that somebody proposes for a channel.
package struct ChangeProposal: Hashable, Sendable {
    package let channel: ChannelName
    package let action: ProposedAction
    /// For who approves it and for the log; empty for none. One line of 500 bytes at most.
    package let reason: String
    /// When it is to be made; nil: as soon as it is approved.
    package let time: Date?
    /// From when on it is not made any more; nil: seven days after it is proposed, or after its time.
    package let expires: Date?
    /// Makes a way back at once, without the approvals that the channel requires. It needs a reason.
    package let isEmergency: Bool

    package init(
        _ action: ProposedAction, on channel: ChannelName, reason: String = "", at time: Date? = nil,
        expires: Date? = nil, isEmergency: Bool = false
    ) {
        self.channel = channel
        self.action = action
        self.reason = reason
        self.time = time
        self.expires = expires
        self.isEmergency = isEmergency
    }
}

/// What somebody says of a proposed change.
package enum ChangeVote: Hashable, Sendable {
    case approve
    /// Nobody can approve it any more.
    case reject(reason: String)
}
