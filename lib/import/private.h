/* private.h - what the files of lib/import itself share */
#ifndef PROFUTILS_IMPORT_PRIVATE_H
#define PROFUTILS_IMPORT_PRIVATE_H

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "import/import.h"

/* --- the text of a list of mappings (maps.h has its shapes) */

enum maps_kind {
    MAPS_BLANK,
    MAPS_OTHER,    /* no shape that is known */
    MAPS_MAPPING,  /* start < limit */
    MAPS_VARIABLE, /* name, of letters, digits and _, and value */
};

/* A line; names are slices of it. */
struct maps_line {
    enum maps_kind kind;
    uint64_t start, limit, offset;
    bool executable; /* "x" is among the permissions, or there are none */
    bool deleted;    /* " (deleted)" followed the name */
    struct slice name, build_id, value;
};

/* Takes a line, without its newline, apart. */
struct maps_line maps_line_parse(struct slice line);

/*
 * The variables of a list of mappings: `build=/home/me` makes "$build" mean
 * "/home/me" in the lines after it.  A variable is the longest run of letters,
 * digits and _ after the "$"; "$builder" is another one.  Unknown ones stay as
 * they are written.
 *
 * A few lines could make any amount of text of themselves, so that there are
 * two limits: on what a line becomes, and on what values put into all lines
 * together, which is 16 times the bytes of the list, and 1 MiB.
 */
struct maps_vars {
    struct strtab strings; /* names and values */
    VEC(uint32_t) value;   /* by id of the name: 1 + id of the value, or 0 */
    struct buf line;       /* the last line expanded */
    size_t room;           /* bytes that values may still put in */
};

/*
 * For a list of n bytes.  False when memory is out; *vars is safe to free all
 * the same.
 */
bool maps_vars_init(struct maps_vars *vars, size_t n);
void maps_vars_free(struct maps_vars *vars);

/* Sets a variable, or gives it another value. */
bool maps_vars_set(struct maps_vars *vars, struct slice name,
                   struct slice value, struct err *err);

/*
 * Puts values in the place of variables in *line, which then is good until
 * the next call.  A line that would grow past 64 KiB is ERR_INPUT, and so is
 * a list that would grow past what is told above.
 */
bool maps_vars_expand(struct maps_vars *vars, struct slice *line,
                      struct err *err);

#endif
