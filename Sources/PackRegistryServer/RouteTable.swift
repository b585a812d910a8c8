import HTTPTypes
import Hummingbird

/// Every route of the API: what is documented, and what a wrong method is told.
package enum RouteTable {
    package struct Route: Sendable {
        package let method: String
        /// With `{name}` where a value stands.
        package let path: String
    }

    package static let routes: [Route] = [
        Route(method: "GET", path: "/v1/overview"),
        Route(method: "GET", path: "/v1/update"),
        Route(method: "GET", path: "/v1/bundle/{root}/{channel}"),
        Route(method: "GET", path: "/offline/manifest.json"),
        Route(method: "POST", path: "/v1/missing-objects"),
        Route(method: "POST", path: "/v1/uploads"),
        Route(method: "POST", path: "/v1/versions"),
        Route(method: "POST", path: "/v1/packages/{package}/versions/{version}/withdrawal"),
        Route(method: "PUT", path: "/v1/metadata/{role}"),
        Route(method: "POST", path: "/v1/channels/{channel}/packages/{package}"),
        Route(method: "GET", path: "/v1/tokens"),
        Route(method: "POST", path: "/v1/tokens"),
        Route(method: "DELETE", path: "/v1/tokens/{id}"),
        Route(method: "GET", path: "/v1/audit"),
        Route(method: "GET", path: "/health/live"),
        Route(method: "GET", path: "/health/ready"),
    ]

    /// The methods that a path answers; empty where there is no such path.
    static func methods(of components: [String]) -> [HTTPRequest.Method] {
        var methods: [HTTPRequest.Method] = []
        for route in routes {
            let parts = route.path.split(separator: "/")
            let isMatch =
                parts.count == components.count
                && zip(parts, components).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
            guard isMatch, let method = HTTPRequest.Method(rawValue: route.method) else { continue }
            methods.append(method)
            if method == .get { methods.append(.head) }
        }
        return methods
    }
}
