package packtool.host;

/** Hears what an update does. */
public interface UpdateListener {
    /**
     * Called on the thread that called {@link PackHost#update}, again and again. If it is slow, the oldest events are left out, and the
     * update goes on. It may call any method of the host, also {@link PackHost#close()}. What it throws cancels the update, and {@code
     * update} throws it.
     *
     * @return true to go on, false to cancel the update
     */
    boolean onProgress(UpdateProgress progress);
}
