extension OfficeHours.Window {
    /// Such as `mon-thu 09:00-16:00`.
    var text: String {
        let all = OfficeHours.Day.allCases
        var runs: [[OfficeHours.Day]] = []
        for day in all where days.contains(day) {
            if let last = runs.last?.last, last.index + 1 == day.index {
                runs[runs.count - 1].append(day)
            } else {
                runs.append([day])
            }
        }
        let names = runs.map { run in
            run.count < 3
                ? run.map(\.rawValue).joined(separator: ", ")
                : "\(run[0].rawValue)-\(run[run.count - 1].rawValue)"
        }
        return "\(names.joined(separator: ", ")) \(Self.clock(from))-\(Self.clock(to))"
    }

    /// Minutes since midnight as `09:30`.
    private static func clock(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
