/* ahead.c - reads or inflates large data in blocks, ahead of their reader */
#include "io/private.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/parallel.h"

/* Together they should fit in the cache that processors share. */
enum { BLOCK = 512 * 1024, BLOCKS = 4 };

/* The size in the trailer, and the highest ratio that deflate reaches. */
enum { ISIZE = 4, MOST = 1032 };

/*
 * A ring of blocks.  Both threads can read the next one: the one that has
 * nothing else to do does it.  So it does not matter when the other thread
 * starts, and whether it does.
 */
struct ahead {
    struct prof_blocks blocks; /* first: next_block() casts a pointer to it */
    struct ahead_opts opts;
    struct member_stream member;
    struct stream *from;     /* opts.from, or that of `member` */
    struct parallel *thread; /* null: none */
    uint8_t *room;           /* BLOCKS of BLOCK bytes */
    bool lent;               /* the block `n_used` is with the user */

    pthread_mutex_t lock;   /* protects what follows */
    pthread_cond_t changed; /* any of it has changed */
    size_t n_read, n_used;  /* blocks; number i is in room i % BLOCKS */
    size_t size;            /* bytes of the blocks that were read */
    bool reading;           /* a thread is reading block n_read */
    bool ended;             /* there is no block n_read */
    ptrdiff_t got[BLOCKS];  /* what read() returned */
    struct prof_err err;    /* if that is -1 */
};

/* Reads the next block.  The caller holds the lock, and has it again then. */
static void read_block(struct ahead *a)
{
    const size_t i = a->n_read % BLOCKS;
    a->reading = true;
    (void)pthread_mutex_unlock(&a->lock);
    ptrdiff_t n = a->from->read(a->from, a->room + i * BLOCK, BLOCK, &a->err);
    (void)pthread_mutex_lock(&a->lock);
    if (n > 0 && (size_t)n > a->opts.max - a->size) {
        (void)stream_too_large(a->opts.max, &a->err);
        n = -1;
    }
    a->size += n > 0 ? (size_t)n : 0;
    a->got[i] = n;
    a->ended |= n <= 0;
    a->n_read++;
    a->reading = false;
    (void)pthread_cond_broadcast(&a->changed);
}

static void read_ahead(void *ctx, unsigned thread, size_t piece)
{
    struct ahead *a = ctx;
    (void)thread;
    (void)piece;
    (void)pthread_mutex_lock(&a->lock);
    while (!a->ended)
        if (a->reading || a->n_read - a->n_used == BLOCKS)
            (void)pthread_cond_wait(&a->changed, &a->lock);
        else
            read_block(a);
    (void)pthread_mutex_unlock(&a->lock);
}

static ptrdiff_t next_block(struct prof_blocks *self, const uint8_t **block,
                            struct prof_err *err)
{
    struct ahead *a = (struct ahead *)self;
    if (!a->thread && a->opts.threads > 1)
        a->thread = parallel_begin(1, 1, read_ahead, a);
    (void)pthread_mutex_lock(&a->lock);
    if (a->lent) {
        a->n_used++;
        (void)pthread_cond_broadcast(&a->changed);
    }
    while (a->n_read == a->n_used)
        if (a->reading)
            (void)pthread_cond_wait(&a->changed, &a->lock);
        else
            read_block(a);
    const size_t i = a->n_used % BLOCKS;
    const ptrdiff_t n = a->got[i];
    (void)pthread_mutex_unlock(&a->lock);
    a->lent = n > 0;
    *block = a->room + i * BLOCK;
    if (n < 0)
        *err = a->err;
    if (n <= 0) {
        free(a->room); /* no thread reads any more */
        a->room = NULL;
    }
    return n;
}

/*
 * Sets *n to the size of the content, of gzip data modulo 2^32; 0: unknown, or
 * implausible.
 */
static bool read_size(const struct ahead_opts *opts, uint64_t *n)
{
    const struct seekable *file = &opts->file;
    uint8_t trailer[ISIZE];
    struct prof_err none;
    *n = file->n;
    if (!opts->inflates || !file->n)
        return true;
    if (file->n < ISIZE ||
        !seekable_read(file, file->n - ISIZE, trailer, ISIZE, &none))
        return false;
    *n = le32(trailer);
    if (*n / MOST > file->n)
        *n = 0;
    return true;
}

struct ahead *ahead_new(const struct ahead_opts *opts)
{
    struct ahead *a = calloc(1, sizeof *a);
    if (!a || !read_size(opts, &a->blocks.size_hint) ||
        a->blocks.size_hint > opts->max ||
        (opts->inflates && !member_stream_open(&a->member, opts->from)) ||
        !(a->room = mem_array(BLOCKS, BLOCK))) {
        if (a)
            member_stream_free(&a->member);
        free(a);
        return NULL;
    }
    a->blocks.next = next_block;
    a->opts = *opts;
    a->from = opts->inflates ? &a->member.stream : opts->from;
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->changed, NULL);
    return a;
}

struct prof_blocks *ahead_blocks(struct ahead *a)
{
    return &a->blocks;
}

void ahead_free(struct ahead *a)
{
    if (!a)
        return;
    (void)pthread_mutex_lock(&a->lock);
    a->ended = true;
    (void)pthread_cond_broadcast(&a->changed);
    (void)pthread_mutex_unlock(&a->lock);
    if (a->thread)
        parallel_end(a->thread);
    (void)pthread_mutex_destroy(&a->lock);
    (void)pthread_cond_destroy(&a->changed);
    member_stream_free(&a->member);
    free(a->room);
    free(a);
}
