/* pbcat.c - prints a profile as a report */
#include "cli/cli.h"
#include "cli/report_options.h"
#include "symbolize/symbol.h"

int main(int argc, char **argv)
{
    struct cli cli;
    struct cli_report asked = CLI_REPORT_DEFAULTS;
    static const struct library_about *const libraries[] = {&cli_regex_library,
                                                            &sym_library, NULL};
    const struct cli_spec spec = {
        .tool = "pbcat",
        .synopsis = "[option ...] [profile ...]",
        .summary = "Prints a profile, or the sum of several, as a report.\n"
                   "The suffix of -o FILE chooses the format if no option "
                   "does: .html, .svg ...",
        .examples = "pbcat --cum -n 10 cpu.pb.gz\n"
                    "pbcat --flame -o cpu.html cpu.pb.gz",
        .peer = CLI_GPROF,
        .option_at = cli_format_option_at,
        .options = cli_report_options,
        .libraries = libraries,
        .shared = CLI_OUTPUT | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = cli_take_report,
        .ctx = &asked,
    };
    asked.argv = argv;
    int status = cli_begin(&cli, &spec, argc, argv);
    if (status < 0) {
        cli_report(&cli, &asked);
        status = cli_end(&cli);
    }
    cli_report_free(&asked);
    return status;
}
