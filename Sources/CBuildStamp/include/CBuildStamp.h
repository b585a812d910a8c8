/* What this program was built from. Two functions in a file of their own: a new commit compiles that file and links, and no more. */
#ifndef PACKTOOL_BUILD_STAMP_H
#define PACKTOOL_BUILD_STAMP_H

/* The commit, and "-modified" where files differed from it; empty where the build was not told. */
const char *packtool_build_commit(void);

/* The day of the commit, such as 2026-11-24; empty where the build was not told. */
const char *packtool_build_date(void);

#endif
