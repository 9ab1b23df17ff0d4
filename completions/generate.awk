# generate.awk - a completion script made of what a tool says with --help
#
#   TOOL --help | awk -v tool=TOOL -v shell=bash|zsh|fish -f generate.awk
#
# A row of --help is "  -c, --color=ARGUMENT   text", with the text on the next
# line where there is no room.  The argument says what is completed:
#
#   a|b|c, [=a|b]   these words, which may go on in the next line after a "|"
#   a|b|c[,...]     several of these words, separated by commas
#   FILE, PROGRAM   files
#   DIRS            directories
#   COMMAND         commands
#   UNIT            some units; the list is not complete
#   others          nothing

BEGIN {
    units = "minimum auto ns us ms s hrs B kB MB GB TB PB"
    q = sprintf("%c", 39)
}

# "... formats:": only one of the options below such headings can be given.
/^[A-Z].*:$/ { formats = / formats:$/ }

/^  (-[A-Za-z], |    )--[a-z].*\|$/ {
    begun = $0
    next
}

begun != "" {
    sub(/^ +/, "")
    $0 = begun $0
    begun = ""
    if (/\|$/) {
        begun = $0
        next
    }
}

/^  (-[A-Za-z], |    )--[a-z]/ {
    n++
    if (substr($0, 3, 1) == "-")
        letter[n] = substr($0, 4, 1)
    word = substr($0, 7)
    sub(/ .*/, "", word)
    text[n] = substr($0, 7 + length(word))
    sub(/^ +/, "", text[n])
    if (match(word, /\[?=/)) {
        kind[n] = substr(word, RSTART, 1) == "[" ? "optional" : "required"
        arg[n] = substr(word, RSTART + RLENGTH)
        if (sub(/\[,\.\.\.\]$/, "", arg[n]))
            is_list[n] = 1
        sub(/\]$/, "", arg[n])
        word = substr(word, 1, RSTART - 1)
    }
    name[n] = substr(word, 3)
    number[name[n]] = n
    one_of[n] = formats
    wait = text[n] == ""
    next
}

wait {
    sub(/^ +/, "")
    text[n] = $0
    wait = 0
}

/^  -0 \.\.\. -9/ { levels = 1 }

# What completes the argument of option i: "files", "directories", "commands",
# "nothing", or words with blanks between.
function action(i,  a) {
    a = arg[i]
    if (a == "FILE" || a == "PATH" || a == "PROGRAM")
        return "files"
    if (a == "DIRS")
        return "directories"
    if (a == "COMMAND")
        return "commands"
    if (a == "UNIT")
        return units
    if (a !~ /^[a-z0-9]/)
        return "nothing"
    gsub(/\|/, " ", a)
    return a
}

# --- bash

# The options whose argument is completed so, as a pattern of case.
function pattern(how, list,  i, p) {
    p = ""
    for (i = 1; i <= n; i++) {
        if (kind[i] == "" || action(i) != how || is_list[i] != list)
            continue
        if (letter[i] != "")
            p = p " | -" letter[i]
        p = p " | --" name[i] "="
        if (kind[i] == "required")
            p = p " | --" name[i]
    }
    return substr(p, 4)
}

function bash_case(how, command, list,  p) {
    p = pattern(how, list)
    if (p != "" && command != "")
        printf "    %s)\n        %s\n        ;;\n", p, command
    else if (p != "")
        printf "    %s) ;;\n", p
}

function bash_reply(flag) {
    return "mapfile -t COMPREPLY < <(compgen " flag " -- \"$cur\")"
}

function bash(  i, how, done) {
    printf "# bash completion for %s\n\n_%s() {\n", tool, tool
    print "    local cur=${COMP_WORDS[COMP_CWORD]}"
    print "    local option=${COMP_WORDS[COMP_CWORD - 1]}"
    printf "    local options=%s", q
    for (i = 1; i <= n; i++)
        printf "%s--%s%s", (i > 1 ? "\n        " : ""), name[i],
            kind[i] == "required" ? "=" : ""
    print q
    print "    COMPREPLY=()"
    print "    # An option, its \"=\" and its value are three words here."
    print "    if [[ $cur == = ]]; then"
    print "        cur="
    print "        option=$option="
    print "    elif [[ $option == = ]]; then"
    print "        option=${COMP_WORDS[COMP_CWORD - 2]}="
    print "    fi"
    print "    case $option in"
    bash_case("nothing", "")
    bash_case("directories", "compopt -o filenames 2>/dev/null\n        " \
        bash_reply("-d"))
    bash_case("commands", "compopt -o filenames 2>/dev/null\n        " \
        bash_reply("-c"))
    for (i = 1; i <= n; i++) {
        how = action(i)
        if (kind[i] == "" || (how, is_list[i]) in done ||
            how ~ /^(files|directories|commands|nothing)$/)
            continue
        done[how, is_list[i]] = 1
        if (is_list[i])
            bash_case(how, "local before=\n        " \
                "[[ $cur != *,* ]] || before=${cur%,*},\n        cur=${cur##*,}\n        " \
                bash_reply("-P \"$before\" -W " q how q), 1)
        else
            bash_case(how, bash_reply("-W " q how q))
    }
    print "    *)"
    print "        if [[ $cur == -* ]]; then"
    print "            " bash_reply("-W \"$options\"")
    print "            [[ ${COMPREPLY[0]-} != *= ]] ||"
    print "                compopt -o nospace 2>/dev/null"
    print "        else"
    print "            compopt -o filenames 2>/dev/null"
    print "            " bash_reply("-f")
    print "        fi"
    print "        ;;"
    print "    esac"
    printf "}\n\ncomplete -F _%s %s\n", tool, tool
}

# --- zsh

# The options that cannot be given with option i.
function zsh_excluded(i,  j, not, other) {
    not = ""
    if (letter[i] != "")
        not = " -" letter[i] " --" name[i]
    if (name[i] ~ /^(help|version)$/)
        return "- *"
    other = name[i] ~ /^no-/ ? substr(name[i], 4) : "no-" name[i]
    if (other in number)
        not = not " --" other
    for (j = 1; one_of[i] && j <= n; j++)
        if (one_of[j])
            not = not " --" name[j]
    return substr(not, 2)
}

function zsh_argument(i,  how, end) {
    how = action(i)
    if (how == "files")
        end = "_files"
    else if (how == "directories")
        end = "_directories"
    else if (how == "commands")
        end = "_command_names -e"
    else if (is_list[i])
        end = "_values -s , " name[i] " " how
    else if (how != "nothing")
        end = "(" how ")"
    return (kind[i] == "optional" ? "::" : ":") \
        (arg[i] ~ /^[A-Z]/ ? tolower(arg[i]) : name[i]) ":" end
}

function zsh(  i, t, not, sign, a) {
    printf "#compdef %s\n\n_arguments -s -S \\\n", tool
    for (i = 1; i <= n; i++) {
        t = text[i]
        gsub(/[][\\:]/, "\\\\&", t)
        gsub(q, q "\\" q q, t)
        not = zsh_excluded(i)
        if (not != "")
            not = "(" not ")"
        else if (kind[i] == "required" && arg[i] == "FILE")
            not = "*"
        sign = kind[i] == "optional" ? "=-" : kind[i] == "required" ? "=" : ""
        a = kind[i] == "" ? "" : zsh_argument(i)
        if (letter[i] != "")
            printf "    %s%s%s{-%s%s,--%s%s}%s[%s]%s%s \\\n", q, not, q,
                letter[i], sign == "" ? "" : "+", name[i], sign, q, t, a, q
        else
            printf "    %s%s--%s%s[%s]%s%s \\\n", q, not, name[i], sign, t, a, q
    }
    if (levels)
        printf "    %s-%s{0,1,2,3,4,5,6,7,8,9}%s[compression level]%s \\\n",
            q, q, q, q
    printf "    %s*:file:_files%s\n", q, q
}

# --- fish

# The words, each behind what the command line has up to the last comma.
function fish_list(words) {
    gsub(/ /, ",", words)
    return "(commandline -ct | string replace -r \"^--[^=]*=\" \"\" |" \
        " string replace -r \"[^,]*\\$\" \"\"){" words "}"
}

function fish(  i, t, how, a) {
    printf "# fish completion for %s\n\n", tool
    for (i = 1; i <= n; i++) {
        how = action(i)
        if (kind[i] == "")
            a = ""
        else if (how == "files")
            a = " -r"
        else if (how == "nothing")
            a = kind[i] == "required" ? " -x" : ""
        else {
            if (how == "directories")
                how = "(__fish_complete_directories)"
            else if (how == "commands")
                how = "(__fish_complete_command)"
            else if (is_list[i])
                how = fish_list(how)
            a = (kind[i] == "required" ? " -x" : " -f") " -a " q how q
        }
        t = toupper(substr(text[i], 1, 1)) substr(text[i], 2)
        gsub(/[\\']/, "\\\\&", t)
        printf "complete -c %s%s -l %s%s -d %s%s%s\n", tool,
            letter[i] == "" ? "" : " -s " letter[i], name[i], a, q, t, q
    }
    for (i = 0; levels && i <= 9; i++)
        printf "complete -c %s -s %d -d %sCompression level %d%s\n", tool, i, q,
            i, q
}

END {
    if (!n) {
        print "generate.awk: no options" >"/dev/stderr"
        exit 1
    }
    if (shell == "bash")
        bash()
    else if (shell == "zsh")
        zsh()
    else
        fish()
}
