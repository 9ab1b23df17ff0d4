/* dcpi2pb.c - converts DCPI profiles to profile.proto; see dcpi2pb(1) */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/convert.h"
#include "cli/isolate.h"
#include "formats/dcpi/dcpi.h"

enum {
    KEY_EVENT = 256,
    KEY_TEXT_START,
    KEY_ASSUME,
    KEY_OFFSET_UNIT,
    KEY_HEADER_ONLY,
};

#define VERSIONS "0.06|0.07"
#define OFFSET_UNITS "byte|insn"

static const struct cli_option options[] = {
    CLI_HEADING("Conversion"),
    {"event", KEY_EVENT, "NAME", "convert only this event (may be repeated)"},
    {"text-start", KEY_TEXT_START, "ADDR",
     "set the text start (hex) if the header has none"},
    {"assume", KEY_ASSUME, VERSIONS, "set the version if the header has none"},
    {"offset-unit", KEY_OFFSET_UNIT, OFFSET_UNITS,
     "set the unit of chunk offsets (default: byte)"},
    {"header-only", KEY_HEADER_ONLY, NULL,
     "write only the header, as comments (any version)"},
    {0},
};

struct job {
    struct cli cli;
    struct dcpi_opts opts;
    VEC(const char *) events;
};

/* Parses a hexadecimal address, with or without 0x, as DCPI writes it. */
static bool parse_address(const char *value, uint64_t *address,
                          struct prof_err *err)
{
    const char *s = strncmp(value, "0x", 2) == 0 ? value + 2 : value;
    size_t n = strlen(s);
    if (!n || n > 16 || strspn(s, "0123456789abcdefABCDEF") != n)
        return err_value(err, "expected a hexadecimal address");
    *address = strtoull(s, NULL, 16);
    return true;
}

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct job *job = ctx;
    struct dcpi_opts *opts = &job->opts;
    size_t i;
    switch (key) {
    case KEY_EVENT:
        return vec_push(&job->events, value) || err_nomem(err);
    case KEY_TEXT_START:
        opts->has_text_start = true;
        return parse_address(value, &opts->text_start, err);
    case KEY_ASSUME:
        opts->assume_version = true;
        return cli_parse_word(VERSIONS, value, &i, err);
    case KEY_OFFSET_UNIT:
        if (!cli_parse_word(OFFSET_UNITS, value, &i, err))
            return false;
        opts->offset_unit = *value == 'i' ? DCPI_UNIT_INSN : DCPI_UNIT_BYTE;
        return true;
    default:
        return opts->header_only = true;
    }
}

/* --- the conversion ------------------------------------------------------- */

struct worker {
    struct dcpi *sum;
};

static bool is_ours(void *ctx, const struct import_input *in,
                    const struct input_part *part)
{
    (void)ctx;
    (void)part;
    return dcpi_begins(in->data, in->n);
}

static bool add(void *worker, const struct conversion_job *job,
                struct prof_err *err)
{
    const struct job *own = job->ctx;
    struct worker *w = worker;
    if (!w->sum)
        w->sum = dcpi_sum_new(&own->opts, job->notes, err);
    return w->sum && dcpi_sum_add(w->sum, job->in, err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    struct profile *p = ok ? dcpi_sum_finish(w->sum, err) : NULL;
    dcpi_sum_free(w->sum);
    w->sum = NULL;
    return p;
}

static void convert(struct job *job)
{
    static const struct converter converter = {
        sizeof(struct worker), is_ours, NULL, NULL, add, finish};
    const struct conversion_opts how = {.reads = "a DCPI profile",
                                        .member_begins = dcpi_begins};
    conversion_run(&job->cli, &how, &converter, job);
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "dcpi2pb",
        .synopsis = "[option ...] [file ...]",
        .summary =
            "Converts DCPI profiles to profile.proto; joins several files.",
        .examples = "dcpi2pb cycles.dcpi imiss.dcpi | pbcat --addresses\n"
                    "dcpi2pb --event=imiss -o imiss.pb.gz imiss.dcpi",
        .options = options,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        job.opts.events = job.events.v;
        job.opts.n_events = job.events.n;
        cli_isolate(&job.cli, &(struct cli_needs){0});
        convert(&job);
        status = cli_end(&job.cli);
    }
    vec_free(&job.events);
    return status;
}
