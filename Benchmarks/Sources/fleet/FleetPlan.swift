import Foundation

/// What is assumed of a fleet, and what was measured of the program: scripts/bench-fleet.py writes it.
struct FleetPlan: Decodable {
    /// One request of a device.
    struct Request: Decodable {
        enum Caching: String, Decodable {
            /// Kept for ever under its name.
            case immutable
            /// The one pointer: asked for each time, or kept for some seconds.
            case pointer
            /// Answered by the origin only.
            case never
        }

        let path: String
        let caching: Caching
        /// Whether each publication has another file of this name.
        var isOfPublication: Bool? = nil
        /// What tells the file apart from others of this path; nil where there is one only.
        var name: String? = nil
        /// Number of files; `up` and `down` are for all together.
        var count: Int? = nil
        /// Bytes with all heads, of all `count` together.
        let up: Double
        let down: Double
    }

    /// What a channel offers from a minute on.
    struct Publication: Decodable {
        struct Offer: Decodable {
            let release: String
            let version: String
            /// In percent.
            let share: Int
        }

        let minute: Int
        let offers: [Offer]
    }

    struct Base: Decodable {
        let version: String
        /// Of all devices, 0 to 1.
        let part: Double
    }

    struct Region: Decodable {
        let part: Double
        /// From UTC.
        let hours: Int
        let edges: Int
    }

    /// A version that some devices cannot start.
    struct Incident: Decodable {
        let version: String
        /// Of the devices, 0 to 1.
        let part: Double
    }

    let devices: Int
    let sample: Int
    let seed: UInt64
    let minutes: Int
    let opensPerDay: Double
    /// How likely an opening is in each hour of a device's day.
    let hours: [Double]
    let regions: [Region]
    let bases: [Base]
    let publications: [Publication]
    /// Minutes between two renewals of the pointer's signature.
    let renewalMinutes: Int
    /// For how long an edge keeps the pointer: one row of the table each.
    let pointerSeconds: [Double]
    let incident: Incident?
    /// What each way of delivery asks for when a device changes from a version to another one, as `1.0.0>1.1.0`; `>1.1.0` for a
    /// device that has none.
    let ways: [String: [String: [Request]]]
    /// The first check of a new device; one that finds nothing new; one that finds the pointer signed anew; one after a publication.
    let first: [Request]
    let idle: [Request]
    let renewed: [Request]
    let changed: [Request]
    /// What a device reports of a change, or of a start that failed.
    let report: [Request]

    /// For how many devices each of the sample stands.
    var weight: Double { Double(devices) / Double(sample) }

    var edgeCount: Int { regions.reduce(0) { $0 + $1.edges } }
}
