import PackFormat
import PackRegistryAPI

/// What a change of a share means, in words for people and for the audit log.
enum RolloutEffect {
    /// Such as `10 % of the devices with platform=ios in place of 1 %: about 18,000 more of 200,000`.
    /// - Parameter audiences: of the release; a share is one of these devices.
    static func text(
        from before: Share, to after: Share, of audiences: [Audience], _ plan: RolloutPlan?
    ) -> String {
        let devicesText = Rollout(share: after, audiences: audiences).devicesText
        guard before != after else {
            // Who stops a rollout wants to know how many have it.
            let count = plan.flatMap { plan in
                plan.deviceCount(after).map {
                    ": about \(CountText.number($0)) of \(CountText.number(plan.devices ?? 0))"
                }
            }
            return "\(devicesText), as before\(count ?? "")"
        }
        let shares = "\(devicesText) in place of \(before)"
        guard let plan, let devices = plan.devices, let old = plan.deviceCount(before),
            let new = plan.deviceCount(after)
        else { return shares }
        guard new != old else {
            return "\(shares): about \(CountText.number(new)) of \(CountText.number(devices)), as before"
        }
        return "\(shares): about \(CountText.number(abs(new - old))) \(new > old ? "more" : "fewer") "
            + "of \(CountText.number(devices))"
    }
}
