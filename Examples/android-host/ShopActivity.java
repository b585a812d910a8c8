package com.example.shop;

import android.app.Activity;
import android.os.Bundle;
import android.webkit.RenderProcessGoneDetail;
import android.webkit.WebView;
import java.io.IOException;
import packtool.android.PackageWebViewClient;
import packtool.host.PackHost;
import packtool.host.PackView;

/** A screen that shows the package `shop`. */
public final class ShopActivity extends Activity {
    private static final String PAGE = "https://shop.package/";

    private PackView packages;
    private WebView web;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        ShopApplication app = (ShopApplication) getApplication();
        try {
            packages = app.host().openView();
        } catch (IOException error) {
            throw new IllegalStateException("the page cannot be shown", error);
        }
        web = new WebView(this);
        web.getSettings().setJavaScriptEnabled(true);
        web.getSettings().setDomStorageEnabled(true);
        web.setWebViewClient(new PackageWebViewClient(packages, app.background()) {
            @Override
            public boolean onRenderProcessGone(WebView view, RenderProcessGoneDetail detail) {
                if (detail.didCrash()) app.background().execute(() -> leaveVersion(app.host()));
                else recreate();
                return true;
            }
        });
        setContentView(web);
        web.loadUrl(PAGE);
    }

    @Override
    protected void onStop() {
        super.onStop();
        ShopApplication app = (ShopApplication) getApplication();
        app.background().execute(() -> {
            try {
                app.host().endSession(5000, null);
            } catch (IOException error) {
                System.err.println("reports: " + error.getMessage());
            }
        });
    }

    @Override
    protected void onDestroy() {
        web.destroy();
        packages.close();
        super.onDestroy();
    }

    /** The page has crashed its process: back to the version before, if this one was never confirmed. */
    private void leaveVersion(PackHost host) {
        try {
            host.rollBack("shop", "its page has crashed");
        } catch (IOException error) {
            System.err.println("roll back: " + error.getMessage());
        }
        runOnUiThread(this::recreate);
    }
}
