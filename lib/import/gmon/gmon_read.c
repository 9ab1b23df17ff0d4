#include <stdio.h>
#include <string.h>

#include "import/gmon/gmon_form.h"

const char *gmon_family_text(enum gmon_family family)
{
    static const char *const texts[] = {
        [GMON_ANY] = "any format",
        [GMON_GNU] = "GNU format",
        [GMON_BSD44] = "4.4BSD format",
        [GMON_OLD_BSD] = "old BSD format",
        [GMON_OSF1] = "OSF/1 format",
        [GMON_LD_PROFILE] = "LD_PROFILE format",
        [GMON_DARWIN] = "Darwin format",
    };
    return texts[family];
}

static bool is_tagged(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "gmon", 4) == 0;
}

static bool is_ld_profile(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) && n >= 8 &&
           (gmon_uint(data + 4, 4, false) == GMON_LD_PROFILE_VERSION ||
            gmon_uint(data + 4, 4, true) == GMON_LD_PROFILE_VERSION);
}

static bool is_gnu(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) && !is_ld_profile(data, n);
}

static bool is_bsd44(const uint8_t *data, size_t n)
{
    struct gmon_form form;
    return gmon_bsd44_form(data, n, &form);
}

static bool is_darwin(const uint8_t *data, size_t n)
{
    struct gmon_form form;
    return gmon_darwin_form(data, n, &form);
}

/* The formats in the order in which they are looked for. */
static const struct format {
    enum gmon_family family;
    gmon_begins_fn *begins;
    bool (*read)(struct gmon *g, const struct gmon_input *in, struct err *err);
    const char *lacks; /* what a file that does not begin so has not;
                          null: nothing marks one */
} formats[] = {
    {GMON_GNU, is_gnu, gmon_read_gnu, "\"gmon\" and a version of it"},
    {GMON_LD_PROFILE, is_ld_profile, gmon_read_ld_profile,
     "\"gmon\" and version 0x1ffff"},
    {GMON_BSD44, is_bsd44, gmon_read_bsd44, "version 0x51879 in its header"},
    {GMON_DARWIN, is_darwin, gmon_read_darwin, "0xbeefbabe or 0xbeefbabf"},
    {GMON_OLD_BSD, gmon_fits_old_bsd, gmon_read_old_bsd, NULL},
    {GMON_OSF1, gmon_fits_old_bsd, gmon_read_old_bsd, NULL},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct format *format_of(enum gmon_family family)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].family == family)
            return &formats[i];
    return NULL;
}

/* The format that marks the bytes. */
static const struct format *find_format(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].lacks && formats[i].begins(data, n))
            return &formats[i];
    return NULL;
}

bool gmon_begins(const uint8_t *data, size_t n)
{
    return find_format(data, n);
}

gmon_begins_fn *gmon_begins_of(enum gmon_family family)
{
    return family == GMON_ANY ? gmon_begins : format_of(family)->begins;
}

static bool unknown(const uint8_t *data, size_t n, const char *foreign,
                    struct err *err)
{
    char bytes[3 * 8 + 1] = "";
    if (!n)
        return err_set(err, ERR_INPUT,
                       "the file is empty: a program writes its gmon.out "
                       "when it returns from main or calls exit");
    if (gmon_fits_old_bsd(data, n))
        return err_set(err, ERR_INPUT,
                       "offset 0: not a gmon.out that says so, but perhaps "
                       "one of the old BSD format: --format=oldbsd reads it");
    if (foreign)
        return err_set(err, ERR_INPUT, "this is %s, not a gmon.out", foreign);
    for (size_t i = 0; i < n && i < 8; i++)
        (void)snprintf(bytes + 3 * i, 4, " %02x", data[i]);
    return err_set(err, ERR_INPUT, "offset 0: not a gmon.out: begins with%s",
                   bytes);
}

/* The format that the options or else the bytes say. */
static const struct format *choose_format(const struct gmon_input *in,
                                          struct err *err)
{
    const struct format *found = find_format(in->data, in->n);
    enum gmon_family wanted = in->opts->family;
    if (!in->n || (!found && wanted == GMON_ANY)) {
        (void)unknown(in->data, in->n, in->opts->foreign, err);
        return NULL;
    }
    if (wanted == GMON_ANY)
        return found;
    const struct format *format = format_of(wanted);
    if (!format->lacks || format == found)
        return format;
    if (found)
        (void)err_set(
            err, ERR_INPUT, "not of the %s that --format says but of the %s",
            gmon_family_text(wanted), gmon_family_text(found->family));
    else
        (void)err_set(err, ERR_INPUT,
                      "not of the %s that --format says: it has no %s",
                      gmon_family_text(wanted), format->lacks);
    return NULL;
}

static void tell(const struct gmon *g, const struct notes *notes)
{
    if (g->form.addr_size)
        note_info(notes, "%s, %s: histograms: %zu, arcs: %zu",
                  gmon_family_text(g->family), gmon_form_text(g->form),
                  g->hists.n, g->arcs.n + g->entries.n);
}

bool gmon_read(struct gmon *g, const uint8_t *data, size_t n,
               const struct gmon_opts *opts, const struct notes *notes,
               struct err *err)
{
    const struct gmon_input in = {data, n, opts, notes};
    memset(g, 0, sizeof *g);
    const struct format *format = choose_format(&in, err);
    if (!format)
        return false;
    g->family = format->family;
    if (!format->read(g, &in, err) || !gmon_settle(g, err))
        return false;
    tell(g, notes);
    return true;
}
