package packtool.host;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The settings of a host. Only the store and the registry are needed. packhost.h describes each; {@link PackHost#open(String)} takes the
 * same as JSON.
 */
public final class HostSettings {
    /** Values in JSON by name. */
    private final Map<String, String> members = new TreeMap<>();

    /**
     * @param store the store's folder. It belongs to the library; do not let the system back it up
     * @param registry the address of the registry, or the folder of one
     */
    public HostSettings(String store, String registry) {
        set("store", text("store", store));
        set("registry", text("registry", registry));
    }

    /** Default: "stable". */
    public HostSettings channel(String name) {
        return set("channel", text("channel", name));
    }

    /** The app's root of trust: the text of root.json. Needed until the store has one. */
    public HostSettings root(String text) {
        return set("root", text("root", text));
    }

    /** The path of root.json, instead of its text. */
    public HostSettings rootFile(String path) {
        return set("rootFile", text("rootFile", path));
    }

    /** The app's name in its registry; others are refused. Default: the one that the store saw first. */
    public HostSettings app(String name) {
        return set("app", text("app", name));
    }

    /**
     * What rollouts look at.
     *
     * @param name appVersion, platform, osVersion, locale, region, model or deviceID
     */
    public HostSettings fact(String name, String value) {
        return set(Objects.requireNonNull(name, "name"), text(name, value));
    }

    public HostSettings tags(Map<String, String> tags) {
        StringBuilder json = new StringBuilder();
        for (Map.Entry<String, String> tag : Objects.requireNonNull(tags, "tags").entrySet())
            json.append(json.length() == 0 ? "" : ",").append(text("a tag", tag.getKey())).append(':')
                    .append(text("a tag", tag.getValue()));
        return set("tags", "{" + json + "}");
    }

    /** The folders that {@code packtool preset} wrote. */
    public HostSettings presets(List<String> folders) {
        return set("presets", list("presets", folders));
    }

    /** A downloaded version becomes active at once, and not at the next start. */
    public HostSettings activatesAtOnce() {
        return set("activation", "\"at-once\"");
    }

    /** How many starts a version has to be confirmed in. Default: 2. */
    public HostSettings starts(int count) {
        return set("starts", Integer.toString(count));
    }

    /** How long a version may run until it is confirmed. Default: only starts count. */
    public HostSettings readySeconds(int seconds) {
        return set("readySeconds", Integer.toString(seconds));
    }

    /** How many seconds to wait for another update of the same store. Default: 60. */
    public HostSettings patience(int seconds) {
        return set("patience", Integer.toString(seconds));
    }

    /** The custom schemes of the app's web views. */
    public HostSettings schemes(List<String> schemes) {
        return set("schemes", list("schemes", schemes));
    }

    /** The app's own web rules: the text of a rules file (docs/CONFIGURATION.md). */
    public HostSettings rules(String json) {
        Text.required("rules", json);
        return set("rules", json);
    }

    /** Services on this device, as HOST:PORT, that a package's {@code api} may lead to. */
    public HostSettings loopback(List<String> services) {
        return set("loopback", list("loopback", services));
    }

    /**
     * Reports what becomes of updates (docs/REPORTS.md).
     *
     * @param withFacts the platform and the app's and the system's version too
     */
    public HostSettings reports(boolean withFacts) {
        return set("reports", "true").set("reportFacts", Boolean.toString(withFacts));
    }

    /** The settings as JSON. */
    public String json() {
        StringBuilder json = new StringBuilder();
        for (Map.Entry<String, String> member : members.entrySet())
            json.append(json.length() == 0 ? "{" : ",").append(text("a setting", member.getKey())).append(':').append(member.getValue());
        return json.append('}').toString();
    }

    private HostSettings set(String name, String value) {
        members.put(name, value);
        return this;
    }

    private static String list(String name, List<String> values) {
        StringBuilder json = new StringBuilder();
        for (String value : Objects.requireNonNull(values, name))
            json.append(json.length() == 0 ? "" : ",").append(text(name, value));
        return "[" + json + "]";
    }

    /** A text in JSON. */
    private static String text(String name, String value) {
        Objects.requireNonNull(value, name);
        StringBuilder json = new StringBuilder(value.length() + 2).append('"');
        for (int index = 0; index < value.length(); index++) {
            char letter = value.charAt(index);
            if (letter == '"' || letter == '\\') json.append('\\').append(letter);
            else if (letter < ' ') json.append(String.format("\\u%04x", (int) letter));
            else json.append(letter);
        }
        return json.append('"').toString();
    }
}
