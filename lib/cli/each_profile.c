/* each_profile.c - --each of the tools that change profiles */
#include <string.h>

#include "cli/convert.h"
#include "cli/private.h"
#include "formats/import_formats.h"

static bool member_begins(const uint8_t *data, size_t n)
{
    return proto_format.begins(data, n);
}

/*
 * Whether the part is a profile, or an entry that should be one by its name: if
 * that is damaged, it is an error.
 */
static bool is_profile(const struct import_input *in,
                       const struct input_part *part)
{
    static const char *const suffixes[] = {".pb.gz", ".pb"};
    if (in->format || in->foreign)
        return in->foreign == &proto_format;
    struct prof_slice name = {part->entry,
                              part->entry ? strlen(part->entry) : 0};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (slice_ends_with(name, suffixes[i]))
            return true;
    return false;
}

void cli_change_each(struct cli *cli, cli_change_fn *change, void *ctx)
{
    const struct conversion_opts how = {.reads = "a profile.proto message",
                                        .member_begins = member_begins,
                                        .sparse = true};
    const struct prof_decode_opts decode = {
        .threads = cli->threads, .plain = true, .notes = &cli->notes};
    struct conversion *c = conversion_begin(cli, &how);
    struct import_input in;
    struct prof_err err;
    /* A profile says itself what it lacks: the result has no new comments. */
    cli->private->losses = NULL;
    while (c && conversion_next(c, &in)) {
        if (!conversion_accept(c, is_profile(&in, conversion_part(c))))
            continue;
        struct profile *p = prof_decode(in.data, in.n, &decode, &err);
        bool ok = p && change(ctx, p, &err);
        if (ok)
            ok = conversion_put(c, p, NULL, &err);
        else
            prof_delete(p);
        conversion_done(c, ok, &err);
    }
    conversion_end(c);
}
