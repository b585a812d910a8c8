package packtool.android;

import android.webkit.WebResourceResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;

/** Responses in the form that Android accepts. */
final class Responses {
    private Responses() {}

    /**
     * Whether a request's header may lead to "304 Not Modified". Android accepts no response from 300 to 399, and a web view asks its own
     * cache before it asks an app.
     */
    static boolean isConditional(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return name.equals("if-none-match") || name.equals("if-modified-since");
    }

    /** @param contentType may be null */
    static WebResourceResponse response(int status, String contentType, Map<String, String> headers, InputStream body)
            throws IOException {
        if (status < 100 || status > 599 || status >= 300 && status < 400) {
            body.close();
            return failure(502, "Android accepts no response with the status " + status);
        }
        String type = contentType == null ? "application/octet-stream" : contentType.split(";", 2)[0].trim();
        return new WebResourceResponse(type, charset(contentType), status, phrase(status), headers, body);
    }

    /** A response that a developer reads. */
    static WebResourceResponse failure(int status, String message) {
        byte[] bytes = String.valueOf(message).getBytes(StandardCharsets.UTF_8);
        return new WebResourceResponse(
                "text/plain", "utf-8", status, phrase(status), Collections.singletonMap("Cache-Control", "no-store"),
                new ByteArrayInputStream(bytes));
    }

    private static String charset(String contentType) {
        if (contentType == null) return null;
        int place = contentType.toLowerCase(Locale.ROOT).indexOf("charset=");
        return place < 0 ? null : contentType.substring(place + "charset=".length()).split(";", 2)[0].replace("\"", "").trim();
    }

    /** Pages see it as `statusText`. It must not be empty. */
    private static String phrase(int status) {
        switch (status) {
            case 200:
                return "OK";
            case 206:
                return "Partial Content";
            case 400:
                return "Bad Request";
            case 404:
                return "Not Found";
            case 405:
                return "Method Not Allowed";
            case 416:
                return "Range Not Satisfiable";
            case 501:
                return "Not Implemented";
            case 502:
                return "Bad Gateway";
            case 503:
                return "Service Unavailable";
            case 504:
                return "Gateway Timeout";
            default:
                return "Status " + status;
        }
    }
}
