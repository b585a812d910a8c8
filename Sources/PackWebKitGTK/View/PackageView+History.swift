import CWebKitGTK
public import PackWeb

/// The view's back-forward list, as `ViewPages` needs it.
extension PackageView {
    public var history: ViewHistory {
        let list = webkit_web_view_get_back_forward_list(view)
        var places: Set<Int> = []
        for side in [webkit_back_forward_list_get_back_list(list), webkit_back_forward_list_get_forward_list(list)] {
            var node = side
            while let item = node {
                if let data = item.pointee.data { places.insert(number(of: data)) }
                node = item.pointee.next
            }
            g_list_free(side)
        }
        let current = webkit_back_forward_list_get_current_item(list).map { number(of: UnsafeMutableRawPointer($0)) }
        if let current { places.insert(current) }
        return ViewHistory(places: places, current: current ?? 0)
    }

    /// Kept with the item, whose address another one may have later.
    private func number(of item: gpointer) -> Int {
        let object = item.assumingMemoryBound(to: GObject.self)
        if let number = g_object_get_data(object, "packtool-place") { return Int(bitPattern: number) }
        placeCount += 1
        g_object_set_data(object, "packtool-place", gpointer(bitPattern: placeCount))
        return placeCount
    }
}
