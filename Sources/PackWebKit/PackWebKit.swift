#if canImport(WebKit)
    // An app imports this module only: the packages, the updater and the web side come with it.
    @_exported public import PackFormat
    @_exported public import PackHost
    @_exported public import PackUpdater
    @_exported public import PackUpdaterOnline
    @_exported public import PackWeb
    @_exported public import PackWebOnline
    @_exported public import WebKit
#endif
