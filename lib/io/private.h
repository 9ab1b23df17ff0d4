/*
 * private.h - what the files of lib/io share, from the bottom to the top
 *
 *      stream.c         bytes in order or at any offset, decompressed if need
 * be sniff.c          what compression or archive bytes begin with archive.c
 * libarchive, loaded at run time and fed with bytes zip_directory.c  the
 * directory of a zip file entries.c        the entries of an archive, one after
 * another gzip.c           gzip in memory; pack.c makes it, several threads at
 * once gzip_libdeflate.c, gzip_zlib.c    the library below these two
 *      deflate_end.c    the last bit of what libdeflate made
 *      output.c         files that replace others
 *
 * Errors: ERR_INPUT for damaged or oversized data, ERR_SYSTEM for failures of
 * the system and where memory is out.
 */
#ifndef PROFUTILS_IO_PRIVATE_H
#define PROFUTILS_IO_PRIVATE_H

#include <locale.h>
#include <zlib.h>

#include "base/slice.h"
#include "base/vec.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/libarchive.h"
#include "io/output.h"

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
    SNIFF_EMPTY_ZIP, /* without entries, all of it seen */
};

/* Bytes that tell all formats apart, but for empty tar archives, and these. */
enum { SNIFF_HEADER = 512, SNIFF_BYTES = 10240 + 1 };

/*
 * What the n bytes begin with.  n is less than SNIFF_BYTES only if there are no
 * more bytes, or if a byte other than 0 is among them.  tar and cpio headers
 * must be valid, because profiles of old formats begin with arbitrary words.
 */
enum sniff sniff(const uint8_t *data, size_t n);

/* "tar", "zstd", ...: for messages. */
const char *sniff_name(enum sniff s);

static inline bool sniff_is_archive(enum sniff s)
{
    return s >= SNIFF_TAR;
}

/* Compressed, other than by gzip. */
static inline bool sniff_is_packed(enum sniff s)
{
    return s >= SNIFF_ZSTD && s <= SNIFF_LZ4;
}

/* --- stream.c: bytes in order --------------------------------------------- */

/*
 * Streams are structs that their user owns; each begins with a struct stream.
 * One that reads from another must not outlive it.
 */
struct stream {
    /*
     * Reads 1 to n bytes into *to, n > 0.  Returns their number, 0 at the end,
     * or -1 with *err.
     */
    ptrdiff_t (*read)(struct stream *self, void *to, size_t n, struct err *err);
};

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
    int fd; /* or -1: the bytes are in memory, at */
    const uint8_t *data;
    uint64_t n; /* bytes in all */
};

/* Reads n bytes at offset `at`, at + n <= f->n.  If the file shrank: zeros. */
bool seekable_read(const struct seekable *f, uint64_t at, uint8_t *to, size_t n,
                   struct err *err);

/* Sets *trailing to the number of bytes from `at` on; 0 if all are zeros. */
bool seekable_trailing(const struct seekable *f, uint64_t at,
                       uint64_t *trailing, struct err *err);

/* A little-endian number of up to 8 bytes. */
static inline uint64_t le_bytes(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

/* --- archive.c: feeding libarchive ---------------------------------------- */

/*
 * A libarchive object, and the bytes that it reads: those of `from` or, if that
 * is null, those of `file` from `origin` on and then those of `tail`.  Set
 * these, zero the rest, open, and end it in any case.
 */
struct archive_feed {
    struct stream *from;
    struct seekable file;
    uint64_t origin;
    struct buf tail; /* owned */
    struct la la;
    struct archive *a; /* null before it is opened */
    uint64_t at;       /* next offset; `origin` has 0 */
    uint8_t *block;
    int64_t given;  /* bytes read from `from` */
    int64_t filled; /* the same without the zeros at their end */
    bool ended;     /* `from` has no more */
    struct err err; /* of `from`, if it failed */
};

/* Opens f->a to read `kind`.  May be called again, for a new f->a. */
bool archive_open(struct archive_feed *f, enum sniff kind, struct err *err);

/* Sets *err to why libarchive, or what feeds it, failed.  Returns false. */
bool archive_failed(const struct archive_feed *f, enum sniff kind,
                    struct err *err);

/*
 * Reads f->from to its end.  *only: everything after what libarchive used is
 * zeros, which fill the last block of what goes to a pipe or a tape.
 */
bool archive_padding(struct archive_feed *f, bool *only, struct err *err);
void archive_end(struct archive_feed *f);

/* --- stream.c: decompressed bytes ----------------------------------------- */

/*
 * The content of gzip (all members, checked), zstd, xz, bzip2 or lz4 data.
 * read() gives all bytes before an error, and then the error each time.
 */
struct unpack_stream {
    struct stream stream;
    enum sniff kind;
    bool ended;
    bool trailing; /* the error is that other data follows */
    struct archive_feed feed;
    /* gzip */
    z_stream z;
    uint8_t *in;     /* compressed bytes */
    uint64_t offset; /* of their end in feed.from */
    bool started, in_member;
    /* others */
    struct mem_stream block; /* libarchive's, what is left of it */
    struct err failed;
};
struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from);
void unpack_free(struct unpack_stream *u);

/* --- zip_directory.c ------------------------------------------------------ */

/*
 * libarchive stops at the first damaged header of a zip archive, and does not
 * check the number of entries.  So the directory is read here and given to
 * libarchive in parts: after a failure, the next part begins after the failed
 * entry.  Format: APPNOTE.TXT of PKWARE, 4.3.12 to 4.3.16.
 */
struct zip_record {
    uint64_t offset;  /* of the entry, from the start of the archive */
    uint64_t at;      /* offset of the record in the file */
    uint32_t n_name;  /* bytes of the name, which follows the fixed part */
    uint32_t n_extra; /* and of the extra fields after it */
};

struct zip_directory {
    struct seekable file;
    uint64_t origin; /* offset of the archive in the file */
    uint64_t start;  /* of the directory, from the start of the archive */
    uint64_t before; /* bytes of something else in front of the archive */
    uint64_t behind; /* and after it; 0 if all of them are zeros */
    VEC(struct zip_record) records; /* by offset, one for each; owned */
    uint64_t said;                  /* how many there should be */
    bool damaged;                   /* there are not as many */
};

/* ERR_INPUT if there is no directory.  Free d->records in any case. */
bool zip_directory_read(struct zip_directory *d, const struct seekable *f,
                        struct err *err);

/*
 * Sets *to to a directory of the records from `from` on, at most *n, for an
 * archive whose entries end at d->start; *n to their number.
 */
bool zip_directory_part(const struct zip_directory *d, size_t from, size_t *n,
                        struct buf *to, struct err *err);

/* A copy of the name in record i; null: *err. */
char *zip_directory_name(const struct zip_directory *d, size_t i,
                         struct err *err);

/* --- entries.c ------------------------------------------------------------ */

/* An archive being read. */
struct entries {
    /* Of the present entry, for the caller: */
    char *name;            /* "?" if unreadable; null before the first */
    int64_t mtime;         /* 0 if unknown */
    const char *irregular; /* what it is instead of a file, or null */
    const char *link;      /* what a hard link is another name of, or null */
    /* What the last error means: */
    bool damaged;  /* the archive is damaged, in the entry `name`, or if that is
                      null between entries; *data has the bytes before that */
    bool trailing; /* other data is after the archive or in front of it */
    bool unread;   /* entries may follow that cannot be read */
    /* Set by the caller after opening: */
    bool all; /* entries without content come too */

    struct archive_feed feed;
    enum sniff kind;
    bool over;                /* nothing can be read any more */
    locale_t utf8;            /* for names in Unicode, or 0 */
    size_t max;               /* bytes of the present entry, which go to */
    struct buf *data;         /* (the caller's) */
    uint64_t behind;          /* bytes of other data after a 7z archive */
    struct zip_directory zip; /* if the archive can seek */
    struct {
        size_t next; /* record in zip that libarchive reads next */
        size_t end;  /* record after the present batch */
        size_t size; /* records in the next batch */
        bool fresh;  /* none of the present batch has been read */
    } batch;         /* records of zip that libarchive is given at a time */
    struct {
        bool held; /* the next header has been read already */
        int got;
        struct archive_entry *entry;
        char *name;
    } ahead;
};

/*
 * Opens tar, cpio or what a zip archive has before its directory in a stream;
 * or, if `from` is null, zip or 7z in a file.
 */
bool entries_open(struct entries *e, enum sniff kind, struct stream *from,
                  const struct seekable *file, struct err *err);

/*
 * Replaces *data by the content of the next regular file, of at most max bytes.
 * Returns 1, 0 at the end, or -1 with *err; after -1 the next entry can be
 * asked for.  Directories are skipped; other kinds are skipped with a note or,
 * if e->all, come without data and with e->irregular.
 */
int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct notes *notes, struct err *err);
void entries_free(struct entries *e);

/* --- gzip.c: the parts of bytes in memory --------------------------------- */

/* The bytes are one part or, if they are gzip, as many as there are members. */
struct members {
    /* Set by the caller before the first members_begin(): */
    size_t max;       /* bytes of all members together */
    unsigned threads; /* to inflate a large one; 0 is 1 */
    bool salvage;     /* damaged members are parts, too */
    bool join;        /* all members are one part */

    const uint8_t *data; /* not owned */
    size_t n, at;        /* bytes of it, and how many have been read */
    bool is_gzip, nested;
    bool pending;      /* parts, or an error, are still to come */
    size_t count;      /* members so far */
    size_t total;      /* bytes of them */
    struct gz *gz;     /* owned, as is `out`: both are used again */
    struct buf out;    /* of the present member */
    struct err damage; /* of the last part, with `salvage` */
};

/* `data` must outlive the parts.  `nested`: it is an archive, and one part. */
bool members_begin(struct members *m, const uint8_t *data, size_t n,
                   bool nested, struct err *err);

/* As input_next(), but sets only what members know. */
int members_next(struct members *m, struct input_part *part, struct err *err);

/* --- gzip_libdeflate.c or gzip_zlib.c: the library below gzip.c, pack.c --- */

struct gz {
    void *in, *out; /* to inflate, to deflate: the library's; null until used */
    int level;      /* that `out` was made for */
};

enum codec_result { CODEC_OK, CODEC_NO_ROOM, CODEC_BAD, CODEC_NO_MEMORY };

struct codec_job {
    const uint8_t *data; /* n bytes, that begin with a gzip member */
    size_t n;
    uint8_t *to; /* `room` bytes, of which `made` are filled */
    size_t room;
    size_t used, made; /* after CODEC_OK */
};

struct codec_piece {
    const uint8_t *data;
    size_t n;
    int level;
    bool last;
};

/* It defines gz_level_good of gzip.h, too. */
extern const struct codec {
    const char *name; /* and version */
    enum codec_result (*inflate)(struct gz *gz, struct codec_job *job);
    /*
     * Appends a piece of deflate data, which depends on this piece alone and
     * ends at a byte unless it is the last.
     */
    bool (*deflate)(struct gz *gz, const struct codec_piece *piece,
                    struct buf *out, struct err *err);
    uint32_t (*crc)(const uint8_t *data, size_t n);
    void (*free)(struct gz *gz); /* gz->in and gz->out */
} codec;

/* --- deflate_end.c -------------------------------------------------------- */

/* Where a deflate stream ends, in bits from the lowest of the first byte. */
struct deflate_end {
    size_t last; /* the mark of the last block: its header's first bit */
    size_t end;  /* after its last bit */
};

/*
 * data is one stream and nothing else, fresh from a compressor; the last byte
 * is filled up with zeros.  False if it is seen to be something else.
 */
bool deflate_find_end(const uint8_t *data, size_t n, struct deflate_end *end);

/* --- output.c ------------------------------------------------------------- */

/*
 * Writes a file in the open directory `dir`, by output_open()'s rules, but: a
 * symbolic link is itself replaced; what is neither that nor a regular file is
 * ERR_INPUT; and nothing is synced.  Of opts only if_changed, on_temp and ctx
 * count.
 */
bool output_write_at(int dir, const char *name, struct slice bytes,
                     const struct output_opts *opts, struct err *err);

#endif
