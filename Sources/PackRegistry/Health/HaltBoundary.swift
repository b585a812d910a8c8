import Foundation

/// How many standard errors a difference must be above what is tolerated before a gate halts.
///
/// A gate looks again and again, and each look is a chance to halt a sound release. So the chance of 1 % is spent over the
/// number of devices and not over looks: half of it until ``plannedDevices``, in proportion to the devices, and half afterwards.
/// For a random walk that is looked at all the time, the chance to cross a boundary z between n and n·(1 + d) devices is
/// φ(z)·(z − 1/z)/2·d (D. Siegmund, "Sequential Analysis", 1985, chapter 4), and z is chosen so that this is what may be spent.
/// So it does not matter how often a gate looks. `GateSimulationTests` measures what comes of it.
package enum HaltBoundary {
    /// A release that is worse by 3 % should be found by then.
    package static let plannedDevices = 2_000
    /// The chance that is spent in each half.
    private static let chance = 0.004

    package static func z(devices: Int) -> Double {
        let part = Double(max(1, devices)) / Double(plannedDevices)
        let rate = part <= 1 ? chance * part : chance / pow(1 + log(part), 2)
        var (low, high) = (1.5, 9.0)
        // The rate falls with z in this range. 40 halvings are exact to 10⁻¹¹.
        for _ in 0..<40 {
            let middle = (low + high) / 2
            let density = exp(-middle * middle / 2) / (2 * Double.pi).squareRoot()
            if density * (middle - 1 / middle) / 2 > rate { low = middle } else { high = middle }
        }
        return high
    }
}
