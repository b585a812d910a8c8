import PackFormat

/// The style sheet of every page. It asks nobody else for anything, and has colours for light and dark.
///
/// Text has a contrast of 4.5 to 1 or more on its ground, lines and bars of 3 to 1 (WCAG 2.2 §1.4.3, §1.4.11); a test in a
/// browser computes it.
package enum DashboardStyle {
    package static let digest = String(Digest(of: Array(text.utf8)).hex.prefix(16))

    /// A parcel, as the icon of the pages.
    package static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="3" width="14" height="11" rx="2" fill="#0b57a4"/>\
        <rect x="6.5" y="3" width="3" height="11" fill="#ffffff"/></svg>
        """

    package static let text = colours + layout + controls + tables + charts

    private static let colours = """
        :root {
          color-scheme: light dark;
          --paper: #ffffff; --ink: #1c1e21; --quiet: #555b63; --line: #7d838c; --soft: #f1f3f5; --hair: #d5d9de;
          --link: #0b57a4; --good: #17663a; --bad: #a11b1b; --warn: #7a4b00; --on: #ffffff;
          --s0: #0b57a4; --s1: #b03a00; --s2: #17663a; --s3: #7b2fa0; --s4: #6b5c00; --s5: #5d636b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14171a; --ink: #e8eaed; --quiet: #aab1ba; --line: #868d96; --soft: #22272c; --hair: #3a4148;
            --link: #8cc0ff; --good: #7fd6a2; --bad: #ff9b94; --warn: #f0c36b; --on: #14171a;
            --s0: #8cc0ff; --s1: #ffa873; --s2: #7fd6a2; --s3: #d3a4f2; --s4: #dccb6a; --s5: #aab1ba;
          }
        }

        """

    private static let layout = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -999rem; }
        .skip:focus { left: 1rem; top: 0.5rem; background: var(--paper); padding: 0.5rem; z-index: 1; }
        header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; padding: 0.5rem 1rem;
          border-bottom: 1px solid var(--line); background: var(--soft); }
        header p { margin: 0; font-weight: bold; }
        header ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0; padding: 0; }
        header a { display: inline-block; padding: 0.25rem 0; }
        .session { margin-left: auto; display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; min-width: 0; }
        .session span { overflow-wrap: anywhere; }
        main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1rem; }
        footer { color: var(--quiet); font-size: 0.875rem; padding-bottom: 1rem; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.75rem 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.125rem; margin: 1.5rem 0 0.5rem; }
        .crumbs ol { display: flex; flex-wrap: wrap; list-style: none; margin: 0.75rem 0 0; padding: 0; font-size: 0.9375rem; }
        .crumbs li::after { content: "/"; color: var(--quiet); padding: 0 0.5rem; }
        .quiet { color: var(--quiet); }
        .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
        .notice { border-left: 4px solid currentColor; background: var(--soft); padding: 0.5rem 0.75rem; overflow-wrap: anywhere; }
        .plain { list-style: none; margin: 0; padding: 0; }
        dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: 0.25rem 1rem; margin: 0; }
        dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
        code, pre { font-family: ui-monospace, monospace; font-size: 0.9375rem; }
        pre { background: var(--soft); padding: 0.75rem; overflow-x: auto; }
        .effects li { margin: 0.375rem 0; overflow-wrap: anywhere; }

        """

    private static let controls = """
        button, .button, input, select { font: inherit; color: var(--ink); background: var(--paper);
          border: 1px solid var(--line); border-radius: 0.375rem; padding: 0.375rem 0.75rem; max-width: 100%; }
        button, .button { display: inline-block; text-decoration: none; background: var(--soft); cursor: pointer; }
        button:hover, .button:hover { border-color: var(--ink); }
        main button { background: var(--link); color: var(--on); border-color: var(--link); font-weight: bold; }
        main button.grave { background: var(--bad); border-color: var(--bad); }
        .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; list-style: none; margin: 0.5rem 0; padding: 0; }
        .inline { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
        .inline p { flex-basis: 100%; margin: 0; }
        .stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; justify-items: start; margin: 1rem 0; }
        .pages { display: flex; gap: 1rem; margin: 0.75rem 0; }

        """

    private static let tables = """
        .scroll { overflow-x: auto; margin: 0.5rem 0; }
        table { border-collapse: collapse; min-width: 100%; }
        caption { text-align: left; color: var(--quiet); font-size: 0.9375rem; padding-bottom: 0.25rem; }
        th, td { text-align: left; vertical-align: top; padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--hair);
          overflow-wrap: break-word; min-width: 4.5rem; max-width: 24rem; }
        thead th { color: var(--quiet); font-weight: normal; white-space: nowrap; }
        tbody th { font-weight: normal; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }

        """

    private static let charts = """
        .chart { margin: 0.5rem 0; max-width: 40rem; }
        figcaption { color: var(--quiet); font-size: 0.9375rem; }
        .plot { display: block; width: 100%; height: auto; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .grid { stroke: var(--hair); stroke-width: 1; }
        .tick { fill: var(--quiet); font-size: 11px; }
        .end { text-anchor: end; }
        .mark { stroke: var(--ink); stroke-width: 3; vector-effect: non-scaling-stroke; }
        .track { fill: var(--hair); }
        .bar { display: block; width: 100%; min-width: 6rem; height: 0.75rem; margin-top: 0.375rem; }
        .progress { display: block; width: 100%; max-width: 40rem; height: 1.5rem; }
        .key { width: 1.5rem; height: 0.5rem; margin-right: 0.375rem; vertical-align: middle; }
        .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0.25rem 0; padding: 0; }
        .line.s0 { stroke: var(--s0); } .line.s1 { stroke: var(--s1); stroke-dasharray: 6 3; }
        .line.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .line.s3 { stroke: var(--s3); stroke-dasharray: 10 3; }
        .line.s4 { stroke: var(--s4); stroke-dasharray: 8 3 2 3; } .line.s5 { stroke: var(--s5); stroke-dasharray: 4 4; }
        .fill.s0, .dot.s0 { fill: var(--s0); } .fill.s1, .dot.s1 { fill: var(--s1); } .fill.s2, .dot.s2 { fill: var(--s2); }
        .fill.s3, .dot.s3 { fill: var(--s3); } .fill.s4, .dot.s4 { fill: var(--s4); } .fill.s5, .dot.s5 { fill: var(--s5); }
        details { margin: 0.25rem 0; } summary { cursor: pointer; color: var(--link); }
        @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
        @media print { header, .actions, form { display: none; } }
        """
}
