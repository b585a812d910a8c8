import CWebKitGTK
import PackWeb

/// Service workers, which outlive pages and versions.
extension PackageView {
    /// Ends the service workers of hosts and removes their registrations and their Cache storage. Other data of pages
    /// (`localStorage`, IndexedDB, cookies) is kept.
    ///
    /// To be waited for before the first page of another version loads: a worker of the old one would answer in its place.
    /// - Parameter hosts: such as `shop.package`.
    public func removeWorkers(of hosts: Set<String>) async {
        let manager = webkit_web_context_get_website_data_manager(context)
        let kinds = pack_worker_data()
        let found = try? await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<DataList, any Error>) in
            webkit_website_data_manager_fetch(
                manager, kinds, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<DataList>.take(data) else { return }
                    let manager = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebsiteDataManager.self)
                    waiter.resume(
                        returning: DataList(first: webkit_website_data_manager_fetch_finish(manager, result, nil)))
                }, Waiter(continuation).held())
        }
        guard let all = found?.first else { return }
        defer { pack_free_website_data(all) }
        var wanted: UnsafeMutablePointer<GList>?
        var node: UnsafeMutablePointer<GList>? = all
        while let item = node {
            if let data = item.pointee.data, let name = webkit_website_data_get_name(OpaquePointer(data)),
                hosts.contains(String(cString: name))
            {
                wanted = g_list_prepend(wanted, data)
            }
            node = item.pointee.next
        }
        guard let wanted else { return }
        defer { g_list_free(wanted) }
        nonisolated(unsafe) let list = wanted
        _ = try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
            webkit_website_data_manager_remove(
                manager, kinds, list, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<Bool>.take(data) else { return }
                    let manager = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebsiteDataManager.self)
                    waiter.resume(returning: webkit_website_data_manager_remove_finish(manager, result, nil) != 0)
                }, Waiter(continuation).held())
        }
    }
}

private struct DataList: Sendable {
    nonisolated(unsafe) let first: UnsafeMutablePointer<GList>?
}
