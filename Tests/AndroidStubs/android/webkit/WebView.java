package android.webkit;

import android.content.Context;
import android.view.View;

/** A stub: see Tests/AndroidStubs/README.md. */
public class WebView extends View {
    public WebView(Context context) {}

    public WebSettings getSettings() {
        return null;
    }

    public void setWebViewClient(WebViewClient client) {}

    public void loadUrl(String url) {}

    public void destroy() {}
}
