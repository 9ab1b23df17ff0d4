/*
 * repair_oracle.h - check and repair, compared with the decoder and protobuf-c
 *
 * A message without errors is decoded, apart from a few that pprof does not
 * read; one that is not decoded has errors.  What is repaired has none, and
 * what was kept and lost of each sample type adds up to what protobuf-c reads.
 *
 * A violation fails as cmocka's assertions do.
 */
#ifndef PROFUTILS_TESTS_REPAIR_ORACLE_H
#define PROFUTILS_TESTS_REPAIR_ORACLE_H

#include "profile/check/check.h"

/* What prof_check() counts. */
struct prof_check_counts count_rules(const uint8_t *data, size_t n);

enum verdict { VERDICT_SOUND, VERDICT_REPAIRED, VERDICT_REFUSED };

/* *compared: sums of sample types were. */
enum verdict decide_message(const uint8_t *data, size_t n, bool *compared);

#endif
