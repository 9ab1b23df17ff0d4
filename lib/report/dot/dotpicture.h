/*
 * dotpicture.h - the bytes of lib/report/dot/picture.css and picture.js, which
 * the Makefile compiles into the program
 */
#ifndef PROFUTILS_REPORT_DOTPICTURE_H
#define PROFUTILS_REPORT_DOTPICTURE_H

#include <stddef.h>

extern const unsigned char dotpicture_css[], dotpicture_js[];
extern const size_t dotpicture_css_n, dotpicture_js_n;

#endif
