/*
 * pages.h - memory before it is written to, and after it has been read
 *
 * Large arrays come without pages behind them: each is provided when it is
 * first written to, which interrupts the program and takes three times as long
 * as when it is one of many that are asked for at once.
 */
#ifndef PROFUTILS_BASE_PAGES_H
#define PROFUTILS_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Asks for the pages that lie wholly in at[0 .. n), all of which is going to
 * be written to.  What is there already stays as it is.  False when this
 * system cannot be asked; they come as they are needed then.
 */
bool pages_ask(void *at, size_t n);

/*
 * The same for an array of `cap` bytes that grows from its start, of which
 * at[0 .. used) are in use by now: a stretch of it at a time.  *asked, which
 * is 0 at first, is how far it was asked for.  To be called now and then;
 * nothing happens unless `used` comes near that.
 */
void pages_ahead(void *at, size_t used, size_t cap, size_t *asked);

/*
 * Gives those pages back.  Nobody knows what at[0 .. n) holds after that; it
 * is to be freed by whoever has it all the same.
 */
void pages_drop(const void *at, size_t n);

#endif
