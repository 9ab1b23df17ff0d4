/* gmon_read.c - detects the format of a gmon.out file, and calls its reader */
#include <stdio.h>

#include "base/slice.h"
#include "formats/gmon/private.h"

/* The words of --format, and the option that each of them sets. */
static const struct word {
    const char *text;
    enum { FAMILY, ADDR_SIZE, ORDER, BIN_BITS, BIN_ORDER, COUNT_BITS } what;
    unsigned value;
} words[] = {
#define WORD(text, what, value) {text, what, value},
    GMON_FORMAT_TABLE(WORD, WORD)
#undef WORD
};

bool gmon_parse_format(struct gmon_opts *opts, const char *text,
                       struct prof_err *err)
{
    for (size_t n;; text += n + 1) {
        size_t i;
        n = strcspn(text, ",");
        if (!slice_find_word((struct prof_slice){text, n}, GMON_FORMAT_WORDS,
                             &i, err))
            return false;
        const unsigned value = words[i].value;
        switch (words[i].what) {
        case FAMILY:
            opts->family = (enum gmon_family)value;
            break;
        case ADDR_SIZE:
            opts->addr_size = value;
            break;
        case ORDER:
            opts->order = (enum gmon_order)value;
            break;
        case BIN_BITS:
            opts->bin_bits = value;
            break;
        case BIN_ORDER:
            opts->bin_order = (enum gmon_order)value;
            break;
        case COUNT_BITS:
            opts->count_bits = value;
            break;
        }
        if (!text[n])
            return true;
    }
}

/* The readers, in the order in which formats are tested. */
static const struct gmon_reader *const readers[] = {
    &gmon_gnu,     &gmon_ld_profile, &gmon_bsd44, &gmon_darwin,
    &gmon_old_bsd, &gmon_osf1,       NULL,
};

static const struct gmon_reader *reader_of(enum gmon_family family)
{
    const struct gmon_reader *const *r = readers;
    while (*r && (*r)->family != family)
        r++;
    return *r;
}

const char *gmon_family_text(enum gmon_family family)
{
    const struct gmon_reader *reader = reader_of(family);
    return reader ? reader->text : "any format";
}

/* Returns whether the data begins with the signature of a format. */
static bool is_marked(const uint8_t *data, size_t n)
{
    return gmon_is_gnu(data, n) || gmon_is_ld_profile(data, n) ||
           gmon_is_bsd44(data, n) || gmon_is_darwin(data, n);
}

const struct import_format gmon_format = {
    .name = "gmon",
    IMPORT_READ_BY("gmon2pb", "a gmon.out file"),
    .begins = is_marked,
};

gmon_begins_fn *gmon_begins_of(enum gmon_family family)
{
    return family == GMON_ANY ? is_marked : reader_of(family)->begins;
}

static bool refuse_unknown(const struct import_input *in, struct prof_err *err)
{
    const uint8_t *data = in->data;
    size_t n = in->n;
    char bytes[3 * 8 + 1] = "";
    if (!n)
        return err_input(err, "empty file (a program writes gmon.out when it "
                              "returns from main() or calls exit())");
    if (gmon_old_bsd.begins(data, n))
        return err_input(err, "offset 0: no gmon.out signature; if this is the "
                              "old BSD format, use --format=oldbsd");
    if (gmon_osf1.begins(data, n))
        return err_input(err, "offset 0: no gmon.out signature; if this is the "
                              "OSF/1 format, use --format=osf1");
    if (in->foreign)
        return err_input(err, "not a gmon.out file: found %s%s",
                         in->foreign->words, import_program_advice(data, n));
    for (size_t i = 0; i < n && i < 8; i++)
        (void)snprintf(bytes + 3 * i, 4, " %02x", data[i]);
    return err_input(err, "not a gmon.out file: begins with%s", bytes);
}

/* Returns the reader of the format `wanted`, or else of the detected one. */
static const struct gmon_reader *choose_reader(const struct import_input *in,
                                               enum gmon_family wanted,
                                               struct prof_err *err)
{
    const struct gmon_reader *const *found = readers;
    while (*found && !((*found)->lacks && (*found)->begins(in->data, in->n)))
        found++;
    if (!in->n || (!*found && wanted == GMON_ANY)) {
        (void)refuse_unknown(in, err);
        return NULL;
    }
    if (wanted == GMON_ANY)
        return *found;
    const struct gmon_reader *reader = reader_of(wanted);
    if (!reader->lacks || reader == *found)
        return reader;
    if (*found)
        (void)err_input(err,
                        "--format specifies the %s, but this file has the %s",
                        reader->text, (*found)->text);
    else
        (void)err_input(err,
                        "--format specifies the %s, but the file has no %s",
                        reader->text, reader->lacks);
    return NULL;
}

bool gmon_read(struct gmon *g, const struct import_input *in,
               const struct gmon_opts *opts, struct prof_err *err)
{
    const struct gmon_input input = {in->data, in->n, opts, in->notes};
    memset(g, 0, sizeof *g);
    const struct gmon_reader *reader = choose_reader(in, opts->family, err);
    if (!reader)
        return false;
    if (!reader->read(g, &input, err) || !gmon_sort_and_add(g, err))
        return false;
    g->family = reader->family;
    if (g->form.addr_size)
        note_info(in->notes, "%s, %s: histograms: %zu, arcs: %zu", reader->text,
                  gmon_form_text(g->form), g->hists.n,
                  g->arcs.n + g->entries.n);
    return true;
}
