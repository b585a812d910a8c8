public import ArgumentParser
public import PackTrust

extension KeyScheme: ExpressibleByArgument {}
