# bash completion for gmon2pb

_gmon2pb() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--executable= --exe-from= --no-symbols --flat --path= --demangle=
        --inlines --no-inlines --blocks --max-stacks=
        --format= --addr-size=
        --byte-order= --lenient --bin-bits= --bin-order= --count-bits=
        --each --output= --if-changed
        --keep-going --files= --files0= --max-size= --strict --quiet --verbose --help
        --version'
    COMPREPLY=()
    # An option, its "=" and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --addr-size) mapfile -t COMPREPLY < <(compgen -W '4 8' -- "$cur") ;;
    --demangle)
        mapfile -t COMPREPLY < <(
            compgen -W 'default templates full none' -- "$cur"
        )
        ;;
    --path)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    --format)
        mapfile -t COMPREPLY < <(compgen -W \
            'gnu 4.4bsd oldbsd osf1 ld-profile darwin' -- "$cur")
        ;;
    --byte-order | --bin-order)
        mapfile -t COMPREPLY < <(compgen -W 'little big' -- "$cur")
        ;;
    --bin-bits) mapfile -t COMPREPLY < <(compgen -W '8 16 32 64' -- "$cur") ;;
    --count-bits) mapfile -t COMPREPLY < <(compgen -W '32 64' -- "$cur") ;;
    --exe-from)
        mapfile -t COMPREPLY < <(compgen -W \
            '{dir}/ {dir}/{stem} {dir}/{parent} {dir}/{name}' -- "$cur")
        compopt -o nospace 2>/dev/null
        ;;
    --max-size | --max-stacks) ;;
    *)
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
            [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    esac
}

complete -F _gmon2pb gmon2pb
