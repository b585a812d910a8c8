// Ends a process by SIGKILL just before its N-th call that changes something on a disk, whatever thread makes it:
//
//     cc -shared -fPIC -o kill_at.so kill_at.c -ldl
//     KILL_COUNTER=counter KILL_AT=17 LD_PRELOAD=./kill_at.so packtool publish …
//
// KILL_COUNTER is a file of at least 8 bytes, in which the calls of the process and its children are counted; without KILL_AT
// nothing is ended and the file says afterwards how many there were. KILL_TRACE is a file to which every rename, with the new name,
// and every syncfs is written, a line each.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic unsigned long *counter;
static unsigned long last;
static int trace = -1;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("KILL_COUNTER"), *at = getenv("KILL_AT");
    if (!path) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (page == MAP_FAILED) return;
    last = at ? strtoul(at, NULL, 10) : 0;
    counter = page;
    const char *name = getenv("KILL_TRACE");
    if (name) trace = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(const char *call, const char *path) {
    char line[1024];
    if (trace < 0) return;
    snprintf(line, sizeof line, "%s %s\n", call, path);
    syscall(SYS_write, trace, line, strlen(line));
}

static void step(void) {
    if (!counter) return;
    unsigned long number = atomic_fetch_add(counter, 1) + 1;
    if (last && number >= last) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        for (;;) pause();
    }
}

// What goes to a terminal, a pipe or a socket changes no disk.
static int is_file(int file) {
    int before = errno;
    struct stat status;
    int found = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    errno = before;
    return found;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define STEP_ALWAYS(type, name, parameters, arguments) \
    type name parameters { step(); return REAL(name) arguments; }
#define STEP_FILE(type, name, parameters, arguments) \
    type name parameters { if (is_file(file)) step(); return REAL(name) arguments; }

int rename(const char *a, const char *b) { step(); note("rename", b); return REAL(rename)(a, b); }
STEP_ALWAYS(int, renameat, (int x, const char *a, int y, const char *b), (x, a, y, b))
STEP_ALWAYS(int, renameat2, (int x, const char *a, int y, const char *b, unsigned f), (x, a, y, b, f))
STEP_ALWAYS(int, link, (const char *a, const char *b), (a, b))
STEP_ALWAYS(int, linkat, (int x, const char *a, int y, const char *b, int f), (x, a, y, b, f))
STEP_ALWAYS(int, symlink, (const char *a, const char *b), (a, b))
STEP_ALWAYS(int, unlink, (const char *a), (a))
STEP_ALWAYS(int, unlinkat, (int x, const char *a, int f), (x, a, f))
STEP_ALWAYS(int, remove, (const char *a), (a))
STEP_ALWAYS(int, rmdir, (const char *a), (a))
STEP_ALWAYS(int, mkdir, (const char *a, mode_t m), (a, m))
STEP_ALWAYS(int, mkdirat, (int x, const char *a, mode_t m), (x, a, m))
STEP_ALWAYS(int, chmod, (const char *a, mode_t m), (a, m))
STEP_ALWAYS(int, fchmod, (int file, mode_t m), (file, m))
STEP_ALWAYS(int, fsync, (int file), (file))
STEP_ALWAYS(int, fdatasync, (int file), (file))
int syncfs(int file) { step(); note("syncfs", ""); return REAL(syncfs)(file); }
STEP_ALWAYS(int, ftruncate, (int file, off_t n), (file, n))
STEP_ALWAYS(int, ftruncate64, (int file, off64_t n), (file, n))
STEP_ALWAYS(int, mkstemp, (char *a), (a))
STEP_ALWAYS(int, mkostemp, (char *a, int f), (a, f))
STEP_FILE(ssize_t, write, (int file, const void *b, size_t n), (file, b, n))
STEP_FILE(ssize_t, writev, (int file, const struct iovec *v, int n), (file, v, n))
STEP_FILE(ssize_t, pwrite, (int file, const void *b, size_t n, off_t o), (file, b, n, o))
STEP_FILE(ssize_t, pwrite64, (int file, const void *b, size_t n, off64_t o), (file, b, n, o))
STEP_FILE(ssize_t, copy_file_range, (int from, off64_t *a, int file, off64_t *b, size_t n, unsigned f), (from, a, file, b, n, f))

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define STEP_OPEN(name, parameters, arguments) \
    int name parameters { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = mode_of(flags, rest); \
        va_end(rest); \
        if (flags & (O_CREAT | O_TRUNC)) step(); \
        return REAL(name) arguments; \
    }

STEP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
STEP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
STEP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
STEP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
