package packtool.android;

import android.webkit.WebResourceRequest;
import android.webkit.WebResourceResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import packtool.host.ErrorCode;
import packtool.host.PackAnswer;
import packtool.host.PackHostException;
import packtool.host.PackRequest;
import packtool.host.PackView;
import packtool.host.RequestKind;

/**
 * Answers the requests of one web view from the installed version. {@link PackageWebViewClient} uses it; an app with a client of its own
 * calls it from {@code shouldInterceptRequest}, which Android calls on a thread that may wait.
 */
public final class PackageRequests {
    private final PackView view;
    private final OnlineLoader online;
    private final long milliseconds;

    /** @param milliseconds the longest time to wait for an answer of the device */
    public PackageRequests(PackView view, OnlineLoader online, long milliseconds) {
        this.view = Objects.requireNonNull(view, "view");
        this.online = Objects.requireNonNull(online, "online");
        this.milliseconds = milliseconds;
    }

    /** @return null if the web view is to send the request itself */
    public WebResourceResponse answer(WebResourceRequest request) {
        try {
            PackAnswer answer = view.resolve(packRequest(request), milliseconds, null);
            if (answer.online() == null)
                return Responses.response(answer.status(), answer.headers().get("content-type"), answer.headers(), answer.body());
            String address = answer.online();
            answer.close();
            return online.load(address, request);
        } catch (PackHostException error) {
            return Responses.failure(error.code() == ErrorCode.TIMED_OUT ? 504 : 503, error.getMessage());
        } catch (IOException error) {
            return Responses.failure(502, error.getMessage());
        } catch (IllegalArgumentException error) {
            // A page must not end its app by an address or a header that no text of C can have.
            return Responses.failure(400, error.getMessage());
        }
    }

    static PackRequest packRequest(WebResourceRequest request) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (Map.Entry<String, String> header : request.getRequestHeaders().entrySet())
            if (!Responses.isConditional(header.getKey())) headers.put(header.getKey(), header.getValue());
        return new PackRequest(kind(request), request.getMethod(), request.getUrl().toString(), headers);
    }

    private static RequestKind kind(WebResourceRequest request) {
        if (request.isForMainFrame()) return RequestKind.DOCUMENT;
        for (Map.Entry<String, String> header : request.getRequestHeaders().entrySet()) {
            // Chromium marks a document so.
            if (header.getKey().equalsIgnoreCase("upgrade-insecure-requests")) return RequestKind.FRAME;
            if (header.getKey().equalsIgnoreCase("sec-fetch-dest")
                    && (header.getValue().equals("iframe") || header.getValue().equals("frame"))) return RequestKind.FRAME;
        }
        return RequestKind.PART;
    }
}
