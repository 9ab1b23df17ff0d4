/*
 * weblist.h - what --weblist shows: code with the sources it was made from
 *
 * Addresses of the samples lead to stretches of machine code around them,
 * these to the source lines of their instructions, and those to functions:
 *
 *      weblist_collect()    wl->addrs
 *      weblist_code()       wl->insts, wl->frames
 *      weblist_places()     wl->places
 *
 * What is shown follows pprof (internal/report/source.go of
 * https://github.com/google/pprof) rule by rule, so that its lines and numbers
 * are the same: an instruction belongs to a line in each of its frames, be
 * they inlined or not, whose function is asked for.  Cumulative values count
 * each frame of a stack; code that calls itself counts more than once.
 *
 * Strings are ids in wl->names.  Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_WEBLIST_H
#define PROFUTILS_REPORT_WEBLIST_H

#include "base/vec.h"
#include "report/code/binaries.h"
#include "report/code/pattern.h"

/* An address of the program as it ran that samples have. */
struct weblist_addr {
    uint64_t address;
    int64_t flat, cum;
    uint32_t location; /* of the profile; the first of them that is .. */
    bool wanted;       /* .. asked for, in the order of samples */
    uint32_t turn;     /* private: its place in that order */
};

/* An instruction, or an address without code. */
struct weblist_inst {
    uint64_t address; /* as the program ran */
    uint64_t shown;   /* the same in the binary */
    uint64_t length;  /* bytes up to the next */
    int64_t flat, cum;
    size_t text, text_n;    /* where in wl->text */
    size_t frame, n_frames; /* in wl->frames, innermost first */
    uint32_t mapping;       /* PROF_NONE: there is no code */
    bool begins;            /* a stretch of code */
};

struct weblist_frame {
    uint32_t name; /* as it is shown */
    uint32_t file;
    int64_t line; /* not negative; 0: unknown */
    bool wanted;
};

/* An instruction at a line of a file. */
struct weblist_place {
    uint32_t file; /* cleaned */
    int64_t line;
    size_t inst;
    size_t frame;   /* the one of this line, in wl->frames; those from .. */
    size_t callees; /* .. here up to it are what was inlined there */
};

enum weblist_wanted {
    WEBLIST_NAMED = 1, /* as a name that a binary may have */
    WEBLIST_READ = 2,  /* as one for people, of a function that has no other */
};

struct weblist {
    struct report *r;
    struct pattern pattern;
    struct binaries binaries;
    struct strtab names;
    VEC(struct weblist_addr) addrs; /* by address, no two alike */
    /* By string id of the profile, whether and as what it is asked for .. */
    uint8_t *wanted;  /* .. as enum weblist_wanted, or-ed */
    uint32_t *pretty; /* .. and the name to show instead, or 0 */
    struct buf text;
    VEC(struct weblist_inst) insts; /* stretch by stretch */
    VEC(struct weblist_frame) frames;
    VEC(struct weblist_place)
    places; /* by file name, then line, then as the
               instructions are */
};

bool weblist_collect(struct weblist *wl, struct err *err);
bool weblist_code(struct weblist *wl, struct err *err);
/* A part of that: the frames of instructions that have code. */
bool weblist_frames(struct weblist *wl, struct err *err);
bool weblist_places(struct weblist *wl, struct err *err);

/* The id of one of *from in wl->names. */
bool weblist_name(struct weblist *wl, const struct strtab *from, uint32_t id,
                  uint32_t *to, struct err *err);

/* *sum += v; ERR_INPUT when it does not fit 64 bits. */
bool weblist_add(int64_t *sum, int64_t v, struct err *err);

#endif
