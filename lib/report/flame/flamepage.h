/*
 * flamepage.h - the bytes of the files of lib/report/flame/page, which the
 * Makefile compiles into the program: the template of the page, its styles, and
 * all its scripts in one text
 */
#ifndef PROFUTILS_REPORT_FLAMEPAGE_H
#define PROFUTILS_REPORT_FLAMEPAGE_H

#include <stddef.h>

extern const unsigned char flamepage_html[], flamepage_css[], flamepage_js[];
extern const size_t flamepage_html_n, flamepage_css_n, flamepage_js_n;

#endif
