/// A `URLProtocol` that answers packages: what goes online is never caught by it again.
protocol PackageProtocol {}
