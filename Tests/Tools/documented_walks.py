"""What executes the command lines of README.md and docs/*.md: see documented_lines.py."""

_TESTS = "Tests/packtoolTests"
_RECIPES = f"{_TESTS}/Rollout/RecipeTests.swift"
_OPERATIONS = f"{_TESTS}/Registry/OperationsTests.swift"
_LINES = f"{_TESTS}/Documents/DocumentedLineTests.swift"

# Sections, or with None whole documents, whose lines a test takes from the document and executes: the test's file, and words of it.
ELSEWHERE = {
    ("README.md", "Install"): ("scripts/dist-test.sh", "of_readme 'minisign -Vm'"),
    ("README.md", "Five minutes"): (_LINES, "the five minutes"),
    ("docs/TUTORIAL.md", None): (f"{_TESTS}/Documents/TutorialTests.swift", "every command of the tutorial"),
    ("docs/SCALING.md", "Five steps"): (f"{_TESTS}/Registry/ScalingStepsTests.swift", "each step is done by the commands"),
    **{("docs/ROLLOUTS.md", f"Recipe: {title}"): (_RECIPES, title.split(",")[0]) for title in (
        "a release over about a week, in office hours, by CI", "a folder behind a CDN, without a server",
        "our own devices first, then everybody", "two packages that change together, and the way back")},
    **{("docs/OPERATIONS.md", title): (_OPERATIONS, f'"{title}"') for title in (
        "A publisher's token was stolen", "A publisher's key was stolen", "A publisher's key was lost",
        "The registry was stolen, or somebody else was on it", "A root key was lost, and enough others are there",
        "Making the root safer", "CI without a token", "A publisher's key in a KMS or HSM", "How versions were built", "Routine",
        "Backup and restore")},
}

_POSTGRES = "needs PostgreSQL at a fixed name: ScalingStepsTests executes the same commands of 'Five steps' on a server of its own"
_BUILD = "a build or a run of all tests, which is what CI does"
_PROGRAM = "the program is compiled and run by the tests of PackHostC, in folders of their own"
_RELEASE = "a step of a release, by its makers; make dist-test signs and verifies with a key of its own"

# Lines that no test executes as they are written, with the reason.
EXCUSED = {
    ("README.md", "packtool"): {
        "npm install --save-dev packtool": "no registry of npm has it yet; make dist-test installs the same packages from files",
    },
    ("README.md", "Install"): {
        "apt-get install ./packtool_VERSION_amd64.deb": "make dist-test installs the same file, without questions",
        "npm install --save-dev packtool": "no registry of npm has it yet; make dist-test installs the same packages from files",
        "podman run --read-only -v packages:/var/lib/packtool -p 8787:8787 packtool:VERSION":
            "podman's own networks are not for every machine; make dist-test loads the image into podman and runs it by runc",
    },
    ("CONTRIBUTING.md", "The fast loop"): {
        "make check": _BUILD, "make test": _BUILD, "make check FILTER=PackRegistryTests": _BUILD, "make check FILTER=BrowserTests": _BUILD,
        "make format": "changes the sources; make lint, which CI runs, fails where it would",
    },
    ("README.md", "From source"): {
        "make demo": _BUILD, "make test": _BUILD,
        "apt-get install libarchive13 libdeflate0 libpq5 libsqlite3-0 libzopfli1 libzstd1 libcurl4 libxml2":
            "changes the machine; CITemplateTests compares it with what the executable loads",
    },
    ("docs/ADAPTERS.md", "Ionic Appflow"): {
        'cordova plugin add cordova-plugin-ionic --variable APP_ID="checkout" --variable CHANNEL_NAME="stable" '
        '--variable UPDATE_API="https://packages.example.com/adapters/ionic"': "Cordova's own program, which fetches from npm",
    },
    ("docs/BINDINGS.md", "Java and Node"): {"make libpackhost bindings": _BUILD},
    ("docs/BINDINGS.md", "Java"): {
        "javac -cp .build/bindings/java/packhost.jar -d classes App.java": _PROGRAM,
        "java -Djava.library.path=.build/bindings/java -cp .build/bindings/java/packhost.jar:classes App "
        "/var/lib/app/store https://packages.example.com root.json": _PROGRAM,
    },
    ("docs/C-API.md", "The C interface"): {"make libpackhost": _BUILD},
    ("docs/C-API.md", "A whole program"): {
        "cc app.c -I .build/include -L .build/lib -lpackhost -Wl,-rpath,$PWD/.build/lib -o app": _PROGRAM,
        "./app /var/lib/app/store https://packages.example.com root.json": _PROGRAM,
    },
    ("docs/INTEGRATION-LINUX.md", "Kiosks on Linux"): {
        "apt-get install libwebkit2gtk-4.1-0 glib-networking gstreamer1.0-plugins-good": "changes the machine",
        "packtool-kiosk --store ~/kiosk/store --root root.json --registry https://packages.example.com --package shop --fullscreen":
            "needs a screen; PackKioskTests runs the kiosk with these options in a virtual one",
    },
    ("docs/MIGRATING.md", "From Capgo"): {
        'curl -H "authorization: $CAPGO_KEY" "https://api.capgo.app/bundle?app_id=com.example.shop" >export/bundles.json':
            "Capgo's service; the import of its answers is executed",
        'curl -H "authorization: $CAPGO_KEY" "https://api.capgo.app/channel?app_id=com.example.shop" >export/channels.json':
            "Capgo's service; the import of its answers is executed",
    },
    ("docs/MIGRATING.md", "From CodePush and App Center"): {
        "code-push deployment history MyApp Production --format json >export/Production.json":
            "a program for services that have ended; the import of its answers is executed",
    },
    ("docs/OPERATIONS.md", "CI without a token"): {
        "PACKTOOL_TOKEN=$(packtool token exchange)": "needs the id token of a CI system; TrustedPublishingTests exchanges real ones",
        "export PACKTOOL_TOKEN": "belongs to the line before it",
    },
    ("docs/PAGE-HOOK.md", "How it is tested"): {
        "make check FILTER=BrowserTests": _BUILD, "make check FILTER=PackKioskTests": _BUILD,
    },
    ("docs/RELEASING.md", "Steps of a release"): {
        "export PACKTOOL_SIGNING_KEY=/media/key/packtool.key": _RELEASE,
        "export PACKTOOL_DOWNLOADS=https://downloads.example.com/packtool": _RELEASE,
        "export PACKTOOL_MAINTAINER='Your Team <team@example.com>'": _RELEASE,
        "make dist": _BUILD,
        "PACKTOOL_PUBLIC_KEY=/media/key/packtool.pub make dist-test": _BUILD,
    },
    ("docs/RELEASING.md", "The signing key"): {
        "minisign -G -W -s packtool.key -p packtool.pub": _RELEASE,
        "minisign -Vm SHA256SUMS -p packtool.pub": _RELEASE,
        "sha256sum --check --ignore-missing SHA256SUMS": _RELEASE,
    },
    ("docs/ROLLOUTS.md", "Stored data"): {
        "packtool rollback shop --channel stable": "shows a refusal; StateCommandTests compares such refusals",
    },
    ("docs/SCALING.md", "Rows in PostgreSQL"): {
        'export PACKTOOL_REGISTRY="postgres://packtool@db.example.com/packtool?sslmode=verify-full"': _POSTGRES,
        "export PACKTOOL_FILES=/srv/packtool": _POSTGRES, "packtool init --app shop": _POSTGRES,
        "packtool serve --port 8787": _POSTGRES, "packtool serve --port 8788": _POSTGRES,
    },
    ("docs/SCALING.md", "Files in a bucket"): {
        'export PACKTOOL_REGISTRY="postgres://packtool@db.example.com/packtool?sslmode=verify-full"': _POSTGRES,
        'export PACKTOOL_STORAGE="s3://packages/shop?region=eu-central-1"': _POSTGRES,
        "packtool init --app shop": _POSTGRES, "packtool serve --port 8787": _POSTGRES,
    },
    ("docs/SCALING.md", "A copy on plain files"): {
        "rsync -a --exclude /metadata/timestamp.json /srv/registry/view/ web:/srv/packages/": "copies to another machine by ssh",
        "rsync -a /srv/registry/view/metadata/timestamp.json web:/srv/packages/metadata/": "copies to another machine by ssh",
    },
    ("docs/SCALING.md", "Moving a registry"): {
        'packtool registry copy "postgres://packtool@db.example.com/packtool?sslmode=verify-full" --to-files /srv/packtool '
        '--to-storage "s3://packages/shop?region=eu-central-1"': _POSTGRES,
    },
}

_HOST = {"https://packages.example.com": "http://127.0.0.1:8787"}
# A registry with keys; `make PACKAGE VERSION` builds a zip into packages/.
_PROJECT = "packtool init --template config --app shop --quiet\n"
_SHOP = _PROJECT + """
printf '{"package": "shop", "origins": ["https://m.example.com/"]}' >packtool.json
for version in 1.2.0 1.3.0 1.4.0; do make shop $version; done
for version in 1.3.0 2.0.0; do make admin $version; done
"""


def _published(channel: str, *zips: str) -> str:
    return "".join(f"packtool publish packages/{zip}.zip --channel {channel} --yes\n" for zip in zips)


# The JSON example of a document that has a key.
_EXAMPLE = """
example() { # DOCUMENT KEY
    python3 - "$PROJECT/docs/$1" "\\"$2\\"" <<'PYTHON'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"```jsonc\\n(.*?)```", text, re.S) + re.findall(r"(?m)(?:^ {4}.*\\n)+", text)
print(next(block for block in blocks if sys.argv[2] in block))
PYTHON
}
"""
_PLAN = _EXAMPLE + """example ROLLOUTS.md steps | grep -v '"start"' >careful.json\n"""
_CODEPUSH = _PROJECT + _EXAMPLE + """
mkdir -p export/Production www
for label in v1 v2; do
    echo "<title>$label</title>" >www/index.html
    zip -qr "export/Production/$label.zip" www
done
cat >export/Production.json <<'JSON'
[{"label": "v1", "appVersion": "1.x", "description": "First", "packageHash": "HASH1", "uploadTime": 1614837600000},
 {"label": "v2", "appVersion": "1.x", "description": "", "packageHash": "HASH2", "uploadTime": 1614837700000}]
JSON
for number in 1 2; do
    mkdir "unpacked$number" && (cd "unpacked$number" && unzip -q "../export/Production/v$number.zip")
    sed -i "s/HASH$number/$("$PROJECT/Tests/Tools/codepush_hash.py" "unpacked$number")/" export/Production.json
done
"""
_UPDATE = """
update() { # CHANNEL PACKAGE VERSION
    packtool client update --store device --channel "$1" --registry http://127.0.0.1:8787 --root .packtool/root.json --package "$2"
    packtool client status --store device | grep -F "$2" | grep -qF "$3"
}
"""
# Asked as Capgo's client asks.
_CAPGO = """
curl -fsS -H 'content-type: application/json' -d '{"app_id": "APP", "device_id": "d", "platform": "ios", "version_name": "builtin",
 "version_build": "1.0.0", "plugin_version": "7.0.0", "is_prod": true, "is_emulator": false}' \\
    http://127.0.0.1:8787/adapters/capgo/APP/updates | grep -F 1.0.0
"""

# Each walk executes the lines of one section in their order, in a folder of its own, with what is before and after them. `instead`
# names what the text has for other places; `between` has what happens before the line that begins so.
WALKS = {
    "readme-two-commands": {
        "document": "README.md", "section": "packtool",
        "before": """packtool init shop >/dev/null && cd shop && packtool build dist && packtool publish --channel beta
            sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' packtool.json && echo '<p>Changed.</p>' >>dist/index.html""",
        "after": "packtool status | grep -F '1.0.1' | grep -F 'beta 10 %'",
    },
    "readme-server": {
        "document": "README.md", "section": "A registry on a server",
        "before": "packtool init shop >/dev/null && cd shop && packtool build dist && packtool publish --channel beta",
        "instead": {"/srv/packages": "srv", "0.0.0.0": "127.0.0.1"},
        "after": _UPDATE + """
            export PACKTOOL_TOKEN=$(grep -o 'ptk_[A-Za-z0-9_-]*' $last | head -1) PACKTOOL_REGISTRY=http://127.0.0.1:8787
            export PACKTOOL_KEY=$(cat .packtool/keys/publisher.pem)
            rm -r .packtool/registry
            sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' packtool.json
            packtool build dist && packtool publish --channel beta
            update beta shop 1.0.1""",
    },
    "readme-bundler": {
        "document": "README.md", "section": "In a bundler", "after": "test -s rollup-plugin-packtool.mjs",
    },
    "readme-ci": {"document": "README.md", "section": "CI", "after": "grep -q 'packtool publish' .github/workflows/*.yml"},
    "adapters-serve": {
        "document": "docs/ADAPTERS.md", "section": "Adapters: apps with another system's client",
        "before": _PROJECT + "make checkout 1.0.0\n" + _published("stable", "checkout-1.0.0"), "instead": _HOST,
        "after": _CAPGO.replace("APP", "checkout"),
    },
    "adapters-chcp": {
        "document": "docs/ADAPTERS.md", "section": "Cordova Hot Code Push",
        "before": _PROJECT + "make checkout 1.0.0\n" + _published("stable", "checkout-1.0.0")
        + "serve packtool serve --adapter chcp --port 8787 --public-url http://127.0.0.1:8787\n",
        "instead": {**_HOST, "curl -O": "curl -fsSO"}, "after": "grep -q content_url chcp.json && grep -q index.html chcp.manifest",
    },
    "adapters-codepush": {
        "document": "docs/ADAPTERS.md", "section": "CodePush",
        "before": _PROJECT + _EXAMPLE + "make checkout 1.0.0\n" + _published("stable", "checkout-1.0.0")
        + "example ADAPTERS.md dk_a1b2 | grep dk_a1b2 >keys.json\n",
        "after": "curl -fsS 'http://127.0.0.1:8787/v0.1/public/codepush/update_check?deployment_key=dk_a1b2&app_version=1.0.0"
        "&client_unique_id=d' | grep -F '\"is_available\":true'",
    },
    "doctor": {
        "document": "docs/DOCTOR.md", "section": "packtool doctor",
        "before": _PROJECT + "make shop 1.0.0\n" + _published("stable", "shop-1.0.0")
        + "mkdir ../ios-app && cp .packtool/root.json ../ios-app/\nserve packtool serve --port 8787\n",
        "instead": _HOST, "folder": "project",
    },
    "migrating-before": {
        "document": "docs/MIGRATING.md", "section": "Before either", "instead": _HOST, "after": _CAPGO.replace("APP", "shop"),
    },
    "migrating-history": {
        "document": "docs/MIGRATING.md", "section": "History", "before": _CODEPUSH,
        "after": "packtool status | grep -F 0.0.2-production | grep -F stable",
    },
    "migrating-capgo": {
        "document": "docs/MIGRATING.md", "section": "From Capgo",
        "before": _PROJECT + """
            mkdir export site && echo '<title>one</title>' >site/index.html && (cd site && zip -qr ../export/1.0.0.zip .)
            echo '[{"app_id": "com.example.shop", "name": "1.0.0", "created_at": "2024-05-01T10:00:00+00:00"}]' >export/bundles.json
            echo '[{"name": "production", "version": {"name": "1.0.0", "id": 3}}]' >export/channels.json""",
        "after": "packtool status | grep -F 1.0.0 | grep -F production",
    },
    "migrating-capawesome": {
        "document": "docs/MIGRATING.md", "section": "From Capawesome",
        "before": _PROJECT + """
            mkdir -p export/stable site && echo '<title>one</title>' >site/index.html
            (cd site && zip -qr ../export/stable/1.2.3.zip .)""",
        "after": "packtool status | grep -F 1.2.3 | grep -F stable",
    },
    "migrating-codepush": {
        "document": "docs/MIGRATING.md", "section": "From CodePush and App Center",
        "before": _CODEPUSH + "example MIGRATING.md dk_a1b2 | grep dk_a1b2 >keys.json\n",
        "between": {"ls export": "ended"},
        "after": "packtool status | grep -F 0.0.2-production | grep -F stable",
    },
    "dashboard-tokens": {
        "document": "docs/OPERATIONS.md", "section": "The dashboard", "before": _PROJECT,
        "after": "[ \"$(packtool token list | grep -c ' ann ')\" = 3 ] || { packtool token list; false; }",
    },
    "metrics": {
        "document": "docs/OPERATIONS.md", "section": "Metrics and alerts", "before": _PROJECT, "after": "test -s packtool-alerts.yml",
    },
    "webhooks": {
        "document": "docs/OPERATIONS.md", "section": "Webhooks", "before": _PROJECT + "serve packtool serve --port 8787\n",
        "instead": {"wh1f2e3d4c": "\"$id\"", "dead-letters --retry": "dead-letters --retry || test $? = 2"},
        "between": {"packtool webhook test": "id=$(grep -o 'wh[0-9a-f]*' $last | head -1)"},
        "after": "packtool webhook list | grep -F ops.example.com",
    },
    "patch-format": {
        "document": "docs/PATCH-FORMAT.md", "section": "1. Structure of a patch",
        "before": "seq 1 20000 >lost && sed s/777/778/ lost >made", "instead": {"LOST...": "lost", "NEW...": "made"},
        "between": {"zstd -d": "rm new"}, "after": "cmp made new && [ $(stat -c %s patch.zst) -lt 3000 ]",
    },
    "reports-reading": {
        "document": "docs/REPORTS.md", "section": "Reading",
        "before": _PROJECT + "make checkout 1.0.0\n" + _published("stable", "checkout-1.0.0") + """
            serve packtool serve --port 8787
            device="--store device --channel stable --registry http://127.0.0.1:8787"
            packtool client update $device --reports on --root .packtool/root.json
            id=$(packtool client reports $device --json | grep -o '[0-9a-f]\\{32\\}' | head -1)""",
        "instead": {"REPORT-ID": "\"$id\""}, "after": "! packtool device \"$id\"",
    },
    "reports-gate": {
        "document": "docs/REPORTS.md", "section": "The gate",
        "before": _SHOP + _PLAN + _published("stable", "shop-1.3.0")
        + "packtool publish packages/shop-1.4.0.zip --channel stable --rollout 0\n",
        "instead": {"--gate": "--gate --yes"}, "after": "grep -F 'step 1 of 4' $last",
    },
    "rollouts-audiences": {
        "document": "docs/ROLLOUTS.md", "section": "Audiences", "before": _SHOP + _published("stable", "shop-1.2.0"),
        "instead": {"--percent": "--yes --percent"}, "after": "packtool status | grep -F 1.3.0 | grep -F stable",
    },
    "rollouts-sets": {
        "document": "docs/ROLLOUTS.md", "section": "Sets: several packages as one",
        "before": _SHOP + "make admin 1.2.0\n" + _published("beta", "shop-1.2.0", "admin-1.2.0"),
        "between": {"packtool release": "packtool rollback admin --channel beta --yes"},
        "instead": {"rollback admin": "rollback --yes admin", "release shop": "release --again --yes shop", "--percent": "--yes --percent"},
        "after": "packtool status | grep -F 1.2.0 | grep -F beta",
    },
    "rollouts-set-file": {
        "document": "docs/ROLLOUTS.md", "section": "A set in a file",
        "before": _SHOP + _EXAMPLE + "make admin 1.9.0\n" + _published("beta", "shop-1.2.0", "admin-1.9.0")
        + "packtool publish packages/shop-1.3.0.zip packages/admin-2.0.0.zip --yes\nexample ROLLOUTS.md audiences >set.json\n",
        "after": "packtool status | grep -F 2.0.0 | grep -F beta",
    },
    "rollouts-dry": {
        "document": "docs/ROLLOUTS.md", "section": "Looking before anything is done",
        "before": _SHOP + _published("beta", "shop-1.3.0") + _published("stable", "shop-1.2.0", "shop-1.3.0"),
        "after": "! packtool status | grep -F 1.4.0",
    },
    "rollouts-explain": {
        "document": "docs/ROLLOUTS.md", "section": "Why a device has what it has",
        "before": _SHOP + _published("beta", "shop-1.3.0") + "packtool client update --store DIR --channel beta\n"
        # The moment is in whole seconds, and the one of the publication is over then.
        + "sleep 1\n",
        "instead": {"2026-11-24T14:00:00Z": "$(date -u +%FT%TZ)"}, "after": "grep -F 1.3.0 $last",
    },
    "rollouts-simulate": {
        "document": "docs/ROLLOUTS.md", "section": "Simulating a rollout",
        "before": _SHOP + _PLAN + _published("stable", "shop-1.2.0", "shop-1.3.0") + "packtool publish packages/shop-1.4.0.zip --yes\n"
        + "example ROLLOUTS.md platforms | sed 's/1000000/10000/' >people.json\n",
        "after": "grep -q '<svg' curve.svg",
    },
    "rollouts-groups": {
        "document": "docs/ROLLOUTS.md", "section": "Groups",
        "before": _SHOP + _published("beta", "shop-1.2.0") + "printf 'tablet-7\\ntablet-8\\n' >ids.txt\n",
        "between": {"packtool group remove": "packtool rollback shop --channel beta --yes"},
        "after": "! packtool group list --channel beta | grep testers",
    },
    "rollouts-policy": {
        "document": "docs/ROLLOUTS.md", "section": "When devices install a release",
        "before": _SHOP + _published("stable", "shop-1.2.0"), "instead": {"--mandatory": "--mandatory --yes"},
        "after": "packtool status | grep -F 1.3.0 | grep -F stable",
    },
    "rollouts-settings": {
        "document": "docs/ROLLOUTS.md", "section": "Feature gates, web rules and the check interval",
        "before": _SHOP + _EXAMPLE + _published("stable", "shop-1.3.0") + "example ROLLOUTS.md rules >rules.json\n",
        "after": "packtool gate shop --channel stable | grep -F off",
    },
    "rollouts-plans": {
        "document": "docs/ROLLOUTS.md", "section": "Plans", "before": _SHOP + _PLAN + _published("stable", "shop-1.3.0"),
        "instead": {"--plan careful.json": "--yes --plan careful.json"},
        "after": "packtool rollout status shop | grep -F 1.4.0",
    },
    "rollouts-approvals": {
        "document": "docs/ROLLOUTS.md", "section": "Approvals and schedules",
        "before": _SHOP + _published("stable", "shop-1.3.0") + """
            packtool gate shop --channel stable --off --yes
            manager=$(packtool token create manager --release --channel stable --quiet)
            serve packtool serve --port 8787
""",
        "instead": {"changes reject 17": "changes reject $id", "--at 2026-11-30T08:00:00Z": "--at $(date -u -d tomorrow +%FT%TZ)",
                    "packtool changes approve 17":
                    "PACKTOOL_TOKEN=$manager packtool changes approve $id --registry http://127.0.0.1:8787"},
        "between": {"packtool changes approve": "id=$(sed -n 's/^change \\([0-9]*\\) .*/\\1/p' $last | head -1)",
                    "packtool changes reject": "make shop 1.5.0; packtool publish packages/shop-1.5.0.zip --channel stable --propose >$last; "
                    "id=$(sed -n 's/^change \\([0-9]*\\) .*/\\1/p' $last | head -1)"},
    },
    "patches": {
        "document": "docs/SCALING.md", "section": "Patches before devices ask",
        "before": _SHOP + _published("stable", "shop-1.3.0", "shop-1.4.0"),
        "after": "ls .packtool/registry/view/patches/*/*.zst",
    },
}
