/* hint.c - what to write instead of an unknown option */
#include "cli/hint.h"

#include <string.h>

#include "cli/private.h"

enum {
    NAME_MAX_BYTES = 40, /* no name of an option is longer */
    SHORT_NAME = 4,      /* bytes; of longer ones two may be wrong */
};

/* Options of pprof that no tool has, and what does the same. */
static const struct {
    const char *name, *instead;
} of_pprof[] = {
    {"http", "'pbcat --flame -o FILE.html' makes a page for a browser"},
    {"web", "'pbcat --svg -o FILE.svg' makes a picture for a browser"},
    {"eog", "'pbcat --svg -o FILE.svg' makes a picture"},
    {"evince", "'pbcat --pdf -o FILE.pdf' makes a document"},
    {"kcachegrind",
     "'pbcat --callgrind -o FILE' writes what KCachegrind opens"},
    {"proto", "'pbfilter -o FILE' writes a profile"},
    {"interactive", "each report is a command of its own"},
    {"no-browser", "no tool opens a browser"},
    {"symbolize", "pbsym adds symbols"},
    {"tools", "pbcat has --objdump=PROGRAM; other programs are not needed"},
    {"buildid", "pbsym reads build IDs of mappings and binaries"},
    {"add-comment", "no tool adds comments"},
    {"seconds", "profiles are read from files: 'curl URL | pbcat'"},
    {"timeout", "profiles are read from files: 'curl URL | pbcat'"},
    {"inuse-space", "'--sample-index=inuse_space' of pbcat and pbfilter"},
    {"inuse-objects", "'--sample-index=inuse_objects' of pbcat and pbfilter"},
    {"alloc-space", "'--sample-index=alloc_space' of pbcat and pbfilter"},
    {"alloc-objects", "'--sample-index=alloc_objects' of pbcat and pbfilter"},
    {"total-delay", "'--sample-index=delay' of pbcat and pbfilter"},
    {"contentions", "'--sample-index=contentions' of pbcat and pbfilter"},
    {"mean-delay", "'--mean --sample-index=delay' of pbcat and pbfilter"},
};

/* Of the word behind its dashes: all before "=". */
static size_t name_length(const char *name)
{
    return strcspn(name, "=");
}

static bool is_name(const char *known, const char *name, size_t n)
{
    if (strlen(known) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((name[i] == '_' ? '-' : name[i]) != known[i])
            return false;
    return true;
}

const struct cli_option *hint_find(const struct cli *cli, const char *name,
                                   size_t n)
{
    const struct cli_private *priv = cli->private;
    for (size_t i = 0; i < priv->options.n; i++)
        if (is_name(priv->options.v[i].name, name, n))
            return &priv->options.v[i];
    return NULL;
}

/* What does the same as an option of pprof; or null. */
static const char *find_instead(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof of_pprof / sizeof *of_pprof; i++)
        if (is_name(of_pprof[i].name, name, n))
            return of_pprof[i].instead;
    return NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many bytes must be inserted, removed or replaced; both names are short.
 */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t other = before + (a[i - 1] != b[j - 1]);
            before = row[j];
            row[j] = least(other, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[m];
}

/* The only option that begins so; null: there is none, or another. */
static const char *find_begun(const struct cli_private *priv, const char *name,
                              size_t n)
{
    const char *found = NULL;
    for (size_t i = 0; i < priv->options.n; i++) {
        const char *known = priv->options.v[i].name;
        if (strncmp(known, name, n) != 0)
            continue;
        if (found)
            return NULL;
        found = known;
    }
    return found;
}

/* An option that may have been meant; or null. */
static const char *find_like(const struct cli_private *priv, const char *name,
                             size_t n)
{
    if (n < 2 || n > NAME_MAX_BYTES)
        return NULL;
    const char *found = find_begun(priv, name, n);
    size_t best = n > SHORT_NAME ? 3 : 2;
    for (size_t i = 0; !found && i < priv->options.n; i++) {
        size_t m = strlen(priv->options.v[i].name);
        if (m > NAME_MAX_BYTES)
            continue;
        best = least(best, distance(name, n, priv->options.v[i].name, m));
    }
    for (size_t i = 0; !found && i < priv->options.n; i++) {
        const char *known = priv->options.v[i].name;
        size_t m = strlen(known);
        if (m <= NAME_MAX_BYTES && best < (n > SHORT_NAME ? 3 : 2) &&
            distance(name, n, known, m) == best)
            found = known;
    }
    return found;
}

bool hint_is_long(const struct cli *cli, const char *word, struct err *err)
{
    const char *name = word + 1;
    size_t n = name_length(name);
    if (word[0] != '-' || word[1] == '-' || n < 2)
        return false;
    const struct cli_option *o = hint_find(cli, name, n);
    const char *instead = o ? NULL : find_instead(name, n);
    if (o)
        (void)err_set(err, ERR_USAGE,
                      "'-%.*s': long options have two dashes: --%s%s", (int)n,
                      name, o->name, name + n);
    else if (instead)
        (void)err_set(err, ERR_USAGE, "unknown option '-%.*s': %s", (int)n,
                      name, instead);
    return o || instead;
}

bool hint_unknown(const struct cli *cli, const char *word, struct err *err)
{
    const char *name = word + 2;
    size_t n = name_length(name);
    const char *instead = find_instead(name, n);
    const char *like = instead ? NULL : find_like(cli->private, name, n);
    if (instead)
        return err_set(err, ERR_USAGE, "unknown option '--%.*s': %s", (int)n,
                       name, instead);
    if (like)
        return err_set(err, ERR_USAGE,
                       "unknown option '--%.*s'; did you mean '--%s'?", (int)n,
                       name, like);
    return err_set(err, ERR_USAGE, "unknown option '--%.*s'; try '%s --help'",
                   (int)n, name, cli->tool);
}
