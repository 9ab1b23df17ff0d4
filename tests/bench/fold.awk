# fold.awk - the output of perf script as folded stacks
/^\t/ {
    sub(/^[ \t]*[0-9a-f]+ /, "")
    sub(/ \([^()]*\)$/, "")
    sub(/\+0x[0-9a-f]+$/, "")
    stack = ";" $0 stack
    next
}
NF { name = $1 }
!NF && stack { n[name stack]++; stack = "" }
END { for (stack in n) print stack, n[stack] }
