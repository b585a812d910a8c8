import android.net.Uri;
import android.webkit.WebResourceRequest;
import android.webkit.WebResourceResponse;
import android.webkit.WebView;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import packtool.android.HttpLoader;
import packtool.android.PackageRequests;
import packtool.android.PackageWebViewClient;
import packtool.host.PackHost;
import packtool.host.PackHostException;
import packtool.host.PackView;

/**
 * The client of Android's web view, called as Android calls it, with stubs of Android's classes (Tests/AndroidStubs). Arguments: the store,
 * the registry's address, the path of root.json.
 */
final class AndroidRequests {
    private static final class Request implements WebResourceRequest {
        private final String method;
        private final String url;
        private final boolean isForMainFrame;
        private final Map<String, String> headers;

        Request(String method, String url, boolean isForMainFrame, String name, String value) {
            this.method = method;
            this.url = url;
            this.isForMainFrame = isForMainFrame;
            headers = Collections.singletonMap(name, value);
        }

        static Request of(String url) {
            return new Request("GET", url, false, "Accept", "*/*");
        }

        @Override
        public Uri getUrl() {
            return Uri.parse(url);
        }

        @Override
        public boolean isForMainFrame() {
            return isForMainFrame;
        }

        @Override
        public boolean isRedirect() {
            return false;
        }

        @Override
        public boolean hasGesture() {
            return false;
        }

        @Override
        public String getMethod() {
            return method;
        }

        @Override
        public Map<String, String> getRequestHeaders() {
            return headers;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Runnable> later = new ArrayList<>();
        PackHost host = PackHost.open(Check.settings(arguments).activatesAtOnce());
        PackView view = host.openView();
        List<PackHostException> unconfirmed = new ArrayList<>();
        PackageWebViewClient client = new PackageWebViewClient(view, later::add) {
            @Override
            protected void onUnconfirmed(PackHostException error) {
                unconfirmed.add(error);
            }
        };
        // Nothing is installed: it comes while it is shown.
        WebResourceResponse page = client.shouldInterceptRequest(
                null, new Request("GET", Check.PAGE, true, "Accept", "text/html"));
        Check.equal(200, page.getStatusCode());
        Check.equal("OK", page.getReasonPhrase());
        Check.equal("text/html", page.getMimeType());
        Check.equal("utf-8", page.getEncoding());
        Check.has(text(page), "<title>one</title>");
        Check.update(host);

        WebResourceResponse script = client.shouldInterceptRequest(null, Request.of(Check.PAGE + "app.js"));
        Check.equal("say('one')", text(script));
        // What the stream had is let go with it.
        try {
            script.getData().read();
            throw new AssertionError("the stream is open");
        } catch (PackHostException closed) {
            Check.has(closed.getMessage(), "closed");
        }
        WebResourceResponse range = client.shouldInterceptRequest(
                null, new Request("GET", Check.PAGE + "app.js", false, "Range", "bytes=4-8"));
        Check.equal(206, range.getStatusCode());
        Check.equal("'one'", text(range));
        // Android accepts no 304, so the whole file comes.
        String tag = page.getResponseHeaders().get("etag");
        Check.equal(200, client.shouldInterceptRequest(
                null, new Request("GET", Check.PAGE, false, "If-None-Match", tag)).getStatusCode());
        Check.equal(405, client.shouldInterceptRequest(
                null, new Request("POST", Check.PAGE, false, "Accept", "*/*")).getStatusCode());
        Check.equal(400, client.shouldInterceptRequest(null, Request.of(Check.PAGE + "\ud83d")).getStatusCode());
        // A frame is no page of the view.
        Check.equal(200, client.shouldInterceptRequest(
                null, new Request("GET", Check.PAGE, false, "Upgrade-Insecure-Requests", "1")).getStatusCode());
        online(view);
        confirmation(client, host, later);
        Check.that(unconfirmed.isEmpty(), unconfirmed);

        host.close();
        client.onPageFinished(null, Check.PAGE);
        later.remove(0).run();
        Check.equal(1, unconfirmed.size());
        Check.equal(503, client.shouldInterceptRequest(null, Request.of(Check.PAGE)).getStatusCode());
        view.close();
        System.out.println("done");
    }

    /** What the device does not answer: at its own address by the web view, at another one by the loader. */
    private static void online(PackView view) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        server.createContext("/", exchange -> {
            boolean isThere = exchange.getRequestURI().getPath().equals("/there");
            byte[] body = exchange.getRequestHeaders().getFirst("Accept").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
            exchange.sendResponseHeaders(isThere ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        PackageRequests requests = new PackageRequests(view, new HttpLoader(5000), 5000);
        Check.that(requests.answer(Request.of(address + "/there")) == null, "the web view sends it itself");
        WebResourceResponse there = new HttpLoader(5000).load(address + "/there", Request.of("https://shop.package/api"));
        Check.equal(200, there.getStatusCode());
        Check.equal("application/json", there.getMimeType());
        Check.equal("*/*", text(there));
        WebResourceResponse none = new HttpLoader(5000).load(address + "/none", Request.of("https://shop.package/api"));
        Check.equal(404, none.getStatusCode());
        Check.equal("*/*", text(none));
        Request post = new Request("POST", "https://shop.package/api", false, "Accept", "*/*");
        Check.equal(501, new HttpLoader(5000).load(address + "/there", post).getStatusCode());
        server.stop(0);
        // A service that is down is a response too, and no exception in the app.
        PackageRequests down = new PackageRequests(view, (url, request) -> {
            throw new IOException("no network");
        }, 5000);
        Check.equal(502, down.answer(Request.of(address + "/there")).getStatusCode());
    }

    /** A page that has loaded is confirmed in the background, unless a script of it is missing. */
    private static void confirmation(PackageWebViewClient client, PackHost host, List<Runnable> later) throws Exception {
        Check.has(host.status(), "\"confirmed\":false");
        Check.equal(404, client.shouldInterceptRequest(null, Request.of(Check.PAGE + "none.js")).getStatusCode());
        client.onPageFinished(new WebView(null), Check.PAGE);
        Check.has(host.status(), "\"confirmed\":false");
        later.remove(0).run();
        Check.has(host.status(), "\"confirmed\":false");
        text(client.shouldInterceptRequest(null, new Request("GET", Check.PAGE, true, "Accept", "text/html")));
        client.onPageFinished(new WebView(null), Check.PAGE);
        later.remove(0).run();
        Check.has(host.status(), "\"confirmed\":true");
    }

    private static String text(WebResourceResponse response) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream stream = response.getData()) {
            byte[] buffer = new byte[3];
            for (int count; (count = stream.read(buffer)) > 0; ) bytes.write(buffer, 0, count);
        }
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
