#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What App Transport Security in an app's `Info.plist` means for the addresses that its packages use. Pure: the app
/// passes `Bundle.main.infoDictionary` in a debug build, or a test reads the file.
///
///     TransportSecurity(Bundle.main.infoDictionary ?? [:]).faults(of: [registry] + origins)
///
/// The keys are those of `NSAppTransportSecurity` (Information Property List, App Transport Security). A fault is a
/// sentence: the address that the system will not load, or the exception that is wider than needed.
public struct TransportSecurity: Sendable {
    private let allowsAll: Bool
    private let allowsLocal: Bool
    private let allowsWebContent: Bool
    /// By domain: whether it has plain http, and whether the domains below it have.
    private let exceptions: [String: (isInsecure: Bool, includesBelow: Bool)]

    /// - Parameter information: The root of the property list. Missing values and values of another type count as
    ///   absent.
    public init(_ information: [String: Any]) {
        let settings = information["NSAppTransportSecurity"] as? [String: Any] ?? [:]
        func isSet(_ name: String, _ values: [String: Any]) -> Bool { values[name] as? Bool ?? false }
        allowsLocal = isSet("NSAllowsLocalNetworking", settings)
        allowsWebContent = isSet("NSAllowsArbitraryLoadsInWebContent", settings)
        // A narrower key in the list switches the wide one off (iOS 10 and newer).
        let narrower = [
            "NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking",
        ]
        allowsAll = isSet("NSAllowsArbitraryLoads", settings) && !narrower.contains { settings[$0] != nil }
        let domains = settings["NSExceptionDomains"] as? [String: Any] ?? [:]
        exceptions = Dictionary(
            domains.compactMap { name, value in
                guard let value = value as? [String: Any] else { return nil }
                let isInsecure =
                    isSet("NSExceptionAllowsInsecureHTTPLoads", value)
                    || isSet("NSTemporaryExceptionAllowsInsecureHTTPLoads", value)
                return (name.lowercased(), (isInsecure, isSet("NSIncludesSubdomains", value)))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter addresses: The addresses that the app and its pages load: the registry, origins, online copies.
    /// - Returns: sentences, in the order of the addresses; empty if nothing is wrong.
    public func faults(of addresses: [URL]) -> [String] {
        var faults: [String] = []
        for address in addresses where address.scheme?.lowercased() == "http" {
            let host = address.host?.lowercased() ?? ""
            if !loads(host) {
                faults.append(
                    "\(address.absoluteString) is not loaded: App Transport Security refuses plain http to \(host). "
                        + "Serve it by https"
                        + (allowsWebContent ? "; NSAllowsArbitraryLoadsInWebContent is for web views only" : ""))
            }
        }
        if allowsAll {
            faults.append(
                "NSAllowsArbitraryLoads switches App Transport Security off for the whole app; packages need no exception"
            )
        }
        for (domain, exception) in exceptions.sorted(by: { $0.key < $1.key })
        where exception.isInsecure && (domain == "package" || domain.hasSuffix(".package")) {
            faults.append("\(domain) has an exception, and packages are https only")
        }
        return faults
    }

    /// Whether plain http to a host gets through, for requests that native code sends.
    private func loads(_ host: String) -> Bool {
        if let own = exceptions[host] { return own.isInsecure }
        var labels = host.split(separator: ".").dropFirst()
        while !labels.isEmpty {
            if let above = exceptions[labels.joined(separator: ".")], above.includesBelow { return above.isInsecure }
            labels = labels.dropFirst()
        }
        // Unqualified names and `.local`; since iOS 10 addresses of numbers too.
        let isLocal = !host.contains(".") || host.hasSuffix(".local") || host.allSatisfy { "0123456789.".contains($0) }
        return allowsAll || allowsLocal && isLocal
    }
}
