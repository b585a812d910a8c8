package android.webkit;

import android.net.Uri;
import java.util.Map;

/** A stub: see Tests/AndroidStubs/README.md. */
public interface WebResourceRequest {
    Uri getUrl();

    boolean isForMainFrame();

    boolean isRedirect();

    boolean hasGesture();

    String getMethod();

    Map<String, String> getRequestHeaders();
}
