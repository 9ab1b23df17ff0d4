/*
 * unit.h - cmocka, and the headers that must precede it
 *
 * cmocka passes each test a state, of which these tests make no use.
 */
#ifndef PROFUTILS_TESTS_UNIT_H
#define PROFUTILS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
