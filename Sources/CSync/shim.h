// syncfs(2) is in glibc since 2.14 and renameat2(2) since 2.28; both are hidden from Swift because its view of the
// headers lacks _GNU_SOURCE.
#ifndef PACKTOOL_SYNC_H
#define PACKTOOL_SYNC_H
#if defined(__linux__)
extern int syncfs(int descriptor);
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags);
#endif
#endif
