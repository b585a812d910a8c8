@main
struct TUFClientCommand {
    static func main() {}
}
