package android.webkit;

import java.io.InputStream;
import java.util.Map;

/** A stub: see Tests/AndroidStubs/README.md. It refuses what Android's documentation says that it refuses. */
public class WebResourceResponse {
    private final String type;
    private final String encoding;
    private final int status;
    private final String reason;
    private final Map<String, String> headers;
    private final InputStream data;

    public WebResourceResponse(
            String type, String encoding, int status, String reason, Map<String, String> headers, InputStream data) {
        if (status < 100 || status > 599) throw new IllegalArgumentException("statusCode must be from 100 to 599");
        if (status >= 300 && status < 400) throw new IllegalArgumentException("statusCode can't be from 300 to 399");
        if (reason.trim().isEmpty()) throw new IllegalArgumentException("reasonPhrase can't be empty");
        for (int index = 0; index < reason.length(); index++)
            if (reason.charAt(index) > 0x7f) throw new IllegalArgumentException("reasonPhrase is not ASCII");
        this.type = type;
        this.encoding = encoding;
        this.status = status;
        this.reason = reason;
        this.headers = headers;
        this.data = data;
    }

    public String getMimeType() {
        return type;
    }

    public String getEncoding() {
        return encoding;
    }

    public int getStatusCode() {
        return status;
    }

    public String getReasonPhrase() {
        return reason;
    }

    public Map<String, String> getResponseHeaders() {
        return headers;
    }

    public InputStream getData() {
        return data;
    }
}
