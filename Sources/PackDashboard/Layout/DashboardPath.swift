import Foundation
package import PackFormat
import PackRegistryAPI

/// A page of the dashboard: its address is written and read here and nowhere else.
package enum DashboardPath: Hashable, Sendable {
    /// The packages and what channels offer of them.
    case home(page: Int)
    case channel(ChannelName, page: Int)
    /// What a channel offers of a package, its rollout and what devices reported.
    case offer(ChannelName, PackageID)
    /// The versions of a package.
    case package(PackageID, page: Int)
    case version(PackageID, SemanticVersion)
    /// Changes that wait for approval or for their time; `isAll`: those that are over, too.
    case changes(isAll: Bool)
    case change(Int)
    case audit(page: Int)
    case tokens
    /// The form for a report id, or the timeline of a device.
    case device(ReportID?)
    /// Says what a verb would do, and does it when the page's form is sent.
    case verb(DashboardVerb)
    /// Where the form of a verb is sent.
    case perform
    case signIn
    case signOut
    case style
    case icon

    /// The first part of every address but the home page's.
    package static let folder = "dashboard"

    package static let home = DashboardPath.home(page: 1)

    /// - Parameters:
    ///   - components: the parts of the request's path, decoded; none for `/`.
    ///   - query: the parameters of the request.
    /// - Throws: for an address that no page has, and for the fields of a verb that are not understood.
    package init(_ components: [String], _ query: [String: String]) throws(DashboardFault) {
        let page = query["page"].flatMap { Int($0) } ?? 1
        guard (1...100_000).contains(page) else { throw .noPage }
        guard components.first == Self.folder else {
            guard components.isEmpty else { throw .noPage }
            self = .home(page: page)
            return
        }
        let parts = Array(components.dropFirst())
        switch (parts.count, parts.first) {
        case (0, _), (1, ""): self = .home(page: page)
        case (1, "changes"): self = .changes(isAll: query["all"] != nil)
        case (2, "changes"):
            guard let id = Int(parts[1]), id > 0 else { throw .noPage }
            self = .change(id)
        case (1, "audit"): self = .audit(page: page)
        case (1, "tokens"): self = .tokens
        case (1, "sign-in"): self = .signIn
        case (1, "sign-out"): self = .signOut
        case (1, "style.css"): self = .style
        case (1, "icon.svg"): self = .icon
        case (1, "device"):
            guard let text = query["id"], !text.isEmpty else {
                self = .device(nil)
                return
            }
            guard let id = try? ReportID(text.trimmingCharacters(in: .whitespaces).lowercased()) else {
                throw DashboardFault(.invalid, "A report id has 32 hexadecimal digits: copy it whole from the app.")
            }
            self = .device(id)
        case (1, "do"):
            if query.isEmpty {
                self = .perform
            } else {
                self = .verb(try DashboardVerb(fields: query))
            }
        case (2, "channels"), (4, "channels"):
            guard let channel = try? ChannelName(parts[1]) else { throw .noPage }
            guard parts.count == 4 else {
                self = .channel(channel, page: page)
                return
            }
            guard parts[2] == "packages", let package = try? PackageID(parts[3]) else { throw .noPage }
            self = .offer(channel, package)
        case (2, "packages"), (4, "packages"):
            guard let package = try? PackageID(parts[1]) else { throw .noPage }
            guard parts.count == 4 else {
                self = .package(package, page: page)
                return
            }
            guard parts[2] == "versions", let version = try? SemanticVersion(parts[3]) else { throw .noPage }
            self = .version(package, version)
        default: throw .noPage
        }
    }

    /// The address, with its query.
    package var text: String {
        switch self {
        case .home(let page): Self.paged("/", page)
        case .channel(let channel, let page): Self.paged("/dashboard/channels/\(channel)", page)
        case .offer(let channel, let package): "/dashboard/channels/\(channel)/packages/\(package)"
        case .package(let package, let page): Self.paged("/dashboard/packages/\(package)", page)
        case .version(let package, let version):
            "/dashboard/packages/\(package)/versions/\(Route.encoded(version.description))"
        case .changes(let isAll): "/dashboard/changes" + (isAll ? "?all=1" : "")
        case .change(let id): "/dashboard/changes/\(id)"
        case .audit(let page): Self.paged("/dashboard/audit", page)
        case .tokens: "/dashboard/tokens"
        case .device(let id): "/dashboard/device" + (id.map { "?id=\($0)" } ?? "")
        case .verb(let verb):
            "/dashboard/do?" + verb.fields.map { "\($0.name)=\(Route.encoded($0.value))" }.joined(separator: "&")
        case .perform: "/dashboard/do"
        case .signIn: "/dashboard/sign-in"
        case .signOut: "/dashboard/sign-out"
        case .style: "/dashboard/style.css?v=\(DashboardStyle.digest)"
        case .icon: "/dashboard/icon.svg"
        }
    }

    private static func paged(_ path: String, _ page: Int) -> String { page == 1 ? path : "\(path)?page=\(page)" }
}
