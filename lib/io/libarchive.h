/*
 * libarchive.h - the functions of libarchive, which is loaded when the first
 * archive is met (base/library.h)
 */
#ifndef PROFUTILS_IO_LIBARCHIVE_H
#define PROFUTILS_IO_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/library.h"

#define LA_FUNCTIONS(X)                                                        \
    X(archive_version_string)                                                  \
    X(archive_read_new)                                                        \
    X(archive_read_free)                                                       \
    X(archive_read_support_filter_zstd)                                        \
    X(archive_read_support_filter_xz)                                          \
    X(archive_read_support_filter_bzip2)                                       \
    X(archive_read_support_filter_lz4)                                         \
    X(archive_read_support_format_raw)                                         \
    X(archive_read_support_format_empty)                                       \
    X(archive_read_support_format_tar)                                         \
    X(archive_read_support_format_cpio)                                        \
    X(archive_read_support_format_zip_seekable)                                \
    X(archive_read_support_format_zip_streamable)                              \
    X(archive_read_support_format_7zip)                                        \
    X(archive_read_set_format_option)                                          \
    X(archive_read_set_callback_data)                                          \
    X(archive_read_set_read_callback)                                          \
    X(archive_read_set_seek_callback)                                          \
    X(archive_read_set_skip_callback)                                          \
    X(archive_read_open1)                                                      \
    X(archive_read_next_header)                                                \
    X(archive_read_header_position)                                            \
    X(archive_read_data_block)                                                 \
    X(archive_format)                                                          \
    X(archive_filter_code)                                                     \
    X(archive_filter_bytes)                                                    \
    X(archive_set_error)                                                       \
    X(archive_errno)                                                           \
    X(archive_error_string)                                                    \
    X(archive_entry_pathname)                                                  \
    X(archive_entry_pathname_utf8)                                             \
    X(archive_entry_hardlink)                                                  \
    X(archive_entry_symlink)                                                   \
    X(archive_entry_filetype)                                                  \
    X(archive_entry_size)                                                      \
    X(archive_entry_size_is_set)                                               \
    X(archive_entry_mtime)                                                     \
    X(archive_entry_mtime_is_set)                                              \
    X(archive_entry_nlink)                                                     \
    X(archive_entry_is_data_encrypted)                                         \
    X(archive_write_new)                                                       \
    X(archive_write_free)                                                      \
    X(archive_write_add_filter_gzip)                                           \
    X(archive_write_add_filter_zstd)                                           \
    X(archive_write_add_filter_xz)                                             \
    X(archive_write_add_filter_bzip2)                                          \
    X(archive_write_add_filter_lz4)                                            \
    X(archive_write_set_format_gnutar)                                         \
    X(archive_write_set_format_zip)                                            \
    X(archive_write_zip_set_compression_store)                                 \
    X(archive_write_set_format_option)                                         \
    X(archive_write_set_filter_option)                                         \
    X(archive_write_set_bytes_in_last_block)                                   \
    X(archive_write_open)                                                      \
    X(archive_write_header)                                                    \
    X(archive_write_data)                                                      \
    X(archive_write_finish_entry)                                              \
    X(archive_write_close)                                                     \
    X(archive_entry_new)                                                       \
    X(archive_entry_clear)                                                     \
    X(archive_entry_free)                                                      \
    X(archive_entry_set_pathname)                                              \
    X(archive_entry_update_pathname_utf8)                                      \
    X(archive_entry_set_filetype)                                              \
    X(archive_entry_set_perm)                                                  \
    X(archive_entry_set_size)                                                  \
    X(archive_entry_set_mtime)

struct la {
    LA_FUNCTIONS(LIBRARY_MEMBER)
};
extern struct la la;

/* Loads libarchive (library_load()).  Call it before the first use of `la`. */
bool la_load(struct prof_err *err);

/*
 * Get and set the modification time of an entry, in seconds since 1970.
 * la_set_mtime() sets the nearest time that fits, and 0 for one before 1970.
 * They are in a file of their own, la_time.c, which is compiled with the size
 * of time_t that libarchive was compiled with (see the Makefile).
 */
int64_t la_mtime(struct archive_entry *e);
void la_set_mtime(struct archive_entry *e, int64_t seconds);

#endif
