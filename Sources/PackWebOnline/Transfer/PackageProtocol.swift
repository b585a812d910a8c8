/// A `URLProtocol` that answers packages. It never intercepts the requests that it sends online.
protocol PackageProtocol {}
