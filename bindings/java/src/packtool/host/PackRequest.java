package packtool.host;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** A request of a web view. */
public final class PackRequest {
    private final RequestKind kind;
    private final String method;
    private final String url;
    private final Map<String, String> headers;

    /**
     * @param url the address as the page sent it, such as {@code https://shop.package/app.js}
     * @param headers all that are known, above all Range, If-None-Match, Referer and Accept
     */
    public PackRequest(RequestKind kind, String method, String url, Map<String, String> headers) {
        this.kind = Objects.requireNonNull(kind, "kind");
        this.method = Objects.requireNonNull(method, "method");
        this.url = Objects.requireNonNull(url, "url");
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(Objects.requireNonNull(headers, "headers")));
    }

    /** A GET request for the document of the view's own page. */
    public static PackRequest document(String url) {
        return new PackRequest(RequestKind.DOCUMENT, "GET", url, Collections.singletonMap("Accept", "text/html"));
    }

    /** A GET request for a part of the page on view. */
    public static PackRequest part(String url) {
        return new PackRequest(RequestKind.PART, "GET", url, Collections.emptyMap());
    }

    public RequestKind kind() {
        return kind;
    }

    public String method() {
        return method;
    }

    public String url() {
        return url;
    }

    public Map<String, String> headers() {
        return headers;
    }
}
