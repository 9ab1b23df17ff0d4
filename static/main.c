/* main.c - all tools in one program, which does what it is called by */
#include "static/tools.h"

#include <stdio.h>
#include <string.h>

enum { USAGE = 2 }; /* exit status */

/* Returns the tool that a path ends in, or null. */
static const struct tool *find_tool(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct tool *t = tools;
    while (t->name && strcmp(name, t->name) != 0)
        t++;
    return t->name ? t : NULL;
}

int main(int argc, char **argv)
{
    const struct tool *tool = argc > 0 ? find_tool(argv[0]) : NULL;
    if (!tool && argc > 1) {
        argc--;
        argv++;
        tool = find_tool(argv[0]);
    }
    if (tool)
        return tool->main(argc, argv);
    (void)fprintf(stderr, "profutils: missing or unknown tool: expected");
    for (tool = tools; tool->name; tool++)
        (void)fprintf(stderr, "%s %s", tool == tools ? "" : ",", tool->name);
    (void)fprintf(stderr, "\n");
    return USAGE;
}
