extension Int {
    /// The sum, or the largest number where it would be larger: anybody may report, and a sum of reports must not trap.
    package func saturatingAdd(_ more: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(more)
        return overflows ? .max : sum
    }
}
