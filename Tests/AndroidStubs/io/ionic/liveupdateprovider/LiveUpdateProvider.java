package io.ionic.liveupdateprovider;

import android.content.Context;
import java.util.Map;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public interface LiveUpdateProvider {
    String getId();

    LiveUpdateProviderManager createManager(Context context, Map<String, ?> config)
            throws LiveUpdateError.InvalidConfiguration;
}
