/* without_isal.c - what gzip_isal.c has, in a build without ISA-L */
#include "io/private.h"

const struct library_about gz_isal = {.name = "ISA-L",
                                      .lacking = "ISA-L (gzip is then slower)"};
