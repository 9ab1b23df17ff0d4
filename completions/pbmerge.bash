# bash completion for pbmerge

_pbmerge() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--types= --base= --normalize --scale= --memory=
        --output= --if-changed --threads= --keep-going --files= --files0= --max-size=
        --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, = and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --types)
        mapfile -t COMPREPLY < <(compgen -W 'same union intersect' -- "$cur")
        ;;
    --scale | --memory | -T | --threads | --max-size) ;;
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

complete -F _pbmerge pbmerge
