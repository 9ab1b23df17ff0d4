/*
 * tools.h - the tools of the program that has all of them
 *
 * A link to the program has the name of a tool.  If it is called by another
 * name, its first argument is that of the tool:
 *
 *      pbcat --dot cpu.pb.gz
 *      profutils pbcat --dot cpu.pb.gz
 */
#ifndef PROFUTILS_STATIC_TOOLS_H
#define PROFUTILS_STATIC_TOOLS_H

struct tool {
    const char *name;
    int (*main)(int argc, char **argv);
};

/* One for each file in cmd, written by static/build; ends with a null name. */
extern const struct tool tools[];

#endif
