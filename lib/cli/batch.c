/*
 * batch.c - converts parts of inputs with several threads
 *
 * Messages about a part are recorded and shown later, part by part.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cli/private.h"

/* Limits of a batch: parts for each thread, and bytes of all parts. */
enum { PARTS_EACH = 256 };
#define BATCH_BYTES ((size_t)32 << 20)

static void record_note(void *ctx, enum prof_note_level level, const char *text)
{
    struct record *r = ctx;
    struct said said = {.level = level,
                        .text = strdup(text),
                        .subject = r->subject ? strdup(r->subject) : NULL};
    if (level == PROF_NOTE_LOSS && r->strict)
        cli_keep_lost(&r->lost, text);
    if (said.text && (said.subject || !r->subject) && vec_push(&r->said, said))
        return;
    free(said.text);
    free(said.subject);
    r->nomem = true;
}

static bool check_record(void *ctx, struct prof_err *err)
{
    struct record *r = ctx;
    return cli_pass_lost(&r->lost, err);
}

void batch_part_free(struct batch_part *part)
{
    for (size_t i = 0; i < part->record.said.n; i++) {
        free(part->record.said.v[i].text);
        free(part->record.said.v[i].subject);
    }
    vec_free(&part->record.said);
    free(part->subject);
    free(part->entry);
    free(part->name);
    free(part->program_name);
    buf_free(&part->bytes);
    buf_free(&part->packed);
}

void worker_free(const struct converter *v, void *worker)
{
    if (v->end)
        v->end(worker);
    free(worker);
}

void *worker_new(const struct converter *v, void *ctx, struct prof_err *err)
{
    void *worker = mem_new(v->size, err);
    if (!worker)
        return NULL;
    if (!v->begin || v->begin(worker, ctx, err))
        return worker;
    worker_free(v, worker);
    return NULL;
}

bool batch_begin(struct batch *b, struct prof_err *err)
{
    b->own = mem_zarray(b->cli->threads, sizeof *b->own);
    return b->own || err_nomem(err);
}

/* Waits until the running parts are converted. */
static void join(struct batch *b)
{
    if (b->threads)
        parallel_end(b->threads);
    b->threads = NULL;
}

void batch_parts_free(struct batch_parts *parts)
{
    for (size_t i = 0; i < parts->list.n; i++)
        batch_part_free(&parts->list.v[i]);
    vec_free(&parts->list);
    *parts = (struct batch_parts){0};
}

void batch_end(struct batch *b)
{
    join(b);
    batch_parts_free(&b->filled);
    batch_parts_free(&b->running);
    for (unsigned i = 0; b->own && i < b->cli->threads; i++) {
        if (b->own[i].worker)
            worker_free(b->converter, b->own[i].worker);
        pack_free(b->own[i].packer);
    }
    free(b->own);
}

bool batch_add(struct batch *b, const struct batch_part *part,
               struct prof_err *err)
{
    if (vec_push(&b->filled.list, *part)) {
        b->filled.bytes += part->bytes.n;
        return true;
    }
    struct batch_part lost = *part;
    batch_part_free(&lost);
    return err_nomem(err);
}

bool batch_is_full(const struct batch *b)
{
    return b->filled.list.n >= (size_t)b->cli->threads * PARTS_EACH ||
           b->filled.bytes >= BATCH_BYTES;
}

static bool put_comments(struct batch_part *part, struct profile *p,
                         struct prof_err *err)
{
    struct losses losses = {.nomem = part->record.nomem};
    for (size_t i = 0; i < part->record.said.n; i++)
        if (part->record.said.v[i].level == PROF_NOTE_LOSS)
            losses_wait(&losses, part->record.said.v[i].text);
    bool ok = losses_add(&losses, p, err);
    losses_free(&losses);
    return ok;
}

static bool convert_part(struct batch *b, unsigned thread,
                         struct batch_part *part)
{
    const struct converter *v = b->converter;
    struct prof_err *err = &part->err;
    struct batch_thread *own = &b->own[thread];
    struct record *record = &part->record;
    record->strict = b->cli->strict;
    record->subject = part->subject;
    record->notes = (struct prof_notes){record_note, record, check_record};
    if (part->bytes.n)
        part->in.data = part->bytes.v;
    part->in.name = part->subject;
    part->in.notes = &record->notes;
    const struct conversion_job job = {
        .ctx = b->ctx,
        .in = &part->in,
        .program = b->programs ? &part->program : NULL,
        .threads = b->running.list.n > 1 ? 1 : b->cli->threads,
        .notes = &record->notes,
        .about = &record->subject};
    if (!own->worker && !(own->worker = worker_new(v, b->ctx, err)))
        return false;
    if (!own->packer && !(own->packer = pack_new(1)))
        return err_nomem(err);
    bool ok = v->add(own->worker, &job, err);
    struct profile *p = v->finish(own->worker, ok, err);
    ok = ok && p && (!b->comments || put_comments(part, p, err)) &&
         cli_pack(own->packer, p, b->cli->level, &part->packed, err);
    prof_delete(p);
    return ok;
}

static void run_part(void *ctx, unsigned thread, size_t i)
{
    struct batch *b = ctx;
    struct batch_part *part = &b->running.list.v[i];
    if (!part->copied && !part->failed)
        part->failed = !convert_part(b, thread, part);
}

bool batch_advance(struct batch *b, struct batch_parts *done)
{
    join(b);
    *done = b->running;
    b->running = b->filled;
    b->filled = (struct batch_parts){0};
    const size_t n = b->running.list.n;
    if (n)
        b->threads = parallel_begin(b->cli->threads - 1, n, run_part, b);
    /* Without memory for threads, convert the parts here. */
    if (n && !b->threads)
        parallel_run(1, n, run_part, b);
    return n || done->list.n;
}
