package packtool.host;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The number by which libpackhost knows an object; 0 once it is closed. The library never gives a number out twice, so a thread that
 * read it just before another one closed the object gets an error.
 */
final class Handle {
    private final AtomicLong number;

    Handle(long number) {
        this.number = new AtomicLong(number);
    }

    long get() throws PackHostException {
        long number = this.number.get();
        if (number == 0) throw PackHostException.closed();
        return number;
    }

    boolean isClosed() {
        return number.get() == 0;
    }

    /** The number for the one caller that closes it; 0 for all others. */
    long take() {
        return number.getAndSet(0);
    }
}
