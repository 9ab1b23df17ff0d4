/*
 * scratch_dir.h - a directory that a test program has for itself
 *
 * All are setups or teardowns of cmocka groups: 0, or -1 and the tests fail.
 * One directory at a time; what a test makes there it removes.
 */
#ifndef PROFUTILS_TESTS_SCRATCH_DIR_H
#define PROFUTILS_TESTS_SCRATCH_DIR_H

/* Its absolute name, once it is made. */
extern char scratch_dir[];

int scratch_dir_make(void **state);
/* Makes it the current directory as well. */
int scratch_dir_enter(void **state);

/* Removes it, which fails if anything is left in it; the current one is /. */
int scratch_dir_drop(void **state);

/* Whether it is empty, while it is the current directory. */
void scratch_dir_assert_empty(void);

#endif
