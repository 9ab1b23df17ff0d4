/*
 * elfutils.h - the functions of libelf, which is loaded when the first binary
 * is opened, and of libdw, when its debug information is (base/library.h)
 */
#ifndef PROFUTILS_SYMBOLIZE_ELFUTILS_H
#define PROFUTILS_SYMBOLIZE_ELFUTILS_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "base/library.h"

#define EU_FUNCTIONS(X)                                                        \
    X(elf_begin)                                                               \
    X(elf_compress)                                                            \
    X(elf_end)                                                                 \
    X(elf_errmsg)                                                              \
    X(elf_getdata)                                                             \
    X(elf_getdata_rawchunk)                                                    \
    X(elf_getphdrnum)                                                          \
    X(elf_getscn)                                                              \
    X(elf_getshdrnum)                                                          \
    X(elf_getshdrstrndx)                                                       \
    X(elf_kind)                                                                \
    X(elf_memory)                                                              \
    X(elf_ndxscn)                                                              \
    X(elf_nextscn)                                                             \
    X(elf_rawdata)                                                             \
    X(elf_strptr)                                                              \
    X(elf_version)                                                             \
    X(gelf_fsize)                                                              \
    X(gelf_getchdr)                                                            \
    X(gelf_getehdr)                                                            \
    X(gelf_getnote)                                                            \
    X(gelf_getphdr)                                                            \
    X(gelf_getrel)                                                             \
    X(gelf_getrela)                                                            \
    X(gelf_getshdr)                                                            \
    X(gelf_getsym)                                                             \
    X(gelf_update_shdr)

#define DW_FUNCTIONS(X)                                                        \
    X(dwarf_attr)                                                              \
    X(dwarf_attr_integrate)                                                    \
    X(dwarf_begin_elf)                                                         \
    X(dwarf_child)                                                             \
    X(dwarf_cu_getdwarf)                                                       \
    X(dwarf_cu_info)                                                           \
    X(dwarf_cuoffset)                                                          \
    X(dwarf_decl_line)                                                         \
    X(dwarf_diecu)                                                             \
    X(dwarf_diename)                                                           \
    X(dwarf_dieoffset)                                                         \
    X(dwarf_end)                                                               \
    X(dwarf_errmsg)                                                            \
    X(dwarf_filesrc)                                                           \
    X(dwarf_formref_die)                                                       \
    X(dwarf_formstring)                                                        \
    X(dwarf_formudata)                                                         \
    X(dwarf_get_units)                                                         \
    X(dwarf_getelf)                                                            \
    X(dwarf_getsrc_die)                                                        \
    X(dwarf_getsrcfiles)                                                       \
    X(dwarf_getsrclines)                                                       \
    X(dwarf_lineaddr)                                                          \
    X(dwarf_lineendsequence)                                                   \
    X(dwarf_linecol)                                                           \
    X(dwarf_linediscriminator)                                                 \
    X(dwarf_lineno)                                                            \
    X(dwarf_linesrc)                                                           \
    X(dwarf_next_unit)                                                         \
    X(dwarf_onesrcline)                                                        \
    X(dwarf_ranges)                                                            \
    X(dwarf_setalt)                                                            \
    X(dwarf_siblingof)                                                         \
    X(dwarf_srclang)                                                           \
    X(dwarf_tag)                                                               \
    X(dwfl_version)

struct eu {
    EU_FUNCTIONS(LIBRARY_MEMBER)
};
struct dw {
    DW_FUNCTIONS(LIBRARY_MEMBER)
};
extern struct eu eu;
extern struct dw dw;

/* Load the libraries (library_load()).  Call them before the first use of `eu`
 * and `dw`. */
bool libelf_load(struct prof_err *err);
bool libdw_load(struct prof_err *err);

#endif
