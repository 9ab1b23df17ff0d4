/*
 * report_options.h - pbcat's options and its work
 *
 *      struct cli_report asked = CLI_REPORT_DEFAULTS;
 *      const struct cli_spec spec = {
 *          .option_at = cli_format_option_at,
 *          .options = cli_report_options,
 *          .take = cli_take_report,
 *          .ctx = &asked,
 *          ...
 *      };
 *      status = cli_begin(&cli, &spec, argc, argv);
 *      ...
 *      cli_report(&cli, &asked);
 *      cli_report_free(&asked);
 *
 * The option of a format is in its struct report_format (report.h).  Any other
 * option is a row of cli_report_options and a case in cli_take_report().
 *
 * The suffix of the output chooses the format if no option does.
 */
#ifndef PROFUTILS_CLI_REPORT_OPTIONS_H
#define PROFUTILS_CLI_REPORT_OPTIONS_H

#include "cli/cli.h"
#include "cli/filters.h"
#include "cli/terminal.h"
#include "report/report.h"

struct cli_report {
    const struct report_format *format;
    struct report_opts opts;
    struct prof_filter_opts filter;
    bool filters;    /* a filter was given */
    int granularity; /* the key of the option that set it; or 0 */
    bool check;      /* print a check instead; format: null or JSON */
    bool check_all;  /* .. with all findings */
    bool digest;     /* print digests instead; format: text or JSON */
    bool open;       /* show the report in a browser */
    enum terminal_color color;
    struct cli_bases bases;   /* what to subtract from the inputs */
    VEC(const char *) ratios; /* values of --ratio */
    const char *path;         /* value of --path, or null */
    char **argv;              /* of main(), to make opts.command; or null */
    /* Owned; opts points to them. */
    char *binary_path, *base_name, *minuend_name, *command;
};

#define CLI_REPORT_DEFAULTS                                                    \
    {                                                                          \
        .opts = REPORT_DEFAULTS                                                \
    }

/* Sets *o to the option of format i: cli_spec.option_at. */
bool cli_format_option_at(size_t i, struct cli_option *o);

/* The other options; ends with a null name. */
extern const struct cli_option cli_report_options[];

/* Takes an option: cli_spec.take.  ctx is a struct cli_report. */
bool cli_take_report(void *ctx, int key, const char *value,
                     struct prof_err *err);

/*
 * Reads the inputs and writes the report, the check or the digests.  Reports
 * failures.
 */
void cli_report(struct cli *cli, struct cli_report *asked);
void cli_report_free(struct cli_report *asked);

#endif
