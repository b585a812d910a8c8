extension ProposedAction {
    /// How many others must approve it. What only stops something needs no approval, and neither does a stricter rule.
    /// - Parameter required: How many approvals the channel requires.
    package func approvals(required: Int) -> Int {
        switch self {
        case .approvals(let count) where count >= required: 0
        case .setting(.gate(_, isOn: false)): 0
        case .rollout(let request, _) where request.verb == .pause || request.verb == .halt: 0
        case .release, .set, .setting, .rollout, .approvals: required
        }
    }
}
