/*
 * doctor_oracle.h - the doctor held to the decoder and to protobuf-c
 *
 * What has no errors the decoder takes, but for a few things that it takes
 * and pprof does not; what it refuses has errors.  What is mended has none,
 * and what was kept and lost of each sample type adds up to what protobuf-c
 * reads.
 *
 * What does not hold fails as cmocka's assertions do.
 */
#ifndef PROFUTILS_TESTS_DOCTOR_ORACLE_H
#define PROFUTILS_TESTS_DOCTOR_ORACLE_H

#include "check/examine.h"

/* What doctor_examine() counts. */
struct doctor_counts doctor_counted(const uint8_t *data, size_t n);

enum doctor_verdict { DOCTOR_SOUND, DOCTOR_MENDED, DOCTOR_REFUSED };

/* *compared: sums of sample types were. */
enum doctor_verdict doctor_decide(const uint8_t *data, size_t n,
                                  bool *compared);

#endif
