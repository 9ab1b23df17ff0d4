/*
 * flamepage.h - the files of lib/report/flame/page, as the Makefile puts them
 * here
 *
 * The template of the page, its styles, and its scripts one after the other.
 */
#ifndef PROFUTILS_REPORT_FLAMEPAGE_H
#define PROFUTILS_REPORT_FLAMEPAGE_H

#include <stddef.h>

extern const unsigned char flamepage_html[], flamepage_css[], flamepage_js[];
extern const size_t flamepage_html_n, flamepage_css_n, flamepage_js_n;

#endif
