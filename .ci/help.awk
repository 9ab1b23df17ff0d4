# help.awk - prints the targets and variables of makefiles and their comments
#
#   awk -f .ci/help.awk MAKEFILE...
#
# A comment that begins with ## describes the target below it, or the variables
# that are set in the lines below it.

function flush() {
    if (names)
        variables = variables "\n    " names text
    text = names = ""
}
/^## / {
    if (names)
        flush()
    text = text "\n        " substr($0, 4)
    next
}
/^#/ { next }
text && /^[A-Z_]+ +[?:]?=/ {
    names = names (names ? ", " : "") $1
    next
}
text && !names {
    targets = targets "\n    " substr($0, 1, index($0, ":") - 1) text
}
{ flush() }
END { print "Targets:" targets "\n\nVariables:" variables }
