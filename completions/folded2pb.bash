# bash completion for folded2pb

_folded2pb() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--sample-types= --no-counts --annotations --root-label=
        --each --output= --if-changed --keep-going --files= --files0=
        --max-size= --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, "=" and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --sample-types)
        mapfile -t COMPREPLY < <(compgen -W 'samples/count cpu/nanoseconds
            alloc_space/bytes before,after' -- "$cur")
        ;;
    --root-label) mapfile -t COMPREPLY < <(compgen -W 'comm thread' -- "$cur") ;;
    --max-size) ;;
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

complete -F _folded2pb folded2pb
