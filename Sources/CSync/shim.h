// syncfs(2) is in glibc since 2.14, renameat2(2) since 2.28, closing descriptors in a spawned process since 2.34, and pipe2(2)
// since 2.9; all are hidden from Swift because its view of the
// headers lacks _GNU_SOURCE. malloc.h has what the C library does with memory that was freed.
#ifndef PACKTOOL_SYNC_H
#define PACKTOOL_SYNC_H
#if defined(__ANDROID__)
// From API 28 on; its renameat2 is there from API 30 on only.
extern int syncfs(int descriptor);
#elif defined(__linux__)
#include <malloc.h>
#include <spawn.h>
extern int syncfs(int descriptor);
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags);
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
#endif
#endif
