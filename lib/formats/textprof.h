/*
 * textprof.h - reads the lines, stacks and mappings of profiles made of text
 *
 * Such a profile has a header line; a line for each sample, with numbers and,
 * after "@", the stack (leaf first); and the list of mappings (maps.h):
 *
 *      heap profile:      3:   280 [     3:   280] @ heapprofile
 *           2:      256 [     2:      256] @ 0x401136 0x401150 0x7f0012
 *
 *      MAPPED_LIBRARIES:
 *      00401000-00405000 r-xp 00001000 08:01 1234  /usr/bin/app
 *
 *   ignored   blank lines; comments ("#...") unless t.comments is set; a log
 *             prefix "...file.cc:12] " of a line
 *   line end  LF or CR LF
 *
 * A reader takes lines until one is not a sample, passes the stack of each
 * sample to textprof_stack(), and ends with textprof_finish():
 *
 *      struct textprof t;
 *      bool ok = textprof_begin(&t, in->data, in->n, in->notes, err);
 *      while (ok && textprof_line(&t) && !textprof_at_maps(&t))
 *          ...
 *      ok = ok && textprof_finish(&t, options->binary, true, err);
 *      return textprof_end(&t, ok);
 */
#ifndef PROFUTILS_FORMATS_TEXTPROF_H
#define PROFUTILS_FORMATS_TEXTPROF_H

#include "base/slice.h"
#include "base/vec.h"

struct textprof {
    struct prof_slice line; /* the current one, without blanks around it */
    size_t number;          /* of that line in the file, from 1 */
    struct prof_slice rest; /* the bytes of the file after the line */

    struct profile *p; /* what is read */
    const struct prof_notes *notes;

    /* Set this to get comments as lines, too. */
    bool comments;

    /* The stack of a sample, for prof_add_sample(). */
    VEC(uint32_t) frames;

    /* Private. */
    struct prof_locmap locs;
    struct prof_functionmap functions;
    VEC(struct prof_line) lines;
    bool cut_reported; /* a note said that the file ends inside of a line */
    size_t n_null;     /* callers at address 0, which are skipped */
    size_t room;       /* of textprof_repeat() */
};

/*
 * Makes an empty profile and reads nothing yet.  textprof_end(), to be called
 * after a failure too, returns the profile, which the caller then owns, or,
 * unless ok, frees it and returns null.  textprof_scan() is for reading lines
 * only: it makes no profile, and needs no end.
 */
bool textprof_begin(struct textprof *t, const void *data, size_t n,
                    const struct prof_notes *notes, struct prof_err *err);
struct profile *textprof_end(struct textprof *t, bool ok);
void textprof_scan(struct textprof *t, const void *data, size_t n,
                   const struct prof_notes *notes);

/*
 * Goes to the header: the first line that is not ignored and does not begin
 * with "%".  (Lines with "%" are for google-pprof; they become warnings.)
 * False if there is none.
 */
bool textprof_header(struct textprof *t);

/* The same for a reader, with an error that says "not a `kind` profile". */
bool textprof_need_header(struct textprof *t, const char *kind,
                          struct prof_err *err);

/* The header of such bytes, for detecting a format; empty if there is none. */
struct prof_slice textprof_first_line(const void *data, size_t n);

/*
 * Goes to the next line that is not ignored; false, with an empty line, at the
 * end of the file.
 */
bool textprof_line(struct textprof *t);

/* Whether the list of mappings begins after the line. */
bool textprof_at_maps(const struct textprof *t);

/*
 * Whether the line is the last one, without a newline: the file may have been
 * cut inside of it.
 */
bool textprof_is_cut(const struct textprof *t);

/* How many characters of s to quote in a message, for "%.*s". */
int textprof_quoted(struct prof_slice s);

/*
 * Losses: the file ends without a newline
 *
 *   note_cut          in a sample, which is kept or not
 *   note_cut_comment  in a comment, if it does
 *   note_cut_end      elsewhere, if it does and no other note said so
 */
void textprof_note_cut(struct textprof *t, bool kept);
void textprof_note_cut_comment(struct textprof *t);
void textprof_note_cut_end(struct textprof *t);

/*
 * The number of the line, its text (truncated), and `what`, such as "is not a
 * count profile sample": as a loss, and as PROF_ERR_INPUT.
 */
void textprof_note_line(const struct textprof *t, const char *what);
bool textprof_wrong(const struct textprof *t, struct prof_err *err,
                    const char *what);

/* What the first address of a stack is. */
enum textprof_leaf {
    TEXTPROF_LEAF_PC,     /* where the program was */
    TEXTPROF_LEAF_RETURN, /* a return address as all others are */
    TEXTPROF_NUMBERS,     /* the number of a frame, as all others are */
};

/*
 * Makes `text` the stack in t->frames: addresses in hexadecimal, each with 0x
 * before it, and blanks between.  Return addresses become one less, which is
 * inside of the call; those that are 0 are skipped and counted.  Other words
 * are errors that name the line and the word.  Numbers stay what they are.
 */
bool textprof_stack(struct textprof *t, struct prof_slice text,
                    enum textprof_leaf leaf, struct prof_err *err);

/* Appends one address to t->frames; set t->frames.n to 0 before the first. */
bool textprof_add_pc(struct textprof *t, uint64_t pc, struct prof_err *err);
bool textprof_add_return(struct textprof *t, uint64_t pc, struct prof_err *err);

/*
 * To be called before a sample reuses a stack that the file has only once:
 * many short lines that refer to a deep stack would exhaust memory.
 * PROF_ERR_INPUT if all such samples together have more frames than 1 Mi plus
 * 16 for each byte of the file.
 */
bool textprof_repeat(struct textprof *t, size_t n_frames, struct prof_err *err);

/*
 * Reads the list of mappings (maps_read(), which calls the main binary
 * `binary`; null: as listed) and sets drop_frames.  Lines before the list are
 * skipped with a warning.  That there is no list is a warning if one is
 * expected.
 */
bool textprof_finish(struct textprof *t, const char *binary, bool expect_maps,
                     struct prof_err *err);

/*
 * The attributes that some profiles begin with, a line each between the header
 * and the samples:
 *
 *      --- contentionz 1 ---
 *      cycles/second = 3201000000
 *      sampling period = 100
 */
struct textprof_attribute {
    struct prof_slice name, value; /* without blanks around them */
};

/* Splits the current line; false if it is not an attribute. */
bool textprof_attribute(const struct textprof *t, struct textprof_attribute *a);

/* A value as a number from 0 up; PROF_ERR_INPUT, naming the line, if it is
 * none. */
bool textprof_number(const struct textprof *t, struct prof_slice digits,
                     int64_t *to, struct prof_err *err);

/*
 * Sets the period or duration of the profile, if the attribute is "sampling
 * period" or "ms since reset", which *is says.
 */
bool textprof_common(const struct textprof *t,
                     const struct textprof_attribute *a, bool *is,
                     struct prof_err *err);

/* Sets the period of the profile, and what one period is of. */
bool textprof_period(struct textprof *t, int64_t period, const char *type,
                     const char *unit, struct prof_err *err);

/* A function that a file names; a null file is one that it never names. */
struct textprof_name {
    struct prof_slice function, file;
    int64_t line;
};

/* Gives a location these n lines, innermost first, and its mapping the flags.
 */
bool textprof_name(struct textprof *t, uint32_t location,
                   const struct textprof_name *names, size_t n,
                   struct prof_err *err);

#endif
