// Loaded before libfaketime, which moves timers of a clock that it leaves as it is: a sleep that should end before the machine had
// run for as long as the clock is moved by is refused by the kernel (EINVAL), and never ends. Here a timer is the kernel's; only one
// of the wall clock goes through libfaketime.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 65536 };
static volatile bool isWallClock[COUNT];

int timerfd_create(int clock, int flags) {
    int timer = (int)syscall(SYS_timerfd_create, clock, flags);
    if (timer >= 0 && timer < COUNT) isWallClock[timer] = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
    return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *time, struct itimerspec *before) {
    if (timer >= 0 && timer < COUNT && isWallClock[timer]) {
        int (*moved)(int, int, const struct itimerspec *, struct itimerspec *) = dlsym(RTLD_NEXT, "timerfd_settime");
        return moved(timer, flags, time, before);
    }
    return (int)syscall(SYS_timerfd_settime, timer, flags, time, before);
}
