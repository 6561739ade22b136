/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole.h: files that are whole when they have their name, also after the power has failed.
 *
 * A file is written under another name in the same folder, and renamed. A file system may keep the new name before the
 * bytes, so the bytes are waited for first, and the name afterwards. A folder that cannot be waited for is no failure:
 * whichever file has the name then, old or new, is whole.
 */
#ifndef TENURE_PROFILE_WHOLE_H
#define TENURE_PROFILE_WHOLE_H

/* 0, or -1 with errno; the file is still called `from` then. */
int tp_whole_rename(const char *from, const char *to);

#endif
