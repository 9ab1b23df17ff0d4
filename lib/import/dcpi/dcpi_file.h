/*
 * dcpi_file.h - one DCPI profile as its file has it, before it is joined
 *
 * Inside lib/import/dcpi*.c only.  Spans point into the input.  Readers
 * append to a list of files (dcpicat dumps may follow one another) and tell
 * of oddities through dcpi_odd().
 */
#ifndef PROFUTILS_IMPORT_DCPI_FILE_H
#define PROFUTILS_IMPORT_DCPI_FILE_H

#include "base/vec.h"
#include "import/dcpi/dcpi.h"

/* The Alpha's instructions, and so the step from count to count. */
#define DCPI_INSN 4U

/* The fraction of an event that was counted all the time. */
#define DCPI_FULL_TIME 10000U

struct dcpi_span {
    const char *s;
    size_t n;
};

/* For "%.*s": the span, cut to what a message can bear. */
#define DCPI_SHOW(span) (int)((span).n < 80 ? (span).n : 80), (span).s

enum dcpi_form {
    DCPI_NEITHER,
    DCPI_BINARY = 1, /* header, chunks, footer */
    DCPI_TEXT = 2,   /* printed by dcpicat */
};

enum dcpi_field {
    DCPI_VERSION,
    DCPI_NAME,
    DCPI_IMAGE,
    DCPI_LABEL,
    DCPI_PATH,
    DCPI_EPOCH,
    DCPI_PLATFORM,
    DCPI_TSTART,
    DCPI_TSIZE,
    DCPI_EVENT,
    DCPI_PERIOD,
    DCPI_CPUSPEED,
    DCPI_CPU_OTHER, /* cpuamask, cpuimplv, cpucount: kept, not used */
    DCPI_UNKNOWN,
    DCPI_N_FIELDS
};

/* An event of the file: a column of its counts. */
struct dcpi_column {
    struct dcpi_span name;
    uint64_t total;    /* as stated (text) */
    uint64_t sum;      /* as counted */
    uint64_t period;   /* events per sample; 0: unknown */
    uint64_t fraction; /* share of the time it was counted, times 10000 */
    uint64_t hz;       /* cycles only: of the processor; 0: unknown */
};

/* A count and what it stands for, 0 if that is not known. */
struct dcpi_values {
    int64_t samples, events, nanos;
};

/* A count that is not zero. */
struct dcpi_count {
    uint64_t pc;
    struct dcpi_values values;
    uint32_t column;
};

struct dcpi_file {
    size_t seen[DCPI_N_FIELDS]; /* number of the field's line; 0: none */
    struct dcpi_span name, image, label, path, platform; /* s null: none */
    bool unproven; /* binary: only the footer's totals tell the version */
    uint64_t text_start, text_size;
    uint64_t period;    /* binary: the column's, until the header ends */
    uint64_t hz;        /* the columns', until the header ends */
    int64_t time_nanos; /* 0: unknown */
    VEC(struct dcpi_span) kept; /* header lines for the comments */
    VEC(struct dcpi_column) columns;
    VEC(struct dcpi_count) counts;
};

struct dcpi_files {
    struct dcpi_file *v;
    size_t n, cap;
};

struct dcpi_ctx {
    const struct dcpi_opts *opts;
    const struct notes *notes;
};

/* Lines of an input; set s and n, zero the rest. */
struct dcpi_lines {
    const char *s;
    size_t n, at;
    size_t number; /* of the last line, from 1 */
    bool ended;    /* the last line had its LF */
    bool cr;       /* ... and a CR before it, which is no part of it */
};

/* The next line without its end; false when there is none. */
bool dcpi_next_line(struct dcpi_lines *l, struct dcpi_span *line);

/* Cuts the first word off *rest, blanks on both sides of it dropped. */
struct dcpi_span dcpi_word(struct dcpi_span *rest);

static inline bool dcpi_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool dcpi_is(struct dcpi_span span, const char *text);

/* The whole span as a number; hexadecimal with or without 0x. */
bool dcpi_decimal(struct dcpi_span span, uint64_t *x);
bool dcpi_hex(struct dcpi_span span, uint64_t *x);

/* Whether the word is a PC, 0x in front. */
bool dcpi_is_pc(struct dcpi_span word, uint64_t *pc);

/* Notes a loss; false if that is an error. */
bool dcpi_odd(const struct dcpi_ctx *c, struct err *err, const char *fmt, ...)
    ERR_PRINTF(3, 4);

/* Which field a line of this form with this first word is. */
enum dcpi_field dcpi_field_of(struct dcpi_span word, enum dcpi_form form);

/*
 * Takes an event line: just a name (binary), or TOTAL NAME:PERIOD:FRACTION
 * whose name may hold colons itself (text).
 */
bool dcpi_take_event(const struct dcpi_ctx *c, struct dcpi_file *f,
                     enum dcpi_form form, struct dcpi_span value, size_t number,
                     struct err *err);

/* Takes one header line, not blank, into *f. */
bool dcpi_take_line(const struct dcpi_ctx *c, struct dcpi_file *f,
                    enum dcpi_form form, struct dcpi_span line, size_t number,
                    struct err *err);

/* Says what the complete header lacks, and settles what follows from it. */
bool dcpi_end_header(const struct dcpi_ctx *c, struct dcpi_file *f,
                     enum dcpi_form form, struct err *err);

/*
 * The epoch's time: YYMMDDHHMM (years from 1970 to 2069), YYYYMMDDHHMM or
 * YYYYMMDDHHMMSS, in UTC.  False when it is none of these or no such time.
 */
bool dcpi_epoch(struct dcpi_span epoch, int64_t *time_nanos);

/* Whether the first line says a version as only DCPI does. */
bool dcpi_has_version(const uint8_t *data, size_t n);

/*
 * Whether the bytes begin with a header: a version line, or another of its
 * lines and, within 64 KiB, one of an event or of the end.
 */
bool dcpi_begins(const uint8_t *data, size_t n);

/* What the first lines of the input look like. */
enum dcpi_form dcpi_sniff(const uint8_t *data, size_t n);

/* Readers of a whole input. */
bool dcpi_read_binary(const struct dcpi_ctx *c, const uint8_t *data, size_t n,
                      struct dcpi_files *files, struct err *err);
bool dcpi_read_text(const struct dcpi_ctx *c, const uint8_t *data, size_t n,
                    struct dcpi_files *files, struct err *err);
/* Every header line kept, none understood, whatever the version. */
bool dcpi_read_header(const uint8_t *data, size_t n, enum dcpi_form form,
                      struct dcpi_files *files, struct err *err);

/*
 * One count into *f, if it is not zero; false with a text that is to be
 * prefixed by the place, if memory is out or what it stands for does not
 * fit.
 */
bool dcpi_add_count(struct dcpi_file *f, uint64_t pc, uint64_t n,
                    uint32_t column, struct err *err);

/* A new file at the end of the list, or null. */
struct dcpi_file *dcpi_add_file(struct dcpi_files *files);
void dcpi_free_files(struct dcpi_files *files);

/*
 * n * mul / div, rounded half away from zero, exact; false if it does not
 * fit.  div is not 0.
 */
bool dcpi_scale(uint64_t n, uint64_t mul, uint64_t div, int64_t *out);

/* What n samples stand for; false if a number does not fit. */
bool dcpi_estimate(const struct dcpi_column *column, uint64_t n,
                   struct dcpi_values *out);

/* Whether dcpi_estimate() has anything to go by. */
static inline bool dcpi_has_estimate(const struct dcpi_column *column)
{
    return column->period && column->fraction;
}

static inline bool dcpi_is_cycles(const struct dcpi_column *column)
{
    return dcpi_is(column->name, "cycles");
}

/* Whether it holds the samples that no image was known for: unknown@HOST. */
bool dcpi_is_unknown(const struct dcpi_file *f);

#endif
