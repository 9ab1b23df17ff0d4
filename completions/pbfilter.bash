# bash completion for pbfilter

_pbfilter() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--estimate-stacks --max-stacks= --focus= --ignore= --hide= --show= --show-from=
        --prune-from= --tagfocus= --tagignore= --tagshow= --taghide=
        --tagroot= --tagleaf= --drop-frames= --keep-frames= --prune
        --drop-labels --unit= --granularity= --addresses --lines --functions
        --filefunctions --noinlines --showcolumns --trim-path=
        --sample-index= --mean --divide-by= --repair --fail-empty
        --output=
        --if-changed --threads= --keep-going --files= --files0= --max-size=
        --strict --quiet --verbose --help --version'
    COMPREPLY=()
    # An option, = and its value are three words here.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --granularity)
        mapfile -t COMPREPLY < <(compgen -W 'addresses lines functions
            filefunctions files' -- "$cur")
        ;;
    --unit)
        mapfile -t COMPREPLY < <(compgen -W 'minimum auto B kB MB GB TB PB ns
            us ms s hrs' -- "$cur")
        ;;
    --trim-path)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    --focus | --ignore | --hide | --show | --show-from | --prune-from | \
        --tagfocus | --tagignore | --tagshow | --taghide | --tagroot | \
        --tagleaf | --drop-frames | --keep-frames | --sample-index | \
        --divide-by | --max-stacks | -T | --threads | --max-size) ;;
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

complete -F _pbfilter pbfilter
