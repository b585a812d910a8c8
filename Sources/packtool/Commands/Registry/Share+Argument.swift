public import ArgumentParser
public import PackFormat

extension Share: ExpressibleByArgument {
    public init?(argument: String) {
        guard let share = try? Share(argument) else { return nil }
        self = share
    }
}
