/*
 * flamecolour.h - colours of boxes, those of the light page
 *
 * A hue for each package and a shade for each name, both by their hash
 * (FNV-1a, 32 bits, http://www.isthe.com/chongo/tech/comp/fnv), so that a
 * package has one colour in every profile; in a difference, red for what
 * became more and blue for what became less.  lib/report/flame/page/colours.js
 * says the same to a browser.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FLAMECOLOUR_H
#define PROFUTILS_REPORT_FLAMECOLOUR_H

#include <stdint.h>

#include "report/graph/package.h"

/* 0xrrggbb */
#define FLAME_PLAIN 0xdcdfe4 /* of no package */

uint32_t flame_colour(struct text_slice package, struct text_slice name);
uint32_t flame_change_colour(double now, double old);

#endif
