/*
 * textproto.c - the message in protobuf's text format
 *
 * The message is printed as it is in the file, with its own ids and string
 * table, whether or not it is a valid profile.  It is read along the schema and
 * not decoded, so a large one takes no memory.
 *
 * The format is that of protoc --decode
 * (https://protobuf.dev/reference/protobuf/textformat-spec/): fields in order
 * of number, then unknown ones.  Messages nest as the schema does, which limits
 * the recursion.
 */
#include <inttypes.h>
#include <string.h>

#include "profile/columns.h"
#include "profile/wire/schema.h"
#include "profile/wire/wire.h"

struct printer {
    struct buf *out;
    unsigned depth;
    struct prof_err *err;
};

static bool put_message(struct printer *pr, const struct schema_type *message,
                        const struct wire *bytes);

static bool put_indent(const struct printer *pr)
{
    for (unsigned i = 0; i < pr->depth; i++)
        if (!buf_puts(pr->out, "  "))
            return false;
    return true;
}

static bool put_quoted_bytes(struct buf *out, const struct wire *bytes)
{
    static const char plain[] = "\n\r\t\"'\\", letter[] = "nrt\"'\\";
    bool ok = buf_putc(out, '"');
    for (const uint8_t *at = bytes->at; ok && at != bytes->end; at++) {
        const char *found = *at ? strchr(plain, *at) : NULL;
        if (found)
            ok = buf_putc(out, '\\') && buf_putc(out, letter[found - plain]);
        else if (*at >= 0x20 && *at < 0x7f)
            ok = buf_putc(out, (char)*at);
        else
            ok = buf_printf(out, "\\%03o", (unsigned)*at);
    }
    return ok && buf_putc(out, '"');
}

static bool put_number_field(struct printer *pr, const struct schema_field *d,
                             uint64_t value)
{
    bool ok =
        put_indent(pr) && buf_puts(pr->out, d->name) && buf_puts(pr->out, ": ");
    if (d->type->kind == SCHEMA_BOOL)
        ok = ok && buf_puts(pr->out, value ? "true" : "false");
    else if (d->type->kind == SCHEMA_INT64)
        ok = ok && buf_put_i64(pr->out, (int64_t)value);
    else
        ok = ok && buf_put_u64(pr->out, value);
    return (ok && buf_putc(pr->out, '\n')) || err_nomem(pr->err);
}

/* Prints a string, or a message within the message. */
static bool put_bytes(struct printer *pr, const struct schema_field *d,
                      const struct wire *bytes)
{
    if (!put_indent(pr) || !buf_puts(pr->out, d->name))
        return err_nomem(pr->err);
    if (d->type->kind == SCHEMA_STRING)
        return (buf_puts(pr->out, ": ") && put_quoted_bytes(pr->out, bytes) &&
                buf_putc(pr->out, '\n')) ||
               err_nomem(pr->err);
    if (!buf_puts(pr->out, " {\n"))
        return err_nomem(pr->err);
    pr->depth++;
    if (!put_message(pr, d->type, bytes))
        return false;
    pr->depth--;
    return (put_indent(pr) && buf_puts(pr->out, "}\n")) || err_nomem(pr->err);
}

/* Returns whether the field can have this wire type; if not, it is unknown. */
static inline bool is_field(const struct schema_type *message,
                            const struct schema_field *d,
                            const struct wire_field *f)
{
    return d && d == schema_find(message, f->number) &&
           schema_takes(d, f->type);
}

static bool put_repeated(struct printer *pr, const struct schema_type *message,
                         const struct schema_field *d, struct wire bytes)
{
    while (!wire_done(&bytes)) {
        struct wire_field f;
        bool ok = wire_field(&bytes, &f, pr->err);
        if (!ok || !is_field(message, d, &f))
            ;
        else if (f.type == WIRE_VARINT)
            ok = put_number_field(pr, d, f.value);
        else if (d->type->kind >= SCHEMA_STRING)
            ok = put_bytes(pr, d, &f.bytes);
        else
            while (ok && !wire_done(&f.bytes))
                ok = wire_varint(&f.bytes, &f.value, pr->err) &&
                     put_number_field(pr, d, f.value);
        if (!ok)
            return false;
    }
    return true;
}

/*
 * Prints a field that occurs at most once.  Of repeated numbers the last
 * counts, and 0 means absent; repeated messages are merged, as if their bytes
 * were concatenated.
 */
static bool put_single(struct printer *pr, const struct schema_type *message,
                       const struct schema_field *d, struct wire bytes)
{
    struct buf joined = {0};
    uint64_t value = 0;
    bool present = false, ok = true;
    while (ok && !wire_done(&bytes)) {
        struct wire_field f = {0};
        ok = wire_field(&bytes, &f, pr->err);
        if (!ok || !is_field(message, d, &f))
            continue;
        present = true;
        value = f.value;
        if (f.type == WIRE_BYTES)
            ok = buf_put(&joined, f.bytes.at, wire_left(&f.bytes)) ||
                 err_nomem(pr->err);
    }
    if (ok && d->type->kind == SCHEMA_MESSAGE && present) {
        struct wire all = wire_of(joined.v, joined.n);
        ok = put_bytes(pr, d, &all);
    } else if (ok && value) {
        ok = put_number_field(pr, d, value);
    }
    buf_free(&joined);
    return ok;
}

static bool put_unknown(struct printer *pr, const struct schema_type *message,
                        struct wire bytes)
{
    while (!wire_done(&bytes)) {
        struct wire_field f;
        if (!wire_field(&bytes, &f, pr->err))
            return false;
        if (is_field(message, schema_find(message, f.number), &f))
            continue;
        bool ok =
            put_indent(pr) && buf_printf(pr->out, "%" PRIu32 ": ", f.number);
        if (f.type == WIRE_BYTES)
            ok = ok && put_quoted_bytes(pr->out, &f.bytes);
        else if (f.type == WIRE_VARINT)
            ok = ok && buf_put_u64(pr->out, f.value);
        else
            ok = ok && buf_printf(pr->out, "0x%0*" PRIx64,
                                  f.type == WIRE_FIXED32 ? 8 : 16, f.value);
        if (!ok || !buf_putc(pr->out, '\n'))
            return err_nomem(pr->err);
    }
    return true;
}

static bool put_message(struct printer *pr, const struct schema_type *message,
                        const struct wire *bytes)
{
    uint32_t seen = 0; /* bit n is set if field n is present */
    bool has_unknown = false;
    for (struct wire w = *bytes; !wire_done(&w);) {
        struct wire_field f;
        if (!wire_field(&w, &f, pr->err))
            return false;
        if (is_field(message, schema_find(message, f.number), &f))
            seen |= (uint32_t)1 << f.number;
        else
            has_unknown = true;
    }
    for (uint32_t number = 1; number <= message->last; number++) {
        const struct schema_field *d = schema_find(message, number);
        if (!(seen >> number & 1))
            continue;
        bool ok = d->is_repeated ? put_repeated(pr, message, d, *bytes)
                                 : put_single(pr, message, d, *bytes);
        if (!ok)
            return false;
    }
    return !has_unknown || put_unknown(pr, message, *bytes);
}

bool prof_put_textproto(struct buf *to, const uint8_t *data, size_t n,
                        struct prof_err *err)
{
    struct printer pr = {.out = to, .err = err};
    struct wire bytes = wire_of(data, n);
    return put_message(&pr, &schema_profile, &bytes);
}
