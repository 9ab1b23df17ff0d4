/*
 * private.h - declarations that the files of lib/io share
 *
 *   file               contains
 *   sniff.c            detects compression and archive formats
 *   stream.c           streams of bytes, decompressed; reads at any offset
 *   head_stream.c      streams that let the caller look at their first bytes
 *   archive.c          loads libarchive at run time and passes it bytes
 *   zip_end.c          finds the record at the end of a zip archive
 *   entries.c          reads the entries of an archive one by one
 *   part_stream.c      streams of a file or entry, for the user of the input
 *   gzip.c             inflates gzip data in memory
 *   pack.c             makes gzip data with several threads
 *   gzip_libdeflate.c  the gzip functions of libdeflate, or
 *   gzip_zlib.c        those of zlib; the build selects one file
 *   gzip_isal.c        inflates large data by ISA-L, as a stream, or
 *   without_isal.c     does not
 *   ahead.c            reads or inflates large data in blocks, ahead of their
 *                      reader
 *   deflate_end.c      finds the last bit of a deflate stream
 *   output.c           writes files that replace others
 *
 * Errors
 *   PROF_ERR_INPUT   damaged data, or data that exceeds a size limit
 *   PROF_ERR_SYSTEM  a system call failed, or memory is out
 */
#ifndef PROFUTILS_IO_PRIVATE_H
#define PROFUTILS_IO_PRIVATE_H

#include <locale.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/slice.h"
#include "base/vec.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/libarchive.h"
#include "io/output.h"
#include "io/stream.h"

/* --- sniff.c -------------------------------------------------------------- */

enum sniff {
    SNIFF_RAW, /* none of the others */
    SNIFF_GZIP,
    SNIFF_ZSTD,
    SNIFF_XZ,
    SNIFF_BZIP2,
    SNIFF_LZ4,
    SNIFF_TAR,
    SNIFF_CPIO,
    SNIFF_ZIP,
    SNIFF_7Z,
    SNIFF_EMPTY_ZIP, /* an archive without entries, and no other bytes */
};

/*
 * How many bytes sniff() needs to detect a format:
 *
 *   SNIFF_HEADER  any format except an empty tar archive
 *   SNIFF_BYTES   an empty tar archive: only zeros, and their number matters
 */
enum { SNIFF_HEADER = 512, SNIFF_BYTES = 10240 + 1 };

/*
 * Returns the format that the n bytes begin with.  The caller passes fewer than
 * SNIFF_BYTES only if the input has no more, or if one of them is not 0.  tar
 * and cpio headers must be valid, because profiles of old formats begin with
 * arbitrary words.
 */
enum sniff sniff(const uint8_t *data, size_t n);

/* Returns "tar", "zstd" and so on, for messages. */
const char *sniff_name(enum sniff s);

static inline bool sniff_is_archive(enum sniff s)
{
    return s >= SNIFF_TAR;
}

/* Whether the bytes are compressed by anything other than gzip. */
static inline bool sniff_is_packed(enum sniff s)
{
    return s >= SNIFF_ZSTD && s <= SNIFF_LZ4;
}

/* --- stream.c: bytes in order --------------------------------------------- */

/* A file descriptor, not owned. */
struct fd_stream {
    struct stream stream;
    int fd;
    uint64_t total; /* bytes read so far */
};
struct fd_stream fd_stream_of(int fd);

/* Bytes in memory, not owned. */
struct mem_stream {
    struct stream stream;
    const uint8_t *data;
    size_t n;
};
struct mem_stream mem_stream_of(const uint8_t *data, size_t n);

/* --- stream.c: bytes at any offset ---------------------------------------- */

struct seekable {
    int fd;              /* not owned; -1: the bytes are in memory */
    const uint8_t *data; /* not owned; used if fd is -1 */
    uint64_t n;          /* total number of bytes */
};

/*
 * Reads n bytes at offset `at`; at + n must not exceed f->n.  Bytes that are
 * missing because the file was truncated meanwhile become 0.
 */
bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct prof_err *err);

/* Sets *trailing to the number of bytes after `at`, or to 0 if all are 0. */
bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct prof_err *err);

/* --- archive.c: feeding libarchive ---------------------------------------- */

/*
 * A libarchive object and the bytes that it reads.
 *
 *   `from` is set   the bytes of this stream
 *   `from` is null  the bytes of `file` from offset `origin` to its end
 *
 * The caller sets these three members, zeroes the others, calls archive_open(),
 * and calls archive_end() even if that fails.
 */
struct archive_feed {
    struct stream *from; /* not owned */
    struct seekable file;
    uint64_t origin;
    struct archive *a; /* null before archive_open() */
    uint64_t at;       /* offset to read next, relative to `origin` */
    uint8_t *block;
    int64_t n_read;      /* bytes read from `from` */
    int64_t n_content;   /* of these, bytes up to the last that is not 0 */
    bool ended;          /* `from` is at its end */
    struct prof_err err; /* the error of `from`, if it failed */
};

/* Opens f->a to read this format.  A second call replaces f->a. */
bool archive_open(struct archive_feed *f, enum sniff kind,
                  struct prof_err *err);

/* Sets *err to the reason why libarchive or a read failed.  Returns false. */
bool archive_failed(const struct archive_feed *f, enum sniff kind,
                    struct prof_err *err);

/*
 * Sets *only: whether the bytes of f->from that libarchive did not use are all
 * 0.  Such zeros pad the last block of an archive that was written to a pipe or
 * a tape.  Reads f->from until a byte is not 0.
 */
bool archive_padding(struct archive_feed *f, bool *only, struct prof_err *err);
void archive_end(struct archive_feed *f);

/* --- stream.c: decompressed bytes ----------------------------------------- */

/*
 * The content of gzip (all members, checksums verified), zstd, xz, bzip2 or lz4
 * data.  read() returns all bytes before an error; from then on, every call
 * returns the error.
 */
struct unpack_stream {
    struct stream stream;
    enum sniff kind;
    bool ended;
    bool trailing; /* the error means: other data follows */
    struct archive_feed feed;
    /* gzip */
    z_stream z;
    uint8_t *in;     /* compressed bytes */
    uint64_t offset; /* offset in feed.from of the end of `in` */
    bool started, in_member;
    /* other formats */
    struct mem_stream block; /* unread bytes of libarchive's current block */
    struct prof_err failed;
};
struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from);
void unpack_free(struct unpack_stream *u);

/* --- head_stream.c -------------------------------------------------------- */

/* Calls an input_check (input.h) while data is read. */
struct watch {
    const struct input_check *check; /* null: nothing is refused */
    size_t next;                     /* number of bytes at the next call */
    struct prof_err refused;         /* why the check refused the data */
};

/* Whether the check refuses data that begins with these bytes, so that reading
 * stops; w may be null. */
static inline bool watch_stops(struct watch *w, const uint8_t *data, size_t n)
{
    enum { FIRST = 64 * 1024, TIMES = 4 };
    if (!w || !w->check || n < FIRST || n < w->next)
        return false;
    w->next = n < SIZE_MAX / TIMES ? n * TIMES : SIZE_MAX;
    if (!w->check->may_begin(w->check->ctx, data, n, &w->refused))
        return true;
    w->refused.kind = PROF_ERR_NONE;
    return false;
}

/* A stream whose first bytes the caller can look at before it reads them. */
struct head_stream {
    struct stream stream;
    struct stream *from; /* not owned */
    struct buf head;
    size_t served;       /* bytes of `head` that read() has returned */
    size_t keeps;        /* read() keeps what it returns in `head`, and fails if
                            that exceeds so many bytes; 0: it keeps nothing */
    bool ended;          /* `head` has all bytes */
    struct watch *watch; /* can stop head_fill_all(); or null */
};
struct head_stream head_stream_of(struct stream *from);
void head_free(struct head_stream *h);

/* Reads until `head` has n bytes, or all. */
bool head_fill(struct head_stream *h, size_t n, struct prof_err *err);

/*
 * Reads all bytes into `head`.  `likely` is a guess of their number.
 * PROF_ERR_INPUT if they exceed max, or, without reading, if `likely` does.
 */
bool head_fill_all(struct head_stream *h, size_t likely, size_t max,
                   struct prof_err *err);

/*
 * Copies all bytes to a temporary file without a name.  Sets *fd to its
 * descriptor, positioned at the beginning; the caller closes it if it is not
 * -1, after a failure too.  PROF_ERR_INPUT if the bytes exceed max.
 */
bool stream_to_file(struct stream *from, size_t max, int *fd,
                    struct prof_err *err);

/* Sets *err to: exceeds max bytes.  Returns false. */
bool stream_too_large(size_t max, struct prof_err *err);

/* --- zip_end.c ------------------------------------------------------------ */

/*
 * What libarchive does not tell about a zip archive: how many entries it should
 * have, and whether other data precedes or follows it.
 *
 * Format: APPNOTE.TXT of PKWARE, sections 4.3.14 to 4.3.16.
 */
struct zip_end {
    uint64_t end;     /* offset in the file: end of the record */
    uint64_t size;    /* bytes of the directory */
    uint64_t entries; /* number of entries; only the bits of `mask` are valid */
    uint64_t mask;    /* the lower 16 bits; in zip64 all bits */
    uint64_t before;  /* bytes of other data before the archive */
    uint64_t after;   /* bytes of other data after it; 0 if all are 0 */
};

/* PROF_ERR_INPUT if there is no such record. */
bool zip_end_read(struct zip_end *end, const struct seekable *f,
                  struct prof_err *err);

/* --- entries.c ------------------------------------------------------------ */

/* The content of an entry, from its first byte. */
struct content {
    struct stream stream;
    struct entries *entries;
    const uint8_t *block; /* the next n bytes that the archive stores; they
                             follow a hole */
    size_t n;
    uint64_t hole; /* bytes of a sparse file that are 0 and not stored */
    uint64_t at;   /* bytes read so far */
    int64_t size;  /* all bytes of the entry, by its header; 0: unknown */
    bool ended;
};

/* An archive being read. */
struct entries {
    /* The current entry, for the caller to read: */
    char *name;            /* "?" if unreadable; null before the first entry */
    int64_t mtime;         /* seconds since 1970; 0 if unknown */
    const char *irregular; /* "a symbolic link" etc.; null: a regular file */
    const char *link;      /* target of a hard link; null for others */
    /* What the last error means: */
    bool damaged;  /* the archive is damaged: in the entry `name`, or between
                      entries if that is null; *data has the bytes before it */
    bool trailing; /* there is other data before or after the archive */
    bool unread;   /* there may be more entries, which cannot be read */
    uint64_t n_unread, n_entries; /* how many of all, if n_unread is not 0 */
    /* Set by the caller after opening: */
    bool all;   /* return irregular entries too */
    bool heads; /* read only the first bytes of entries */

    bool more; /* *data has the first bytes, content.stream the others */
    struct content content;

    struct archive_feed feed;
    enum sniff kind;
    bool over;           /* nothing more can be read */
    locale_t utf8;       /* for names in Unicode, or 0 */
    size_t max;          /* most bytes of the current entry */
    struct buf *data;    /* gets the content; the caller's */
    struct watch *watch; /* can stop reading uncompressed content; or null */
    uint64_t after;      /* bytes of other data after a 7z archive */
    struct zip_end zip;  /* if the archive is read from a file */
    uint64_t n_headers;  /* headers read so far */
    uint64_t n_reread;   /* records of zip archives that were read again */
    bool stopped; /* damaged content ended reading before the next header */
    /* The next header, if it had to be read before its turn. */
    struct {
        bool held; /* it is here */
        int got;   /* libarchive's result for it */
        struct archive_entry *entry;
        char *name;
    } ahead;
};

/*
 * Opens an archive.
 *
 *   from  format
 *   set   tar or cpio; the entries of zip, up to the directory
 *   null  zip or 7z in *file
 */
bool entries_open(struct entries *e, enum sniff kind, struct stream *from,
                  const struct seekable *file, struct prof_err *err);

/*
 * Reads the next entry and replaces *data by its content, at most max bytes,
 * or with e->more by the first of them.
 *
 *    1  an entry
 *    0  the end of the archive
 *   -1  failure, with *err set; the next call continues after the failure
 *
 *   regular file  returned
 *   directory     skipped
 *   other kinds   with e->all returned without data, and e->irregular is set;
 *                 otherwise skipped with a note
 */
int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct prof_notes *notes, struct prof_err *err);
/* With e->more, adds the other bytes of the entry.  Fails as entries_next(). */
bool entries_read_rest(struct entries *e, struct prof_err *err);
/* Adds to *err that entries of the archive are not read. */
void entries_say_unread(const struct entries *e, struct prof_err *err);
void entries_free(struct entries *e);

/* --- part_stream.c -------------------------------------------------------- */

/* A part of an input that is a stream. */
struct part_stream {
    struct stream stream;
    /* Set by the caller before part_stream_init(): */
    struct head_stream *from;      /* not owned */
    size_t max;                    /* more bytes are PROF_ERR_INPUT */
    const struct entries *entries; /* null: it is not an entry */
    int fd;                        /* has the same bytes from offset `start` */
    off_t start;                   /* -1: it does not */

    size_t total; /* bytes read so far */
};
void part_stream_init(struct part_stream *p);

/* --- gzip.c: bytes in memory as parts (input.h) --------------------------- */

/* Each member of gzip data is a part; other data is one part. */
struct members {
    /* Set by the caller before the first members_begin(): */
    size_t max;          /* limit: decompressed bytes of all members together */
    unsigned threads;    /* to inflate a large member; 0 counts as 1 */
    bool salvage;        /* return what can be read of damaged members */
    bool join;           /* return all members as one part */
    struct watch *watch; /* can stop reading the first member; or null */

    const uint8_t *data; /* not owned */
    size_t n, at;        /* bytes in data, and of these read so far */
    bool is_gzip, nested;
    bool pending;           /* there are more parts, or an error */
    size_t count;           /* members so far */
    size_t total;           /* decompressed bytes of these */
    struct gz *gz;          /* owned; reused for each member */
    struct buf out;         /* content of the current member; owned, reused */
    struct prof_err damage; /* error of the last part, with `salvage` */

    /* What members_peek() has put into `out`; used is 0 if it is nothing. */
    struct {
        size_t used, made; /* bytes of the member, and of its content */
    } peeked;
};

/*
 * Begins with data[0 .. n), which must outlive the parts.  `nested`: the data
 * is an archive, and is returned as one part.
 */
bool members_begin(struct members *m, const uint8_t *data, size_t n,
                   bool nested, struct prof_err *err);

/*
 * Inflates data[0 .. n), a small gzip member, so that the caller can look at
 * its content.  False: there are several members, a large one, or damaged ones.
 *
 * The next members_begin() must be for the same data, which is not inflated
 * again; otherwise set m->peeked.used to 0.
 */
bool members_peek(struct members *m, const uint8_t *data, size_t n,
                  struct prof_slice *content);

/* As input_next(), but sets only the members of *part that gzip data has. */
int members_next(struct members *m, struct input_part *part,
                 struct prof_err *err);

/* --- gzip_libdeflate.c or gzip_zlib.c: the library of gzip.c and pack.c --- */

/* State of the library; null until it is needed. */
struct gz {
    void *in;  /* to inflate */
    void *out; /* to deflate */
    int level; /* of `out` */
};

enum codec_result { CODEC_OK, CODEC_NO_ROOM, CODEC_BAD, CODEC_NO_MEMORY };

struct codec_job {
    const uint8_t *data; /* begins with a gzip member */
    size_t n;            /* bytes in data */
    uint8_t *to;         /* gets the content */
    size_t room;         /* bytes that fit into `to` */
    /* Set with CODEC_OK: */
    size_t used; /* bytes of the member in data */
    size_t made; /* bytes written to `to` */
};

struct codec_piece {
    const uint8_t *data;
    size_t n;
    int level;
    bool last;
};

/* The file that defines this also defines gz_level_good (gzip.h). */
extern const struct codec {
    const char *name; /* as gz_library() returns it */
    enum codec_result (*inflate)(struct gz *gz, struct codec_job *job);
    /*
     * Appends the piece as deflate data, which does not refer to other pieces.
     * Ends at a byte boundary, except after the last piece.
     */
    bool (*deflate)(struct gz *gz, const struct codec_piece *piece,
                    struct buf *out, struct prof_err *err);
    uint32_t (*crc)(const uint8_t *data, size_t n);
    void (*free)(struct gz *gz); /* frees gz->in and gz->out, not *gz */
} codec;

/* --- gzip_isal.c or without_isal.c ---------------------------------------- */

/*
 * A stream that inflates a single gzip member with ISA-L: about twice as fast
 * as zlib, and piece by piece, which libdeflate cannot do.  Errors do not say
 * where the data is damaged.
 */
struct member_stream {
    struct stream stream;
    struct stream *from; /* not owned */
    struct member_state *state;
};

/* Returns false, with nothing read, without ISA-L or if memory is out. */
bool member_stream_open(struct member_stream *m, struct stream *from);
void member_stream_free(struct member_stream *m);

/* --- ahead.c -------------------------------------------------------------- */

/*
 * Reads a stream in blocks.  With more than one thread, another one reads the
 * next blocks while the caller uses one.
 */
struct ahead;
struct ahead_opts {
    struct stream *from;  /* not owned; not to be used until ahead_free() */
    struct seekable file; /* the same data, to guess the size of the content by
                             its own or its end; of 0 bytes: not known */
    bool inflates;        /* `from` is gzip data of one member */
    size_t max;           /* limit: bytes of all blocks together */
    unsigned threads;     /* 0 counts as 1 */
};
/* Null: memory is out, `file` tells that the content exceeds max, or there is
 * no ISA-L to inflate with. */
struct ahead *ahead_new(const struct ahead_opts *opts);
struct prof_blocks *ahead_blocks(struct ahead *a);
void ahead_free(struct ahead *a); /* null is allowed */

/* --- deflate_end.c -------------------------------------------------------- */

/* The end of a stream, in bits; bit 0 is the lowest bit of the first byte. */
struct deflate_end {
    size_t last; /* the bit that marks the last block (BFINAL) */
    size_t end;  /* end (exclusive) of the last block */
};

/*
 * Finds the end of the stream data[0 .. n).  It must be exactly one stream as a
 * compressor wrote it, with the last byte padded with zeros.  False if it is
 * found not to be.
 */
bool deflate_find_end(const uint8_t *data, size_t n, struct deflate_end *end);

/* --- output.c ------------------------------------------------------------- */

/*
 * Writes a file in the open directory `dir`.  Uses only if_changed, on_temp and
 * ctx of *opts.  Differs from output_open():
 *
 *   symbolic link                    is itself replaced, not its target
 *   device, directory or other kind  PROF_ERR_INPUT
 *   syncing                          is left to the caller
 */
bool output_write_at(int dir, const char *name, struct prof_slice bytes,
                     const struct output_opts *opts, struct prof_err *err);

#endif
