/*
 * archive.h - libarchive, for entries and for compression (lib/io only)
 *
 * Nothing is ever extracted, so names that climb out of directories and the
 * like do no harm here.
 */
#ifndef PROFUTILS_IO_ARCHIVE_H
#define PROFUTILS_IO_ARCHIVE_H

#include <locale.h>

#include "base/buf.h"
#include "io/la.h"
#include "io/seekable.h"
#include "io/sniff.h"
#include "io/stream.h"
#include "io/zip_directory.h"

enum { ARCHIVE_BLOCK = 64 * 1024 }; /* bytes handed over at a time */

/* One use of libarchive, and bytes on their way into it. */
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
 * What a zstd, xz, bzip2 or lz4 stream holds.  All that libarchive gives
 * comes before the error does that it ends in, which then comes again.
 */
struct unpack_stream {
    struct stream stream;
    enum sniff kind;
    struct archive_feed feed;
    struct mem_stream block; /* of libarchive; what has not been read yet */
    bool ended;
    bool trailing;     /* it was whole, but something stands behind it */
    struct err failed; /* the error that it ends in */
};
struct unpack_stream unpack_stream_of(enum sniff kind, struct stream *from);
void unpack_free(struct unpack_stream *u);

/* An archive being read. */
struct entries {
    struct archive_feed feed;
    enum sniff kind;
    locale_t utf8; /* for names in Unicode, or 0; see entry_name.h */
    char *name;    /* of the present entry: "?" where it cannot be read; null
                      before the first */
    int64_t mtime; /* of the entry, 0 if unknown */
    bool all;      /* entries without content come too; set after opening */
    const char *irregular;    /* why the present one has none, or null */
    const char *link;         /* what a hard link is another name of, or null */
    uint64_t behind;          /* bytes of something else behind a 7z archive */
    struct zip_directory zip; /* of one that is sought in */
    struct {
        size_t next; /* record in zip, of which libarchive comes to next */
        size_t end;  /* libarchive has been given those before this */
        size_t size; /* how many it is given next */
        bool fresh;  /* it has read none of what it was given last */
    } batch;
    struct {
        bool held; /* the next header has been read already: */
        int got;
        struct archive_entry *entry;
        char *name;
    } ahead;
    bool over; /* nothing can be read any more */
    /*
     * The last error is that the archive is damaged: of the entry `name` what
     * stands before that is in *data, and without a name it is of what stands
     * between entries.  `trailing`: something stands behind the archive, or
     * in front of it.  `unread`: entries may follow, which cannot be read.
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

#endif
