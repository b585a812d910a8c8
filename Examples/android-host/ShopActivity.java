package com.example.shop;

import android.app.Activity;
import android.os.Bundle;
import android.webkit.RenderProcessGoneDetail;
import android.webkit.WebView;
import android.widget.TextView;
import java.io.IOException;
import packtool.android.PackageWebViewClient;
import packtool.host.PackHost;
import packtool.host.PackView;

/** A screen that shows the package `shop`, as soon as the app's host has started. */
public final class ShopActivity extends Activity {
    private static final String PAGE = "https://shop.package/";

    private ShopApplication app;
    /** Null until the host is ready, and so is the next. */
    private PackView packages;
    private WebView web;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        app = (ShopApplication) getApplication();
        app.background().execute(this::open);
    }

    /** Waits for the host, in the background. The screen is empty meanwhile. */
    private void open() {
        try {
            PackHost host = app.host();
            PackView view = host.openView();
            runOnUiThread(() -> show(host, view));
        } catch (IOException error) {
            runOnUiThread(() -> {
                TextView text = new TextView(this);
                text.setText(error.getMessage());
                setContentView(text);
            });
        }
    }

    private void show(PackHost host, PackView view) {
        // The screen may have gone before its host was ready.
        if (isDestroyed()) {
            view.close();
            return;
        }
        packages = view;
        web = new WebView(this);
        web.getSettings().setJavaScriptEnabled(true);
        web.getSettings().setDomStorageEnabled(true);
        web.setWebViewClient(new PackageWebViewClient(packages, app.background()) {
            @Override
            public boolean onRenderProcessGone(WebView view, RenderProcessGoneDetail detail) {
                if (detail.didCrash()) app.background().execute(() -> leaveVersion(host));
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
        if (web != null) web.destroy();
        if (packages != null) packages.close();
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
