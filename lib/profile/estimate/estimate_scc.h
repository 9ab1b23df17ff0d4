/*
 * estimate_scc.h - the cycles of a directed graph
 */
#ifndef PROFUTILS_PROFILE_ESTIMATE_SCC_H
#define PROFUTILS_PROFILE_ESTIMATE_SCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tarjan's strongly connected components of n nodes, where node i has edges
 * to `to[off[i] .. off[i + 1])`.  component[i] becomes a number from 0 on
 * that nodes have in common if and only if each can be reached from the
 * other.  Takes no more of the C stack for deep graphs.  False when memory
 * is out.
 */
bool est_components(uint32_t n, const size_t *off, const uint32_t *to,
                    uint32_t *component);

#endif
