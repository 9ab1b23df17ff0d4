/* formats.c - the table of output formats */
#include <string.h>
#include <strings.h>

#include "report/report.h"

/*
 * One row for each `report_NAME`, in the order of --help.  A variant follows
 * the format whose option it shares.  If several formats share a suffix, the
 * suffix selects the first one.
 */
/* clang-format off */
#define FORMATS(ROW)                                                           \
    ROW(text)                                                                  \
    ROW(classic)                                                               \
    ROW(gprof)                                                                 \
    ROW(errors)                                                                \
    ROW(tree)                                                                  \
    ROW(gprof_tree)                                                            \
    ROW(peek)                                                                  \
    ROW(list)                                                                  \
    ROW(disasm)                                                                \
    ROW(tags)                                                                  \
    ROW(markdown)                                                              \
    ROW(traces)                                                                \
    ROW(comments)                                                              \
    ROW(strings)                                                               \
    ROW(raw)                                                                   \
    ROW(svg)                                                                   \
    ROW(pdf)                                                                   \
    ROW(png)                                                                   \
    ROW(ps)                                                                    \
    ROW(gif)                                                                   \
    ROW(gv)                                                                    \
    ROW(dot)                                                                   \
    ROW(flame)                                                                 \
    ROW(flame_svg)                                                             \
    ROW(flame_text)                                                            \
    ROW(heatmap)                                                               \
    ROW(heatmap_svg)                                                           \
    ROW(weblist)                                                               \
    ROW(folded)                                                                \
    ROW(folded_annotated)                                                      \
    ROW(csv)                                                                   \
    ROW(tsv)                                                                   \
    ROW(json)                                                                  \
    ROW(jsonl)                                                                 \
    ROW(callgrind)                                                             \
    ROW(callgrind_all)                                                         \
    ROW(speedscope)                                                            \
    ROW(firefox)                                                               \
    ROW(textproto)                                                             \
    ROW(proto)                                                                 \
    ROW(topproto)
/* clang-format on */

#define DECLARE(name) extern const struct report_format report_##name;
#define ADDRESS(name) &report_##name,

FORMATS(DECLARE)

static const struct report_format *const formats[] = {FORMATS(ADDRESS) NULL};

const struct report_format *report_format_at(size_t i)
{
    return formats[i];
}

const char *report_format_heading(size_t i)
{
    const struct report_format *f = formats[i];
    return f == &report_text     ? "Text formats"
           : f == &report_svg    ? "Picture and page formats"
           : f == &report_folded ? "Data formats"
                                 : NULL;
}

const struct report_format *report_find_format(const char *name,
                                               const char *variant)
{
    for (size_t i = 0; formats[i]; i++) {
        const char *v = formats[i]->variant;
        if (!strcmp(formats[i]->name, name) &&
            (v && variant ? !strcmp(v, variant) : v == variant))
            return formats[i];
    }
    return NULL;
}

/*
 * Returns the length of the longest suffix of the format that the path ends in,
 * or 0.
 */
static size_t suffix_of(const struct report_format *f, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    size_t n = strlen(name), longest = 0;
    for (const char *s = f->suffixes; s && *s; s += strspn(s, " ")) {
        size_t k = strcspn(s, " ");
        /* A suffix follows a dot and at least one character. */
        bool ends = n > k + 1 && name[n - k - 1] == '.' &&
                    !strncasecmp(name + n - k, s, k);
        if (ends && k > longest)
            longest = k;
        s += k;
    }
    return longest;
}

bool report_has_suffix(const struct report_format *f, const char *path)
{
    return suffix_of(f, path);
}

const struct report_format *
report_variant_of_file(const struct report_format *f, const char *path)
{
    if (f->variant || suffix_of(f, path))
        return f;
    for (size_t i = 0; formats[i]; i++)
        if (!strcmp(formats[i]->name, f->name) && suffix_of(formats[i], path))
            return formats[i];
    return f;
}

const struct report_format *report_format_of_file(const char *path)
{
    const struct report_format *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; formats[i]; i++) {
        size_t n = suffix_of(formats[i], path);
        if (n > longest) {
            longest = n;
            found = formats[i];
        }
    }
    return found;
}
