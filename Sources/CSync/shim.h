// syncfs(2) is in glibc since 2.14, and hidden from Swift because Swift's view of <unistd.h> lacks _GNU_SOURCE.
#ifndef PACKTOOL_SYNC_H
#define PACKTOOL_SYNC_H
#if defined(__linux__)
extern int syncfs(int descriptor);
#endif
#endif
