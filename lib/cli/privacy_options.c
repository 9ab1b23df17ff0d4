/* privacy_options.c - keys and maps of pbfilter --anonymize and --restore */
#include "cli/privacy_options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "io/output.h"

enum { RANDOM_KEY_BYTES = 32 };

bool cli_privacy_check(const struct cli_privacy *o, const struct cli *cli,
                       struct prof_err *err)
{
    const struct {
        const char *option, *value;
        bool with_anonymize, is_file;
    } given[] = {{"--anonymize", o->key, false, true},
                 {"--keep-names", o->keep_names, true, false},
                 {"--keep-mappings", o->keep_mappings, true, false},
                 {"--map", o->map, true, true},
                 {"--restore", o->restore, false, true}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].value && given[i].with_anonymize && !o->anonymize)
            return err_set(err, PROF_ERR_USAGE, "%s requires --anonymize",
                           given[i].option);
        if (given[i].value && given[i].is_file && !*given[i].value)
            return err_set(err, PROF_ERR_USAGE, "%s: empty file name",
                           given[i].option);
    }
    if (o->anonymize && o->restore)
        return err_set(err, PROF_ERR_USAGE,
                       "--anonymize cannot be combined with --restore");
    if (o->map && cli->output && strcmp(o->map, cli->output) == 0)
        return err_set(err, PROF_ERR_USAGE,
                       "--map and --output name the same file: %s", o->map);
    if (o->map && strcmp(o->map, "-") == 0)
        return err_set(err, PROF_ERR_USAGE,
                       "--map: expected a file; standard output is for the "
                       "profile");
    for (size_t i = 0; o->map && i < cli->n_inputs; i++)
        if (!cli_keeps_input(o->map, cli->inputs[i], err))
            return err_prefix(err, "--map: ");
    /* A key or map cannot be restored, so refuse to overwrite one. */
    if (o->map && o->key && !cli_keeps_input(o->map, o->key, err))
        return err_prefix(err, "--map: ");
    return cli_keeps_file(cli, "--anonymize", o->key, err) &&
           cli_keeps_file(cli, "--restore", o->restore, err);
}

/* Reads a key of *n bytes; `room` exceeds the limit, to detect larger ones. */
static bool read_key(const char *path, uint8_t *key, size_t room, size_t *n,
                     const struct prof_notes *notes, struct prof_err *err)
{
    struct stat st;
    int fd = file_open(path, O_RDONLY | O_NOCTTY);
    if (fd < 0)
        return err_errno(err, errno, "%s: cannot open", path);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & S_IROTH)
        note_warn(
            notes,
            "%s: every user can read the key (mode %04o); use 'chmod 600'",
            path, (unsigned)st.st_mode & 07777);
    ssize_t got = file_read(fd, key, room);
    int why = errno;
    (void)close(fd);
    if (got < 0)
        return err_errno(err, why, "%s: cannot read", path);
    *n = (size_t)got;
    if (*n < PRIVACY_KEY_MIN || *n > PRIVACY_KEY_MAX)
        return err_input(err,
                         "%s: invalid key: expected %d to %d bytes, as 'head "
                         "-c 32 /dev/urandom' makes them",
                         path, PRIVACY_KEY_MIN, PRIVACY_KEY_MAX);
    return true;
}

static bool begin_pseudonyms(struct cli_privacy *o, const struct cli *cli,
                             struct prof_err *err)
{
    uint8_t key[PRIVACY_KEY_MAX + 1];
    size_t n = RANDOM_KEY_BYTES;
    if (o->key ? !read_key(o->key, key, sizeof key, &n, &cli->notes, err)
               : !system_random(key, n) &&
                     !err_errno(err, errno, "cannot get random bytes"))
        return false;
    const struct pseudonyms_opts opts = {.key = key,
                                         .n_key = n,
                                         .keep_names = o->keep_names,
                                         .keep_mappings = o->keep_mappings,
                                         .map = o->map};
    return (o->all = pseudonyms_new(&opts, err)) != NULL;
}

static bool read_map(struct cli_privacy *o, const struct cli *cli,
                     struct prof_err *err)
{
    const struct input_opts opts = {
        .no_archives = true, .join_members = true, .max_size = cli->max_size};
    struct input *in = NULL;
    struct input_part part;
    if (input_open(&in, o->restore, &opts, &cli->notes, err) &&
        input_next(in, &part, err) == 1)
        o->names = name_map_new(part.data, part.n, err);
    input_close(in);
    return o->names || err_prefix(err, "%s: ", o->restore);
}

bool cli_privacy_begin(struct cli_privacy *o, const struct cli *cli,
                       struct prof_err *err)
{
    return (!o->anonymize || begin_pseudonyms(o, cli, err)) &&
           (!o->restore || read_map(o, cli, err));
}

static bool write_map(const struct cli_privacy *o, struct prof_err *err)
{
    const struct output_opts opts = {
        .path = o->map, .secret = true, .on_temp = signals_temp};
    struct output *out;
    if (!output_open(&out, &opts, err))
        return false;
    if (pseudonyms_write(o->all, output_sink(out), err))
        return output_commit(out, err);
    output_abort(out);
    return false;
}

bool cli_privacy_report(struct cli_privacy *o, struct cli *cli)
{
    struct prof_err err;
    if (o->all)
        pseudonyms_report(o->all, &cli->notes);
    if (o->names && !o->restored)
        note_warn(&cli->notes,
                  "%s: no pseudonym of this map occurs in the input",
                  o->restore);
    else if (o->names)
        note_info(&cli->notes, "names restored: %zu", (size_t)o->restored);
    bool ok = !o->map || write_map(o, &err);
    if (!ok)
        cli_error(cli, o->map, &err);
    return ok;
}

void cli_privacy_end(struct cli_privacy *o)
{
    pseudonyms_free(o->all);
    name_map_free(o->names);
    o->all = NULL;
    o->names = NULL;
}
