# bash completion for pbsym

_pbsym() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--binary= --path= --force --demangle= --symtab-only
        --inlines --no-inlines --output= --if-changed --keep-going --files= --files0=
        --threads= --max-size= --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, = and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --demangle)
        mapfile -t COMPREPLY < <(
            compgen -W 'default templates full none' -- "$cur"
        )
        ;;
    --path)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    -T | --threads | --max-size) ;;
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

complete -F _pbsym pbsym
