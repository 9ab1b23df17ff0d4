/*
 * components.h - strongly connected components of a directed graph
 *
 * The algorithm is Tarjan's (https://doi.org/10.1137/0201010), without
 * recursion, in time and memory proportional to nodes and edges.
 */
#ifndef PROFUTILS_BASE_COMPONENTS_H
#define PROFUTILS_BASE_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sets component[i] to the number of the component of node i, for n nodes.
 * Node i has edges to the nodes to[off[i] .. off[i + 1]).  Two nodes are in the
 * same component if each can reach the other.  Components are numbered from 0;
 * an edge between two components leads to the lower number.  False when memory
 * is out.
 */
bool components_find(uint32_t n, const size_t *off, const uint32_t *to,
                     uint32_t *component);

#endif
