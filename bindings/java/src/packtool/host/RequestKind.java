package packtool.host;

/** What a request of a web view is for. The order is that of packhost.h. */
public enum RequestKind {
    /** A part of the page on view: a script, a style, an image, data. */
    PART,
    /**
     * The document of the view's own page. Its package is made ready: if it is not installed, it begins to install itself, which fetches.
     * If its version is not confirmed, this is a start of it, and is counted before the answer is there. From here on, the view's parts
     * belong to this page.
     */
    DOCUMENT,
    /** The document of a frame. Its package is made ready, and nothing is counted. */
    FRAME
}
