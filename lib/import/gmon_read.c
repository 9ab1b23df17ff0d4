#include <stdio.h>
#include <string.h>

#include "import/gmon_form.h"
#include "io/kind.h"

/* The first word of old Darwin files, of 32-bit and 64-bit programs. */
#define DARWIN_32 0xbeefbabeU
#define DARWIN_64 0xbeefbabfU

/* What LD_PROFILE puts in the place of the GNU version. */
#define LD_PROFILE_VERSION 0x1ffffU

static const struct gmon_form forms[] = {
    {8, false}, {4, false}, {8, true}, {4, true}};
enum { N_FORMS = sizeof forms / sizeof *forms };

static bool starts_word(const uint8_t *data, size_t n, size_t at, uint32_t word)
{
    return at + 4 <= n && (gmon_uint(data + at, 4, false) == word ||
                           gmon_uint(data + at, 4, true) == word);
}

/* The form of a 4.4BSD file, by where its version is. */
static bool bsd44_form(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; i < N_FORMS; i++) {
        size_t at = 2 * (size_t)forms[i].addr_size + 4;
        if (at + 4 <= n &&
            gmon_u32(data + at, forms[i]) == GMON_BSD44_VERSION) {
            *form = forms[i];
            return true;
        }
    }
    return false;
}

/*
 * Old BSD files have no mark, but a head (low, high, size of head and bins;
 * 24 bytes where the size is padded) that fits the length and the bins.
 */
static bool fits_old_bsd(const uint8_t *data, size_t n, struct gmon_form form,
                         size_t head)
{
    size_t a = form.addr_size;
    if (n < head)
        return false;
    uint64_t low = gmon_addr(data, form), high = gmon_addr(data + a, form);
    uint32_t size = gmon_u32(data + 2 * a, form);
    if (low >= high || size <= head || size > n || (size - head) % 2)
        return false;
    uint64_t width = (high - low) / ((size - head) / 2);
    return width >= 1 && width <= 64 && (n - size) % (3 * a) == 0;
}

static bool is_old_bsd(const uint8_t *data, size_t n)
{
    for (int i = 0; i < N_FORMS; i++) {
        size_t head = 2 * (size_t)forms[i].addr_size + 4;
        if (fits_old_bsd(data, n, forms[i], head) ||
            (forms[i].addr_size == 8 && fits_old_bsd(data, n, forms[i], 24)))
            return true;
    }
    return false;
}

static bool unknown(const uint8_t *data, size_t n, struct err *err)
{
    char bytes[3 * 8 + 1] = "";
    if (!n)
        return err_set(err, ERR_INPUT,
                       "the file is empty: a program writes its gmon.out "
                       "when it returns from main or calls exit");
    if (starts_word(data, n, 0, DARWIN_32) ||
        starts_word(data, n, 0, DARWIN_64))
        return err_set(err, ERR_INPUT,
                       "offset 0: a gmon.out of old Darwin (0xbeefbabe), "
                       "which is not read");
    if (is_old_bsd(data, n))
        return err_set(err, ERR_INPUT,
                       "offset 0: looks like a gmon.out of the old BSD format "
                       "(no version in its header), which is not read");
    const char *kind = kind_of(data, n);
    if (kind)
        return err_set(err, ERR_INPUT, "this is %s, not a gmon.out", kind);
    for (size_t i = 0; i < n && i < 8; i++)
        (void)snprintf(bytes + 3 * i, 4, " %02x", data[i]);
    return err_set(err, ERR_INPUT, "offset 0: not a gmon.out: begins with%s",
                   bytes);
}

static bool read_gnu(struct gmon *g, const uint8_t *data, size_t n,
                     const struct gmon_opts *opts, const struct notes *notes,
                     struct err *err)
{
    if (n < GMON_GNU_HEADER)
        return err_set(err, ERR_INPUT,
                       "the file is cut short: header of %d bytes, %zu are "
                       "there",
                       GMON_GNU_HEADER, n);
    if (starts_word(data, n, 4, LD_PROFILE_VERSION))
        return err_set(err, ERR_INPUT,
                       "offset 4: a shared library's profile, made by "
                       "LD_PROFILE (version 0x1ffff), which is not read");
    return gmon_read_gnu(g, data, n, opts, notes, err);
}

static void tell(const struct gmon *g, const struct notes *notes)
{
    if (g->form.addr_size)
        note_info(notes, "%s, %s: histograms: %zu, arcs: %zu",
                  g->family == GMON_GNU ? "GNU format" : "4.4BSD format",
                  gmon_form_text(g->form), g->hists.n, g->arcs.n);
}

static bool is_gnu(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "gmon", 4) == 0;
}

bool gmon_begins(const uint8_t *data, size_t n)
{
    struct gmon_form form;
    return is_gnu(data, n) || bsd44_form(data, n, &form);
}

bool gmon_read(struct gmon *g, const uint8_t *data, size_t n,
               const struct gmon_opts *opts, const struct notes *notes,
               struct err *err)
{
    struct gmon_form form;
    bool ok;
    memset(g, 0, sizeof *g);
    if (is_gnu(data, n)) {
        g->family = GMON_GNU;
        ok = read_gnu(g, data, n, opts, notes, err);
    } else if (bsd44_form(data, n, &form)) {
        g->family = GMON_BSD44;
        if (!gmon_form_allowed(form, opts))
            return err_set(err, ERR_INPUT,
                           "offset %u: the header is %s, not what "
                           "--addr-size or --byte-order say",
                           2 * form.addr_size + 4, gmon_form_text(form));
        ok = gmon_read_bsd44(g, data, n, form, opts, notes, err);
    } else {
        return unknown(data, n, err);
    }
    if (!ok || !gmon_settle(g, err))
        return false;
    tell(g, notes);
    return true;
}
