# bash completion for dcpi2pb

_dcpi2pb() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--event= --text-start= --assume= --offset-unit=
        --header-only --each --output= --if-changed --keep-going --files= --files0=
        --max-size= --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, "=" and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --assume) mapfile -t COMPREPLY < <(compgen -W '0.06 0.07' -- "$cur") ;;
    --offset-unit) mapfile -t COMPREPLY < <(compgen -W 'byte insn' -- "$cur") ;;
    -e | --event | --text-start | --max-size) ;;
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

complete -F _dcpi2pb dcpi2pb
