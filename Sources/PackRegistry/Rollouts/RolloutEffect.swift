import PackFormat
import PackRegistryAPI

/// What a change of a share means, in words for people and for the audit log.
enum RolloutEffect {
    /// Such as `10 % in place of 1 % of the devices: about 18,000 more of 200,000`.
    static func text(from before: Share, to after: Share, _ plan: RolloutPlan?) -> String {
        guard before != after else {
            // Who stops a rollout wants to know how many have it.
            let count = plan.flatMap { plan in
                plan.deviceCount(after).map {
                    ": about \(CountText.number($0)) of \(CountText.number(plan.devices ?? 0))"
                }
            }
            return "\(after) of the devices, as before\(count ?? "")"
        }
        let shares = "\(after) of the devices in place of \(before)"
        guard let plan, let devices = plan.devices, let old = plan.deviceCount(before),
            let new = plan.deviceCount(after)
        else { return shares }
        return "\(shares): about \(CountText.number(abs(new - old))) \(new > old ? "more" : "fewer") "
            + "of \(CountText.number(devices))"
    }
}
