/*
 * A disk that forgets what was not synced, for LD_PRELOAD.
 *
 * Every file below REDRAFT_DISK_ROOT stands on the real file system as usual. Beside it, in REDRAFT_DISK_STORE, this
 * keeps what a disk is bound to hold: `files/KEY` is what a file held when it was last synced, `folders/KEY` which names
 * a folder had when it was last synced. A KEY is inode and time of birth, because inodes are used again. The test makes
 * the disk after a power cut from these two and from nothing else.
 *
 * The real fsync is not called: what counts is that the program asked for it. The sync with the number
 * REDRAFT_DISK_CUT_AT ends the whole process group before it has an effect.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *root, *store;
static long cut_at;

__attribute__((constructor)) static void begin(void) {
    root = getenv("REDRAFT_DISK_ROOT");
    store = getenv("REDRAFT_DISK_STORE");
    const char *cut = getenv("REDRAFT_DISK_CUT_AT");
    cut_at = cut ? atol(cut) : 0;
}

static void fail(const char *what, const char *path) {
    dprintf(2, "disk.c: %s %s: %s\n", what, path, strerror(errno));
    abort();
}

static int is_below_root(const char *path) {
    size_t length = strlen(root);
    return !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

/* The key of what stands at a path; 0 where nothing does. */
static int key(const char *path, char *out, mode_t *mode) {
    struct statx found;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &found)) return 0;
    sprintf(out, "%llu-%lld-%u", (unsigned long long)found.stx_ino, (long long)found.stx_btime.tv_sec,
            found.stx_btime.tv_nsec);
    *mode = found.stx_mode;
    return 1;
}

static void put(const char *folder, const char *name, const char *bytes, size_t length, mode_t mode) {
    char part[PATH_MAX], whole[PATH_MAX];
    snprintf(part, sizeof part, "%s/%s/part", store, folder);
    snprintf(whole, sizeof whole, "%s/%s/%s", store, folder, name);
    unlink(part);
    int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode & 0777) | 0600);
    if (to < 0) fail("cannot write", part);
    for (size_t done = 0; done < length;) {
        ssize_t count = write(to, bytes + done, length - done);
        if (count <= 0) fail("cannot write", part);
        done += (size_t)count;
    }
    close(to);
    if (rename(part, whole)) fail("cannot rename", part);
}

/* Whether the store has this file as it is. What was written a moment ago may be written again in the same tick of the
 * clock, so it is never taken for old. */
static int is_kept(const char *path, const char *name, struct stat *found) {
    char kept[PATH_MAX];
    struct stat stored;
    struct timespec now;
    snprintf(kept, sizeof kept, "%s/files/%s", store, name);
    if (lstat(path, found) || stat(kept, &stored) || clock_gettime(CLOCK_REALTIME, &now)) return 0;
    long age_ms = (now.tv_sec - found->st_mtim.tv_sec) * 1000 + (now.tv_nsec - found->st_mtim.tv_nsec) / 1000000;
    return age_ms > 50 && stored.st_size == found->st_size && stored.st_mtim.tv_sec == found->st_mtim.tv_sec &&
           stored.st_mtim.tv_nsec == found->st_mtim.tv_nsec;
}

static void keep_file(const char *path) {
    char name[64];
    mode_t mode;
    struct stat found;
    if (!key(path, name, &mode) || is_kept(path, name, &found)) return;
    char *bytes = NULL;
    size_t length = 0, room = 0;
    if (S_ISLNK(mode)) {
        bytes = malloc(PATH_MAX);
        ssize_t count = readlink(path, bytes, PATH_MAX);
        length = count < 0 ? 0 : (size_t)count;
    } else if (S_ISREG(mode)) {
        int from = open(path, O_RDONLY | O_CLOEXEC);
        if (from < 0) return;
        for (;;) {
            if (room - length < 65536) bytes = realloc(bytes, room += 65536 + room);
            ssize_t count = read(from, bytes + length, room - length);
            if (count <= 0) break;
            length += (size_t)count;
        }
        close(from);
    } else {
        return;
    }
    put("files", name, bytes, length, mode);
    free(bytes);
    char kept[PATH_MAX];
    snprintf(kept, sizeof kept, "%s/files/%s", store, name);
    struct timespec times[2] = {found.st_mtim, found.st_mtim};
    utimensat(AT_FDCWD, kept, times, 0);
}

/* `KIND KEY NAME`, each ended by a NUL; with `all`, also everything below. */
static void keep_folder(const char *path, int all) {
    char name[64];
    mode_t mode;
    DIR *folder = opendir(path);
    if (!folder || !key(path, name, &mode)) {
        if (folder) closedir(folder);
        return;
    }
    char *list = NULL;
    size_t length = 0, room = 0;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char below[PATH_MAX], below_name[64];
        mode_t below_mode;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (!key(below, below_name, &below_mode)) continue;
        if (all && S_ISDIR(below_mode)) keep_folder(below, 1);
        if (all && !S_ISDIR(below_mode)) keep_file(below);
        char kind = S_ISDIR(below_mode) ? 'd' : S_ISLNK(below_mode) ? 'l' : 'f';
        if (room - length < PATH_MAX) list = realloc(list, room += PATH_MAX + room);
        length += (size_t)sprintf(list + length, "%c %s %s", kind, below_name, entry->d_name) + 1;
    }
    closedir(folder);
    put("folders", name, list, length, 0600);
    free(list);
}

/* Counts the sync and lets one process at a time write to the store. */
static int enter(void) {
    char path[PATH_MAX], text[32] = "";
    snprintf(path, sizeof path, "%s/count", store);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX)) fail("cannot lock", path);
    if (pread(lock, text, sizeof text - 1, 0) < 0) fail("cannot read", path);
    long count = atol(text) + 1;
    int length = sprintf(text, "%ld\n", count);
    if (pwrite(lock, text, (size_t)length, 0) != length) fail("cannot write", path);
    if (cut_at && count >= cut_at) {
        kill(0, SIGKILL);
        for (;;) pause();
    }
    return lock;
}

static int synced(int fd) {
    char link[64], path[PATH_MAX];
    sprintf(link, "/proc/self/fd/%d", fd);
    ssize_t length = root && store ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) return 0;
    path[length] = 0;
    if (!is_below_root(path)) return 0;
    int lock = enter();
    struct stat found;
    if (!fstat(fd, &found) && S_ISDIR(found.st_mode)) keep_folder(path, 0);
    else keep_file(path);
    close(lock);
    return 0;
}

int fsync(int fd) { return synced(fd); }
int fdatasync(int fd) { return synced(fd); }

void sync(void) {
    if (!root || !store) return;
    int lock = enter();
    keep_folder(root, 1);
    close(lock);
}

int syncfs(int fd) {
    (void)fd;
    sync();
    return 0;
}
