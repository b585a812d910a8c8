package android.widget;

import android.content.Context;
import android.view.View;

/** A stub: see Tests/AndroidStubs/README.md. */
public class TextView extends View {
    public TextView(Context context) {}

    public void setText(CharSequence text) {}
}
