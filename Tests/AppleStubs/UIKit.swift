// Stands in for UIKit. What is used of it is in WebKit.swift, because a web view is a view.
@_exported public import WebKit
