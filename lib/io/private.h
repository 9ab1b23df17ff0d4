/*
 * private.h - what the files of lib/io share
 *
 *      stream.c         bytes in order, or at any offset; gzip
 *      sniff.c          which compression or archive bytes are
 *      archive.c        libarchive: loading, feeding, decompression
 *      entries.c        the entries of an archive
 *      zip_directory.c  the directory of a zip file
 *      gzip.c           gzip members; gzip_libdeflate.c, gzip_zlib.c below it
 *      deflate_end.c    where a deflate stream ends
 *      output.c         files that replace others
 *
 * Errors: ERR_INPUT for damaged or oversized data, ERR_SYSTEM for the system's
 * failures and where memory is out.
 */
#ifndef PROFUTILS_IO_PRIVATE_H
#define PROFUTILS_IO_PRIVATE_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "io/gzip.h"
#include "io/input.h"

/* --- stream.c: bytes in order --------------------------------------------- */

/*
 * Streams are structs that their user owns; each begins with a struct stream.
 * The one below must outlive the one above.
 */
struct stream {
    /*
     * Up to n > 0 bytes into *to, at least one unless the end is reached:
     * their number, 0 at the end, -1 and *err.
     */
    ptrdiff_t (*read)(struct stream *self, void *to, size_t n, struct err *err);
};

/* A file descriptor, which it does not own. */
struct fd_stream {
    struct stream stream;
    int fd;
    uint64_t total; /* bytes read so far */
};
struct fd_stream fd_stream_of(int fd);

/* Bytes in memory. */
struct mem_stream {
    struct stream stream;
    const uint8_t *data;
    size_t n;
};
struct mem_stream mem_stream_of(const uint8_t *data, size_t n);

/* A stream whose first bytes can be looked at, and are read all the same. */
struct head_stream {
    struct stream stream;
    struct stream *from;
    struct buf head;
    size_t served; /* of head, by read() */
    bool ended;    /* head is all there is */
};
struct head_stream head_stream_of(struct stream *from);

/* Reads on until head has n bytes, or all. */
bool head_fill(struct head_stream *h, size_t n, struct err *err);

/*
 * Reads everything into head: `likely` bytes if the guess is good, at most
 * max, or ERR_INPUT, which it is at once if `likely` is more.
 */
bool head_fill_all(struct head_stream *h, size_t likely, size_t max,
                   struct err *err);
void head_free(struct head_stream *h);

/*
 * Copies all that comes to a temporary file.  More than max bytes is ERR_INPUT.
 * *fd is to be closed if it is not -1, on failure too.
 */
bool stream_to_file(struct stream *from, size_t max, int *fd, struct err *err);

/* The members of a gzip stream, inflated and checked, one after another. */
struct gunzip_stream {
    struct stream stream;
    struct stream *from;
    z_stream z;
    uint8_t *block;  /* compressed bytes at hand */
    uint64_t offset; /* of the end of the block in the stream below */
    bool started, ended, in_member;
    bool trailing; /* the error is that data follows the members */
};
struct gunzip_stream gunzip_stream_of(struct stream *from);
void gunzip_free(struct gunzip_stream *g);

/* --- stream.c: bytes at any offset ---------------------------------------- */

struct seekable {
    int fd; /* or -1: the bytes are in memory, at */
    const uint8_t *data;
    uint64_t n; /* bytes in all */
};

/*
 * Reads the n bytes at offset `at`, which must be there.  Bytes of a file that
 * has become shorter are zeros.
 */
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

/*
 * As many bytes as sniff() may need.  An empty tar archive is recognized by its
 * size; for all else the first SNIFF_HEADER do.
 */
enum { SNIFF_HEADER = 512, SNIFF_BYTES = 10240 + 1 };

/*
 * What the n bytes begin like.  n is less than SNIFF_BYTES only where there are
 * no more bytes, or all before the first nonzero one have been seen.  Only what
 * is certain counts: a tar header's checksum must hold, a cpio header's fields
 * must make sense, for profiles of old formats begin with arbitrary words.
 */
enum sniff sniff(const uint8_t *data, size_t n);

static inline bool sniff_is_archive(enum sniff s)
{
    return s >= SNIFF_TAR;
}

/* Compressed, other than by gzip. */
static inline bool sniff_is_packed(enum sniff s)
{
    return s >= SNIFF_ZSTD && s <= SNIFF_LZ4;
}

/* "tar", "zstd", ...: for messages. */
const char *sniff_name(enum sniff s);

/* --- archive.c: libarchive ------------------------------------------------ */

/*
 * Loaded when the first archive is met: with all that it needs that takes
 * longer than reading a small profile, so no tool is linked with it.  Nothing
 * is ever extracted, so names that climb out of directories do no harm.
 */

/* All that is called of it, each a member of struct la. */
#define LA_FUNCTIONS(X)                                                        \
    X(archive_version_string)                                                  \
    X(archive_read_new)                                                        \
    X(archive_read_free)                                                       \
    X(archive_read_support_filter_zstd)                                        \
    X(archive_read_support_filter_xz)                                          \
    X(archive_read_support_filter_bzip2)                                       \
    X(archive_read_support_filter_lz4)                                         \
    X(archive_read_support_format_raw)                                         \
    X(archive_read_support_format_empty)                                       \
    X(archive_read_support_format_tar)                                         \
    X(archive_read_support_format_cpio)                                        \
    X(archive_read_support_format_zip_seekable)                                \
    X(archive_read_support_format_zip_streamable)                              \
    X(archive_read_support_format_7zip)                                        \
    X(archive_read_set_format_option)                                          \
    X(archive_read_set_callback_data)                                          \
    X(archive_read_set_read_callback)                                          \
    X(archive_read_set_seek_callback)                                          \
    X(archive_read_set_skip_callback)                                          \
    X(archive_read_open1)                                                      \
    X(archive_read_next_header)                                                \
    X(archive_read_header_position)                                            \
    X(archive_read_data_block)                                                 \
    X(archive_format)                                                          \
    X(archive_filter_code)                                                     \
    X(archive_filter_bytes)                                                    \
    X(archive_set_error)                                                       \
    X(archive_errno)                                                           \
    X(archive_error_string)                                                    \
    X(archive_entry_pathname)                                                  \
    X(archive_entry_pathname_utf8)                                             \
    X(archive_entry_hardlink)                                                  \
    X(archive_entry_symlink)                                                   \
    X(archive_entry_filetype)                                                  \
    X(archive_entry_size)                                                      \
    X(archive_entry_size_is_set)                                               \
    X(archive_entry_mtime)                                                     \
    X(archive_entry_mtime_is_set)                                              \
    X(archive_entry_nlink)                                                     \
    X(archive_entry_is_data_encrypted)                                         \
    X(archive_write_new)                                                       \
    X(archive_write_free)                                                      \
    X(archive_write_add_filter_gzip)                                           \
    X(archive_write_add_filter_zstd)                                           \
    X(archive_write_add_filter_xz)                                             \
    X(archive_write_add_filter_bzip2)                                          \
    X(archive_write_add_filter_lz4)                                            \
    X(archive_write_set_format_gnutar)                                         \
    X(archive_write_set_format_zip)                                            \
    X(archive_write_zip_set_compression_store)                                 \
    X(archive_write_set_format_option)                                         \
    X(archive_write_set_filter_option)                                         \
    X(archive_write_set_bytes_in_last_block)                                   \
    X(archive_write_open)                                                      \
    X(archive_write_header)                                                    \
    X(archive_write_data)                                                      \
    X(archive_write_finish_entry)                                              \
    X(archive_write_close)                                                     \
    X(archive_entry_new)                                                       \
    X(archive_entry_clear)                                                     \
    X(archive_entry_free)                                                      \
    X(archive_entry_set_pathname)                                              \
    X(archive_entry_update_pathname_utf8)                                      \
    X(archive_entry_set_filetype)                                              \
    X(archive_entry_set_perm)                                                  \
    X(archive_entry_set_size)                                                  \
    X(archive_entry_set_mtime)

struct la {
#define LA_MEMBER(f) __typeof__(f) *f;
    LA_FUNCTIONS(LA_MEMBER)
#undef LA_MEMBER
};

/* Fills *la; ERR_SYSTEM where there is no libarchive, or one too old. */
bool la_load(struct la *la, struct err *err);

/*
 * An entry's time in seconds since 1970, for code whose time_t has 64 bits
 * where that of libarchive has 32: in between are only these (see the
 * Makefile).  What does not fit is set to the nearest that does, and what is
 * before 1970 to 0.
 */
int64_t la_mtime(const struct la *la, struct archive_entry *e);
void la_set_mtime(const struct la *la, struct archive_entry *e,
                  int64_t seconds);

enum { ARCHIVE_BLOCK = 64 * 1024 }; /* bytes handed over at a time */

/* A libarchive object, and where its bytes come from. */
struct archive_feed {
    struct la la;
    struct archive *a;    /* null until it is begun */
    struct stream *from;  /* or, if null, */
    struct seekable file; /* a file, which is sought in, */
    uint64_t origin;      /* of which the archive starts here, */
    struct buf tail;      /* and this instead of what follows file.n */
    uint64_t at;          /* next, from the start of the archive */
    uint8_t *block;
    int64_t given;  /* bytes in all, and what archive_padding() has read */
    int64_t filled; /* of these without zeros at the end */
    bool ended;     /* `from` has no more */
    struct err err; /* what `from` said, if it failed */
};

/* Makes f->a, of which nothing is asked yet.  May be called again. */
bool archive_begin(struct archive_feed *f, struct err *err);

/* Opens f->a to read from f->from or f->file. */
bool archive_open(struct archive_feed *f, enum sniff kind, struct err *err);

/* What went wrong: below libarchive, else in it.  Returns false. */
bool archive_failed(const struct archive_feed *f, enum sniff kind,
                    struct err *err);

/*
 * Reads on behind what libarchive took: whether all of it is zeros, as they
 * fill the last block of what goes to a pipe or a tape.
 */
bool archive_padding(struct archive_feed *f, bool *only, struct err *err);
void archive_end(struct archive_feed *f);

/*
 * The content of a zstd, xz, bzip2 or lz4 stream.  read() gives all bytes
 * before an error, and then the error each time.
 */
struct unpack_stream {
    struct stream stream;
    enum sniff kind;
    struct archive_feed feed;
    struct mem_stream block; /* of libarchive; what has not been read yet */
    bool ended;
    bool trailing;     /* the error is that other data follows the stream */
    struct err failed; /* the error that it ends in */
};
struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from);
void unpack_free(struct unpack_stream *u);

/* --- zip_directory.c ------------------------------------------------------ */

/*
 * libarchive gives up a zip archive at the first damaged entry header, and
 * does not compare what it read with the number of entries that the archive
 * should have.  So the directory is read here, and given to libarchive in
 * portions: after a failure the next portion begins behind the failed entry.
 *
 * Format: APPNOTE.TXT of PKWARE, 4.3.12 to 4.3.16.
 */

/* What the directory says of one entry. */
struct zip_record {
    uint64_t offset;  /* of the entry, from the start of the archive */
    uint64_t at;      /* offset of the record in the file */
    uint32_t n_name;  /* bytes of the name, which follows the fixed part */
    uint32_t n_extra; /* and of the extra fields after it */
};

struct zip_directory {
    struct seekable file;
    uint64_t origin; /* where the archive starts in the file */
    uint64_t before; /* bytes of something else in front of the archive */
    uint64_t behind; /* and after it; 0 if all of them are zeros */
    uint64_t start;  /* of the directory, from the start of the archive */
    VEC(struct zip_record) records; /* by offset, one for each */
    uint64_t said;                  /* how many there should be */
    bool damaged;                   /* there are not as many */
};

/* ERR_INPUT where there is no directory.  Free *d in any case. */
bool zip_directory_read(struct zip_directory *d, const struct seekable *f,
                        struct err *err);

/*
 * Replaces *to by a directory of at most *n records from `from` on, for an
 * archive whose entries end at d->start.  *n becomes their number.
 */
bool zip_directory_part(const struct zip_directory *d, size_t from, size_t *n,
                        struct buf *to, struct err *err);

/* A copy of the name in record i; null: *err. */
char *zip_directory_name(const struct zip_directory *d, size_t i,
                         struct err *err);

void zip_directory_free(struct zip_directory *d);

/* --- entries.c ------------------------------------------------------------ */

/* An archive being read. */
struct entries {
    struct archive_feed feed;
    enum sniff kind;
    locale_t utf8; /* for names in Unicode, or 0 */
    char *name;    /* of the present entry: "?" where it cannot be read; null
                      before the first */
    int64_t mtime; /* of the entry, 0 if unknown */
    bool all;      /* entries without content come too; set after opening */
    size_t max;    /* bytes of the present entry, which go to */
    struct buf *data;
    const char *irregular;    /* what it is instead of a file, or null */
    const char *link;         /* what a hard link is another name of, or null */
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
    bool over; /* nothing can be read any more */
    /*
     * What the last error means.  `damaged`: the archive is damaged, in the
     * entry `name`, whose bytes before that are in *data, or without a name
     * between entries.  `trailing`: there is other data after the archive or
     * in front of it.  `unread`: entries may follow that cannot be read.
     */
    bool damaged, trailing, unread;
};

/* tar or cpio from a stream; of zip what stands before its directory. */
bool entries_open(struct entries *e, enum sniff kind, struct stream *from,
                  struct err *err);

/* zip or 7z, whose directory is at the end; it begins at offset 0. */
bool entries_open_file(struct entries *e, enum sniff kind,
                       const struct seekable *file, struct err *err);

/*
 * The next regular file's content in *data, that held something else before:
 * 1, 0 at the end, -1 and *err.  After -1 the entries behind may be asked
 * for.  Other kinds of entries are left out with a note, or come with no data
 * and e->irregular set where e->all is; directories never come.
 */
int entries_next(struct entries *e, size_t max, struct buf *data,
                 const struct notes *notes, struct err *err);
void entries_free(struct entries *e);

/* --- gzip.c --------------------------------------------------------------- */

/* How much room to begin with for what the n bytes of gzip data hold. */
size_t gz_likely_size(const uint8_t *data, size_t n);

/*
 * Appends what the member at data inflates to up to where it is damaged, but
 * no more than max bytes in all; *err says what is wrong, and after how many
 * bytes, unless max was reached.  False when memory is out.  No checksum
 * vouches for these bytes.
 */
bool gz_salvage(const uint8_t *data, size_t n, size_t max, struct buf *out,
                struct err *err);

/* --- gzip_libdeflate.c or gzip_zlib.c: the library of gzip.c -------------- */

/* It has gz_level_good and gz_library() of gzip.h, too. */

struct codec;
struct codec *codec_new(void);    /* null: no memory */
void codec_free(struct codec *c); /* null is allowed */

enum codec_result { CODEC_OK, CODEC_NO_ROOM, CODEC_BAD, CODEC_NO_MEMORY };

struct codec_job {
    const uint8_t *data; /* n bytes, that begin with a gzip member */
    size_t n;
    uint8_t *to; /* `room` bytes, of which `made` are filled */
    size_t room;
    size_t used, made; /* after CODEC_OK */
};
enum codec_result codec_inflate(struct codec *c, struct codec_job *job);

/*
 * Appends a piece of deflate data.  It depends on this piece alone, and ends at
 * a byte unless it is the last.
 */
struct codec_piece {
    const uint8_t *data;
    size_t n;
    int level;
    bool last;
};
bool codec_deflate(struct codec *c, const struct codec_piece *piece,
                   struct buf *out, struct err *err);
uint32_t codec_crc(const uint8_t *data, size_t n);

/* --- deflate_end.c -------------------------------------------------------- */

/*
 * libdeflate compresses whole buffers only: what it makes ends in a block
 * that is marked as the last one, somewhere inside the last byte.  To put
 * another stream after it, one has to know where that mark is and which bit
 * is the last.
 *
 * The blocks of a stream have no lengths, so that finding the last one means
 * to walk over all symbols of those before it.  What the symbols stand for
 * does not matter, only how many bits each takes, which needs neither window
 * nor output: 3 MB of a 21 MB profile take 15 ms, where zlib's inflate(),
 * which can stop at blocks (Z_BLOCK), takes 62 and libdeflate 105 to make
 * them.  Of the last block only the header is read, in most cases: the
 * end-of-block symbol, whose code is in the header, is what is left when
 * padding is taken off, and that is zeros.
 *
 * Format: RFC 1951, https://www.rfc-editor.org/rfc/rfc1951
 */

/* Counted in bits from the first byte's lowest. */
struct deflate_end {
    size_t last; /* the mark of the last block: its header's first bit */
    size_t end;  /* behind its last bit */
};

/*
 * data is one stream and nothing else; a last byte that is not
 * full is filled up with zeros.  False where it shows that it is no such
 * stream, which it need not: this is for fresh output of a compressor.  Other
 * bytes do no harm, and nothing is read past n of them.
 */
bool deflate_find_end(const uint8_t *data, size_t n, struct deflate_end *end);

/* --- output.c: a file that takes the place of another when complete ------- */

/*
 * replace_begin() makes a temporary file in the directory of the target, whose
 * r->fd the caller fills; replace_finish() renames it over the target.  Until
 * then the target is as it was.
 */
struct replace {
    int fd;          /* of the temporary file, for reading and writing */
    int dir;         /* where the two names begin */
    char *target;    /* no symbolic link */
    char *temp;      /* null before begin and after the end */
    struct stat old; /* of the target */
    bool had_old;    /* there is a target to replace */
    bool many;       /* one of many: the caller syncs them all */
    void (*on_temp)(void *ctx, int dir, const char *temp); /* as in output.h */
    void *ctx;
};

/*
 * Begins for the name of a file in the directory `dir`, which stays open until
 * the end.  A symbolic link of that name is itself replaced; what is neither a
 * link nor a regular file is ERR_INPUT.  The caller sets on_temp and ctx
 * before, the rest of *r is zero.
 */
bool replace_begin_at(struct replace *r, int dir, const char *name,
                      struct err *err);

/* Whether the target holds the very bytes of the temporary file. */
bool replace_same(const struct replace *r);

/* Syncs, unless r->many, and renames.  Frees what *r holds, whether it worked
 * or not. */
bool replace_finish(struct replace *r, struct err *err);

/* The target stays as it is: an error if the temporary file cannot go. */
bool replace_leave(struct replace *r, struct err *err);

/* Removes the temporary file; an *r that is all zero is allowed. */
void replace_abort(struct replace *r);

#endif
