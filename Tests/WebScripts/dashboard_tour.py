"""Walks through every page and every verb of a dashboard in a real Chromium, as somebody with a keyboard does.

dashboard_tour.py URL TOKEN REPORT_ID [FOLDER]   prints {"faults": [...], "pages": [...], "verbs": [...], "sizes": {...}}
With FOLDER, each page is drawn into it, light and dark, narrow and wide.

The registry has checkout 1.0.0, 1.1.0 and 1.2.0 with a plan on stable, 1.1.0 on beta, and reports (DashboardBrowserTests).
"""
import json
import pathlib
import re
import sys
import urllib.request

from dashboard_browser import Tab

URL, TOKEN, DEVICE = sys.argv[1:4]
SHOTS = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
RULES = (pathlib.Path(__file__).parent / "dashboard_rules.js").read_text()
OFFER = "/dashboard/channels/stable/packages/checkout"

PAGES = {
    "home": "/",
    "channel": "/dashboard/channels/stable",
    "offer": OFFER,
    "package": "/dashboard/packages/checkout",
    "version": "/dashboard/packages/checkout/versions/1.2.0",
    "device-form": "/dashboard/device",
    "device": f"/dashboard/device?id={DEVICE}",
    "audit": "/dashboard/audit",
    "tokens": "/dashboard/tokens",
    "confirm": "/dashboard/do?verb=rollout-halt&package=checkout&channel=stable&version=1.2.0",
    "withdraw": "/dashboard/do?verb=withdraw&package=checkout&version=1.2.0",
    "not-found": "/dashboard/packages/nothing",
    "not-understood": "/dashboard/do?verb=share&package=checkout&channel=stable&version=1.2.0&percent=x",
}
FAULTS = {"not-found", "not-understood"}

faults: list[str] = []
sizes: dict[str, int] = {}
verbs: list[str] = []


def check(tab: Tab, name: str) -> None:
    for width in (360, 1440):
        for scheme in ("light", "dark"):
            tab.look(width, scheme)
            tab.settle()
            faults.extend(f"{name} {width} {scheme}: {fault}" for fault in tab.evaluate(RULES))
            if SHOTS:
                tab.shot(str(SHOTS / f"{name}-{width}-{scheme}.png"))
    tab.look(1440, "light")
    sizes[name] = tab.evaluate("performance.getEntriesByType('navigation')[0].decodedBodySize")


FOCUSABLE = "a[href],button,input:not([type=hidden]),select,summary,[tabindex='0']"


def keyboard(tab: Tab, name: str) -> None:
    """The Tab key reaches everything that can be used, in its order, and shows where it is."""
    tab.evaluate("document.activeElement?.blur()")
    count = tab.evaluate(f"""(() => {{
        globalThis.wanted = [...document.querySelectorAll("{FOCUSABLE}")].filter((e) => e.checkVisibility());
        return wanted.length;
    }})()""")
    for index in range(count):
        tab.key("Tab", 9)
        state = tab.evaluate("""(() => {
            const e = document.activeElement, style = getComputedStyle(e);
            return [wanted.indexOf(e), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, e.outerHTML.slice(0, 120)];
        })()""")
        if state[0] != index:
            faults.append(f"{name}: the key Tab came to {state[2]} in place of number {index}")
            return
        if not state[1]:
            faults.append(f"{name}: the focus is not seen on {state[2]}")


def offered(channel: str = "stable") -> list[tuple[str, float]]:
    with urllib.request.urlopen(f"{URL}/v1/overview") as answer:
        releases = json.load(answer)["channels"][channel]["checkout"]
    return [(each.get("version", "embedded"), each.get("share", each.get("percent", 100) * 100) / 100) for each in releases]


def rollout() -> str:
    request = urllib.request.Request(f"{URL}/v1/packages/checkout/rollouts", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as answer:
        return {each["channel"]: each["state"] for each in json.load(answer)["rollouts"]}["stable"]


def expect(what: str, found, wanted) -> None:
    if found != wanted:
        faults.append(f"{what}: {found!r} in place of {wanted!r}")


def confirm(tab: Tab, name: str, number: bool = True) -> None:
    """The page of a verb says its effect in numbers; sending its form does it, and the next page says so."""
    effects = tab.evaluate("[...document.querySelectorAll('.effects li')].map((e) => e.innerText)")
    if not effects or number and not any(re.search(r"\d", effect) for effect in effects):
        faults.append(f"{name}: the effect is not said in numbers: {effects} {tab.text()[:300]}")
    tab.press("main form button")
    notice = tab.evaluate("document.querySelector('[role=status]')?.innerText ?? ''")
    if not notice.startswith("Done"):
        faults.append(f"{name}: {notice!r} {tab.text()[:400]}")
    verbs.append(name)


def press_verb(tab: Tab, verb: str) -> None:
    tab.open(URL + OFFER)
    tab.press(f"a.button[href*='verb={verb}&']")
    confirm(tab, verb)


def all_verbs(tab: Tab) -> None:
    press_verb(tab, "rollout-pause")
    expect("pause", rollout(), "paused")
    press_verb(tab, "rollout-resume")
    expect("resume", rollout(), "running")
    press_verb(tab, "rollout-advance")
    expect("advance", offered()[0], ("1.2.0", 25.0))
    press_verb(tab, "rollout-halt")
    expect("halt", (rollout(), offered()[0]), ("halted", ("1.2.0", 25.0)))
    tab.open(URL + OFFER)
    tab.evaluate("document.querySelector('#share').value = ''")
    tab.evaluate("document.querySelector('#share').focus()")
    tab.type("12.5")
    tab.press("form.inline button")
    confirm(tab, "share")
    expect("share", offered()[0], ("1.2.0", 12.5))
    press_verb(tab, "rollout-resume")
    expect("resume after a halt", rollout(), "running")
    press_verb(tab, "rollout-retry")
    press_verb(tab, "rollout-complete")
    expect("complete", offered(), [("1.2.0", 100.0)])
    press_verb(tab, "rollout-rollback")
    expect("taken back", (rollout(), offered()), ("rolledBack", [("1.1.0", 100.0)]))
    tab.open(URL + "/dashboard/channels/beta/packages/checkout")
    tab.evaluate("document.querySelector('#to').value = 'stable'; document.querySelector('#promoted').value = '50'")
    tab.press("form.inline:has(#promoted) button")
    confirm(tab, "promote")
    expect("promote", offered()[0], ("1.3.0", 50.0))
    press_verb(tab, "roll-back")
    expect("roll back", offered(), [("1.1.0", 100.0)])
    press_verb(tab, "gate-off")
    press_verb(tab, "gate-on")
    press_verb(tab, "roll-back-embedded")
    expect("embedded", offered(), [("embedded", 100.0)])
    tab.open(URL + "/dashboard/channels/nightly/packages/checkout")
    tab.press("a.button[href*='verb=rollout-start&']")
    confirm(tab, "rollout-start")
    expect("start", offered("nightly")[0], ("1.3.0", 5.0))
    tab.open(URL + "/dashboard/packages/checkout/versions/1.0.0")
    tab.press("a.button[href*='verb=withdraw&']")
    if "packtool withdraw checkout@1.0.0" not in tab.text():
        faults.append(f"withdraw: {tab.text()[:300]}")
    verbs.append("withdraw")
    tab.open(URL + "/dashboard/tokens")
    tab.press("a[aria-label^='Revoke old ']")
    confirm(tab, "revoke-token", number=False)


def stale(tab: Tab) -> None:
    """What changed between the page and its form is not done."""
    tab.open(URL + "/dashboard/do?verb=gate-off&package=checkout&channel=beta")
    tab.evaluate("document.querySelector('[name=seen]').value = 'other'")
    tab.press("main form button")
    if "It changed since you looked" not in tab.text():
        faults.append(f"a form of another state was taken: {tab.text()[:300]}")


def main() -> None:
    tab = Tab()
    try:
        tab.look(1440, "light")
        tab.open(URL + "/")
        check(tab, "sign-in")
        keyboard(tab, "sign-in")
        # Whoever has no session sees this page and nothing else.
        tab.open(URL + OFFER)
        expect("without a session", tab.evaluate("document.querySelector('h1').innerText"), "Sign in")
        tab.evaluate("document.querySelector('#token').focus()")
        tab.type("ptk_wrong")
        tab.press("main form button")
        if "did not work" not in tab.text():
            faults.append(f"a wrong token: {tab.text()[:200]}")
        # A status of 4xx for the page itself is told on the console; it is no fault.
        tab.faults = [fault for fault in tab.faults if "401" not in fault]
        tab.evaluate("document.querySelector('#token').focus()")
        tab.type(TOKEN)
        tab.press("main form button")
        expect("signed in", tab.evaluate("document.querySelector('h1').innerText"), "Packages")
        expect("a script's view of the cookie", tab.evaluate("document.cookie"), "")
        for name, path in PAGES.items():
            tab.open(URL + path)
            expect(name, tab.evaluate("document.querySelector('h1') !== null"), True)
            check(tab, name)
            keyboard(tab, name)
            if name in FAULTS:
                tab.faults = [fault for fault in tab.faults if "40" not in fault]
        expect("frames of it", tab.evaluate("fetch('/').then((r) => r.status, (e) => 'refused')"), "refused")
        tab.faults = [fault for fault in tab.faults if "connect-src" not in fault and "Fetch API" not in fault]
        all_verbs(tab)
        stale(tab)
        tab.faults = [fault for fault in tab.faults if "409" not in fault]
        for request in set(tab.requests):
            if not request.startswith(URL) and request != "about:blank":
                faults.append(f"a request went to {request}")
        tab.press(".session button")
        expect("signed out", tab.evaluate("document.querySelector('h1').innerText"), "Sign in")
        tab.open(URL + OFFER)
        expect("after signing out", tab.evaluate("document.querySelector('h1').innerText"), "Sign in")
        tab.faults = [fault for fault in tab.faults if "401" not in fault]
        faults.extend(f"the console: {fault}" for fault in tab.faults)
    except Exception as error:
        faults.append(f"the tour ended: {error!r}")
    finally:
        tab.close()
    print(json.dumps({"faults": faults, "pages": list(PAGES), "verbs": verbs, "sizes": sizes}))


if __name__ == "__main__":
    main()
