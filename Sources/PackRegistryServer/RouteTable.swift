import HTTPTypes
import PackRegistryAPI

/// The methods that a path answers, for the answer to a wrong one.
enum RouteTable {
    /// - Returns: none if there is no such path.
    static func methods(of components: [String]) -> [HTTPRequest.Method] {
        var methods: [HTTPRequest.Method] = []
        for route in Endpoints.routes {
            let parts = route.path.split(separator: "/")
            let isMatch =
                parts.count == components.count
                && zip(parts, components).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
            guard isMatch, let method = HTTPRequest.Method(rawValue: route.method.rawValue) else { continue }
            methods.append(method)
            if method == .get { methods.append(.head) }
        }
        return methods
    }
}
