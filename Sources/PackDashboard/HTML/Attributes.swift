/// The attributes that pages use. There are none for scripts or styles.
extension HTML.Attribute {
    init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    static func `class`(_ value: String) -> Self { Self("class", value) }
    static func id(_ value: String) -> Self { Self("id", value) }
    /// A place on the same page.
    static func anchor(_ id: StaticString) -> Self { Self("href", "#\(id)") }
    static func name(_ value: String) -> Self { Self("name", value) }
    static func value(_ value: String) -> Self { Self("value", value) }
    static func type(_ value: StaticString) -> Self { Self("type", "\(value)") }
    static func label(_ value: String) -> Self { Self("aria-label", value) }
    static func labelledBy(_ id: String) -> Self { Self("aria-labelledby", id) }
    static func role(_ value: StaticString) -> Self { Self("role", "\(value)") }
    static func `for`(_ id: String) -> Self { Self("for", id) }
    /// Of a header cell: what it is the header of.
    static func scope(_ value: StaticString) -> Self { Self("scope", "\(value)") }
    /// Any other attribute, such as a coordinate of a drawing.
    static func of(_ name: StaticString, _ value: String) -> Self { Self(name, value) }
    /// One that has no value.
    static func flag(_ name: StaticString) -> Self { Self(name, nil) }
}
