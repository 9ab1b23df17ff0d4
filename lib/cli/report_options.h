/*
 * report_options.h - what pbcat's command line asks for
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
 *      ok = cli_report_begin(&asked, &cli, &err);
 *      ... asked.format, asked.opts ...
 *      cli_report_end(&asked);
 *
 * The options of formats are those of report.h.  Any other option is a row in
 * the table of report_options.c and a case in cli_take_report().
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
    struct filter_opts filter;
    bool filters; /* there are some */
    bool check;   /* examine, in place of a report; format: null or JSON */
    bool check_all;
    enum terminal_color color;
    struct cli_bases bases; /* to be subtracted from what is shown */
    bool digest;            /* in place of a report; `format` is JSON or text */
    const char *path;       /* --path, or null */
    char *binary_path;      /* what becomes of it; opts has it too */
    char *base_name, *minuend_name; /* of opts.base and opts.minuend */
};

#define CLI_REPORT_DEFAULTS                                                    \
    {                                                                          \
        .opts = REPORT_DEFAULTS                                                \
    }

/* The option that asks for a format, as "--flame=svg"; it fits. */
enum { CLI_FORMAT_OPTION = 40 };
const char *cli_format_option(const struct report_format *f,
                              char text[CLI_FORMAT_OPTION]);

/* The options of formats, for struct cli_spec. */
bool cli_format_option_at(size_t i, struct cli_option *o);

/* The other options; ends with a null name. */
extern const struct cli_option cli_report_options[];

/*
 * Once all options were taken: the format is known, and opts.filter made.
 * ERR_USAGE when options do not go together; a warning for each option on
 * values that the format does not honour, and for an output whose suffix
 * suggests another format.  Without an option for it, the suffix of the output
 * chooses the format.
 */
bool cli_report_begin(struct cli_report *asked, const struct cli *cli,
                      struct err *err);
/*
 * All inputs as one profile, less the bases: as cli_read_profile().  Only
 * sample types that all of them have are kept, as in pprof.
 */
bool cli_report_read(struct cli_report *asked, struct cli *cli,
                     struct profile *p);
void cli_report_end(struct cli_report *asked);

/* A `take` of struct cli_spec; ctx is a struct cli_report. */
bool cli_take_report(void *ctx, int key, const char *value, struct err *err);

#endif
