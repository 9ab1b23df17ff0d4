/*
 * libpcre2.h - the functions of PCRE2, which is loaded for the first regular
 * expression (base/library.h)
 */
#ifndef PROFUTILS_PROFILE_LIBPCRE2_H
#define PROFUTILS_PROFILE_LIBPCRE2_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/library.h"

#define PCRE_FUNCTIONS(X)                                                      \
    X(pcre2_config)                                                            \
    X(pcre2_compile_context_create)                                            \
    X(pcre2_compile_context_free)                                              \
    X(pcre2_set_newline)                                                       \
    X(pcre2_set_parens_nest_limit)                                             \
    X(pcre2_compile)                                                           \
    X(pcre2_code_free)                                                         \
    X(pcre2_jit_compile)                                                       \
    X(pcre2_match_data_create)                                                 \
    X(pcre2_match_data_free)                                                   \
    X(pcre2_match_context_create)                                              \
    X(pcre2_match_context_free)                                                \
    X(pcre2_set_heap_limit)                                                    \
    X(pcre2_set_match_limit)                                                   \
    X(pcre2_set_callout)                                                       \
    X(pcre2_match)                                                             \
    X(pcre2_dfa_match)                                                         \
    X(pcre2_get_error_message)

struct pcre {
    PCRE_FUNCTIONS(LIBRARY_MEMBER)
};
extern struct pcre pcre;

/* To be called before the first use of `pcre`; as library_load(). */
bool pcre_load(struct err *err);

#endif
