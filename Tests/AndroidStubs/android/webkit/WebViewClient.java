package android.webkit;

/** A stub: see Tests/AndroidStubs/README.md. */
public class WebViewClient {
    public WebResourceResponse shouldInterceptRequest(WebView view, WebResourceRequest request) {
        return null;
    }

    public void onPageFinished(WebView view, String url) {}

    public boolean onRenderProcessGone(WebView view, RenderProcessGoneDetail detail) {
        return false;
    }
}
