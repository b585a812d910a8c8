package packtool.android;

import android.webkit.WebResourceRequest;
import android.webkit.WebResourceResponse;
import java.io.IOException;

/** Sends the requests that the device does not answer itself. */
public interface OnlineLoader {
    /**
     * @param url where to send it; the request's own address may be one that only the device knows
     * @return null to let the web view send the request to its own address
     */
    WebResourceResponse load(String url, WebResourceRequest request) throws IOException;
}
