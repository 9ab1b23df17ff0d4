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

    struct profile *p; /* the profile that is being made */
    const struct prof_notes *notes;

    /* Set by the caller: textprof_line() returns comments, too. */
    bool comments;

    /* The stack of the current sample, for prof_add_sample(). */
    VEC(uint32_t) frames;

    /* Private. */
    struct prof_locmap locs;
    struct prof_functionmap functions;
    VEC(struct prof_line) lines;
    bool cut_reported; /* a note said that the file ends inside of a line */
    size_t n_null;     /* callers at address 0, which were skipped */
    size_t room;       /* frames that textprof_repeat() may still allow */
};

/*
 * textprof_begin() initialises *t with an empty profile and reads nothing yet.
 * textprof_end(), to be called after a failure too, frees the rest of *t.  It
 * returns the profile, which the caller then owns; unless ok, it frees the
 * profile and returns null.
 *
 * textprof_scan() initialises *t for reading lines only: without a profile, and
 * without textprof_end().
 */
bool textprof_begin(struct textprof *t, const void *data, size_t n,
                    const struct prof_notes *notes, struct prof_err *err);
struct profile *textprof_end(struct textprof *t, bool ok);
void textprof_scan(struct textprof *t, const void *data, size_t n,
                   const struct prof_notes *notes);

/*
 * Advances to the header: the first line that is not ignored and does not begin
 * with "%".  (Lines with "%" are for google-pprof; they become warnings.)
 * False if there is none.
 */
bool textprof_header(struct textprof *t);

/* The same, but sets the error "not a `kind` profile" if there is no header. */
bool textprof_need_header(struct textprof *t, const char *kind,
                          struct prof_err *err);

/* Returns the header of the n bytes, to detect their format; empty if there is
 * none. */
struct prof_slice textprof_first_line(const void *data, size_t n);

/*
 * Advances to the next line that is not ignored.  False, with an empty line, at
 * the end of the file.
 */
bool textprof_line(struct textprof *t);

/* Whether the current line is the heading of the list of mappings. */
bool textprof_at_maps(const struct textprof *t);

/*
 * Whether the current line is the last one and lacks a newline: the file may
 * have been truncated inside of it.
 */
bool textprof_is_cut(const struct textprof *t);

/* Returns how many characters of s to quote in a message, for "%.*s". */
int textprof_quoted(struct prof_slice s);

/*
 * Note as a loss that the file does not end in a newline:
 *
 *   textprof_note_cut()          if the current line is a sample that is cut
 *                                (textprof_is_cut()), which the reader keeps or
 *                                drops.  Returns whether it is
 *   textprof_note_cut_comment()  likewise, if it is a comment
 *   textprof_note_cut_end()      at the end of the file, unless another note
 *                                said so
 */
bool textprof_note_cut(struct textprof *t, bool kept);
void textprof_note_cut_comment(struct textprof *t);
void textprof_note_cut_end(struct textprof *t);

/*
 * Report what is wrong with the current line, for example "is not a count
 * profile sample", with its number and its truncated text: as a loss, and as
 * PROF_ERR_INPUT (returns false).
 */
void textprof_note_line(const struct textprof *t, const char *what);
bool textprof_wrong(const struct textprof *t, struct prof_err *err,
                    const char *what);

/* What the numbers of a stack are. */
enum textprof_stack {
    TEXTPROF_RETURNS, /* return addresses, the first one too */
    TEXTPROF_NUMBERS, /* identifiers of frames */
};

/*
 * Sets t->frames to the stack in `text`: hexadecimal numbers with 0x, separated
 * by blanks.  1 is subtracted from return addresses, so that they are inside of
 * the call; those that are 0 are skipped and counted.  PROF_ERR_INPUT names the
 * line and a word that is not such a number.
 */
bool textprof_stack(struct textprof *t, struct prof_slice text,
                    enum textprof_stack what, struct prof_err *err);

/* Appends one address to t->frames; set t->frames.n to 0 before the first. */
bool textprof_add_pc(struct textprof *t, uint64_t pc, struct prof_err *err);
bool textprof_add_return(struct textprof *t, uint64_t pc, struct prof_err *err);

/*
 * Call it before a sample reuses a stack of n_frames that the file contains
 * only once: otherwise, many short lines that refer to one deep stack could
 * exhaust the memory.  PROF_ERR_INPUT if all such samples together have more
 * than 2^20 frames plus 16 for each byte of the file.
 */
bool textprof_repeat(struct textprof *t, size_t n_frames, struct prof_err *err);

/*
 * Reads the list of mappings (maps_read()) and sets drop_frames.  `binary` is
 * the name to give to the main binary; null: the listed one.  Warns of lines
 * before the list, which are skipped, and, if expect_maps, of a missing list.
 */
bool textprof_finish(struct textprof *t, const char *binary, bool expect_maps,
                     struct prof_err *err);

/*
 * Attributes: some profiles have lines between the header and the samples:
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

/* Sets *to to the value of an attribute, a number from 0 up; PROF_ERR_INPUT,
 * which names the line, if it is not one. */
bool textprof_number(const struct textprof *t, struct prof_slice digits,
                     int64_t *to, struct prof_err *err);

/*
 * Sets the period or duration of the profile if the attribute is "sampling
 * period" or "ms since reset".  Sets *is to whether it is one of these.
 */
bool textprof_common(const struct textprof *t,
                     const struct textprof_attribute *a, bool *is,
                     struct prof_err *err);

/* Sets the period of the profile, and its type and unit. */
bool textprof_period(struct textprof *t, int64_t period, const char *type,
                     const char *unit, struct prof_err *err);

/* A line that a file gives for an address.  file.s is null if the format has no
 * file names. */
struct textprof_name {
    struct prof_slice function, file;
    int64_t line;
};

/* Sets the lines of a location to these n, innermost first, and the has_ flags
 * of its mapping. */
bool textprof_name(struct textprof *t, uint32_t location,
                   const struct textprof_name *names, size_t n,
                   struct prof_err *err);

#endif
