/*
 * gmon_images.h - lists of the images that a Darwin program had; private
 */
#ifndef PROFUTILS_IMPORT_GMON_IMAGES_H
#define PROFUTILS_IMPORT_GMON_IMAGES_H

#include "import/gmon/gmon.h"

void gmon_images_free(struct gmon_images *images);

/* True when the same are at the same places, in the same order. */
bool gmon_images_same(const struct gmon_images *a, const struct gmon_images *b);

/* Appends copies; on failure *to is safe to free. */
bool gmon_images_copy(struct gmon_images *to, const struct gmon_images *from,
                      struct err *err);

#endif
