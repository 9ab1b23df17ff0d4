# bash completion for prof2pb

_prof2pb() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--binary= --type= --period= --build-id --path= --demangle= --inlines --no-inlines --no-symbols --strip-signal-frames
        --end-at-zero --first-only --no-inherited --threads --jobs= --each
        --output= --if-changed --keep-going --files= --files0= --max-size= --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, "=" and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    -T | --jobs | --max-size | --period) ;;
    --demangle)
        mapfile -t COMPREPLY < <(
            compgen -W 'default templates full none' -- "$cur"
        )
        ;;
    --path)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    --type)
        mapfile -t COMPREPLY < <(compgen -W 'cpu heap jemalloc count threads java contention raw proto' -- "$cur")
        ;;
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

complete -F _prof2pb prof2pb
