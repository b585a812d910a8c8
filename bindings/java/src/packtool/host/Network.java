package packtool.host;

/** What the user pays for. The order is that of packhost.h. */
public enum Network {
    UNKNOWN,
    UNMETERED,
    METERED
}
