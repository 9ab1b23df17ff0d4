/*
 * maps_line.h - one line of a list of mappings, taken apart
 *
 * Nothing is copied: names are slices of the line.  See maps.h for the
 * shapes that are understood.
 */
#ifndef PROFUTILS_IMPORT_MAPS_LINE_H
#define PROFUTILS_IMPORT_MAPS_LINE_H

#include "base/slice.h"

enum maps_kind {
    MAPS_BLANK,
    MAPS_OTHER,    /* no shape that is known */
    MAPS_MAPPING,  /* start < limit */
    MAPS_VARIABLE, /* name, of letters, digits and _, and value */
};

struct maps_line {
    enum maps_kind kind;
    uint64_t start, limit, offset;
    bool executable; /* "x" is among the permissions, or there are none */
    bool deleted;    /* " (deleted)" was behind the name */
    struct slice name, build_id, value;
};

/*
 * A line without the "...file.cc:12] " that a log put in front of it. Comments,
 * headers, and numbers with 0x do not begin so, whatever follows them.
 */
struct slice maps_line_unlog(struct slice line);

/* Takes a line, without its newline, apart. */
struct maps_line maps_line_parse(struct slice line);

#endif
