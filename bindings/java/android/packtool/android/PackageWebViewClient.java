package packtool.android;

import android.webkit.WebResourceRequest;
import android.webkit.WebResourceResponse;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import java.util.Objects;
import java.util.concurrent.Executor;
import packtool.host.ErrorCode;
import packtool.host.PackHostException;
import packtool.host.PackView;

/**
 * The client of a web view that shows packages. It answers its requests from the installed version, and confirms a page that has loaded
 * with all its scripts and styles. Each web view has its own client and {@link PackView}.
 */
public class PackageWebViewClient extends WebViewClient {
    private final PackView packages;
    private final PackageRequests requests;
    private final Executor background;

    /** @param background runs what may wait, since Android calls {@link #onPageFinished} on its main thread */
    public PackageWebViewClient(PackView packages, Executor background) {
        this(packages, background, new HttpLoader(30_000), 30_000);
    }

    /** @param milliseconds the longest time to wait for an answer of the device */
    public PackageWebViewClient(PackView packages, Executor background, OnlineLoader online, long milliseconds) {
        this.packages = packages;
        this.background = Objects.requireNonNull(background, "background");
        requests = new PackageRequests(packages, online, milliseconds);
    }

    @Override
    public WebResourceResponse shouldInterceptRequest(WebView view, WebResourceRequest request) {
        return requests.answer(request);
    }

    @Override
    public void onPageFinished(WebView view, String url) {
        background.execute(this::confirmLoadedPage);
    }

    /** Whether a page that has loaded is confirmed. An app whose page confirms itself, by a message, returns false. */
    protected boolean confirmsLoadedPages() {
        return true;
    }

    /** What cannot be confirmed. A version that stays unconfirmed is left after its starts. Called in the background. */
    protected void onUnconfirmed(PackHostException error) {}

    private void confirmLoadedPage() {
        if (!confirmsLoadedPages()) return;
        try {
            // A quotation mark inside a text has a backslash before it, so this is nowhere else.
            if (packages.load().contains("\"missing\":[]")) packages.confirm();
        } catch (PackHostException error) {
            // A page that is nobody's package has no version.
            if (error.code() != ErrorCode.NOT_FOUND) onUnconfirmed(error);
        }
    }
}
