/*
 * wire_faults.h - from what loose.h tells to findings, private to lib/doctor
 */
#ifndef PROFUTILS_DOCTOR_WIRE_FAULTS_H
#define PROFUTILS_DOCTOR_WIRE_FAULTS_H

#include "check/examiner.h"

enum { WIRE_UNKNOWN_MAX = 64 }; /* field numbers that are told apart */

struct wire_unknown {
    struct loose_fault first;
    size_t n;
};

/* *w must stay where it is. */
struct wire_faults {
    struct examiner *x;
    struct loose_faults faults; /* to be handed to loose.h */
    struct wire_unknown unknown[WIRE_UNKNOWN_MAX];
    size_t n_unknown, n_other;
};

void wire_faults_init(struct wire_faults *w, struct examiner *x);

/* Tells what was counted. */
void wire_faults_end(struct wire_faults *w);

#endif
