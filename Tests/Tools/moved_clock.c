// Loaded before a program, it moves the program's wall clock by MOVED_CLOCK seconds. The monotonic clock stays, and so do sleeps.
// libfaketime is not for a server: it moves timers of the monotonic clock too (a sleep then gets EINVAL and never ends), and has
// semaphores in shared memory that a killed process leaves behind.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 65536 };
static volatile bool isWallClock[COUNT];
static volatile long seconds;

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("MOVED_CLOCK");
    seconds = text ? atol(text) : 0;
}

static bool isWall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    long failure = syscall(SYS_clock_gettime, clock, now);
    if (!failure && isWall(clock)) now->tv_sec += seconds;
    return (int)failure;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    long failure = syscall(SYS_gettimeofday, now, zone);
    if (!failure) now->tv_sec += seconds;
    return (int)failure;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
    int timer = (int)syscall(SYS_timerfd_create, clock, flags);
    if (timer >= 0 && timer < COUNT) isWallClock[timer] = isWall(clock);
    return timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *at, struct itimerspec *before) {
    struct itimerspec moved = *at;
    bool isMoved = timer >= 0 && timer < COUNT && isWallClock[timer] && flags & TFD_TIMER_ABSTIME;
    if (isMoved && moved.it_value.tv_sec > seconds) moved.it_value.tv_sec -= seconds;
    return (int)syscall(SYS_timerfd_settime, timer, flags, &moved, before);
}

// A condition may count by either clock. A time of the monotonic one is far below a time of the wall clock.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec moved = *until;
    if (moved.tv_sec > 1000000000) moved.tv_sec -= seconds;
    return real(condition, mutex, &moved);
}
