/*
 * threads.h - what the threads of a server were doing, as text
 *
 *      --- threadz 1 ---
 *
 *      --- Thread 7eff063d9940 (name: main/25376) stack: ---
 *        PC: 0xbc8f1c 0xbcae55 0x40be31
 *      --- Thread 7eff04b95700 (name: worker/25380) stack: ---
 *        PC:  0x00bc8f1c: Wait(int)
 *        0x7eff05b6d14e: start_thread
 *            creator: 0xa45b96 0xa48928
 *      --- Thread 7eff04770700 (name: worker/25382) stack: ---
 *        [same as previous thread]
 *      --- Memory map: ---
 *        00400000-00fcb000: /usr/bin/server
 *
 * A thread's stack is all the addresses up to the next thread: where it is,
 * return addresses, and after "creator:" those of the thread that began it.
 * What follows an address and ":" is its name.  A second frame that is the
 * leaf again is taken out.
 *
 * The sample type is thread/count.  Threads without a stack count, too.
 *
 * There is no published format.  As google/pprof reads it
 * (profile/legacy_profile.go), which is the only description there is.
 */
#ifndef PROFUTILS_IMPORT_THREADS_H
#define PROFUTILS_IMPORT_THREADS_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool threads_begins(const uint8_t *data, size_t n);
bool threads_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                  struct profile *out, const struct notes *notes,
                  struct err *err);

#endif
