package packtool.android;

import android.webkit.WebResourceRequest;
import android.webkit.WebResourceResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends requests by {@link HttpURLConnection}, which follows redirects. It knows no cookies: an app whose services need them sets a
 * {@link java.net.CookieHandler} or has a loader of its own. Android does not show an app the bodies of requests, so only GET and HEAD can
 * be sent elsewhere.
 */
public final class HttpLoader implements OnlineLoader {
    private final int milliseconds;

    /** @param milliseconds the longest time to connect, and to wait for data */
    public HttpLoader(int milliseconds) {
        this.milliseconds = milliseconds;
    }

    @Override
    public WebResourceResponse load(String url, WebResourceRequest request) throws IOException {
        if (url.equals(request.getUrl().toString())) return null;
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD"))
            return Responses.failure(501, "Android shows apps no body of a " + method + " request");
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setConnectTimeout(milliseconds);
        connection.setReadTimeout(milliseconds);
        connection.setRequestMethod(method);
        // A web view does not decode what an app hands it, and the connection decodes what it has asked for itself.
        for (Map.Entry<String, String> header : request.getRequestHeaders().entrySet())
            if (!Responses.isConditional(header.getKey()) && !header.getKey().equalsIgnoreCase("accept-encoding"))
                connection.setRequestProperty(header.getKey(), header.getValue());
        int status = connection.getResponseCode();
        Map<String, String> headers = new LinkedHashMap<>();
        for (Map.Entry<String, List<String>> header : connection.getHeaderFields().entrySet())
            if (header.getKey() != null) headers.put(header.getKey(), String.join(", ", header.getValue()));
        InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        return Responses.response(
                status, connection.getContentType(), headers, body == null ? new ByteArrayInputStream(new byte[0]) : body);
    }
}
