/* merge.c - adds profiles, in about 256 MiB of memory
 *
 *      merge a.pb.gz b.pb.gz ... >sum.pb.gz
 */
#include <fcntl.h>
#include <profile.h>
#include <stdio.h>
#include <unistd.h>

static bool add(struct prof_merger *sum, const char *path, struct prof_err *err)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        perror(path);
        return false;
    }
    struct profile *p = prof_read_fd(fd, NULL, err);
    bool ok = p && prof_merge_take(sum, p, err);
    if (!ok)
        fprintf(stderr, "%s: %s\n", path, err->text);
    prof_delete(p);
    close(fd);
    return ok;
}

int main(int argc, char **argv)
{
    struct prof_err err = {0};
    const struct prof_merge_opts opts = {.memory = (uint64_t)256 << 20};
    struct prof_merger *sum = prof_merge_new(&opts, &err);
    bool ok = sum != NULL;
    for (int i = 1; ok && i < argc; i++)
        ok = add(sum, argv[i], &err);

    struct profile *p = ok ? prof_merge_result(sum, NULL, &err) : NULL;
    if (ok && !(p && prof_write_fd(p, 1, 1, &err))) {
        fprintf(stderr, "merge: %s\n", err.text);
        ok = false;
    }
    prof_delete(p);
    prof_merge_free(sum);
    return ok ? 0 : 1;
}
