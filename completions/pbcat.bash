# bash completion for pbcat

_pbcat() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    local options='--text --top --tree --peek= --dot --svg --pdf --ps
        --png --gif --gv --callgrind --traces --raw --comments
        --tags --topproto --folded --flame --textproto --json --list= --disasm=
        --weblist=
        --jsonl --csv --tsv --speedscope --firefox --digest
        --cum --flat --sample-index= --unit= --nodecount= --nodefraction=
        --edgefraction= --trim --no-trim --mean --divide-by= --drop-negative
        --granularity= --addresses --lines --functions --filefunctions
        --noinlines --showcolumns --all-frames --source-path= --trim-path=
        --binary= --path= --objdump= --intel-syntax --focus= --ignore= --hide=
        --show= --show-from= --prune-from= --tagfocus= --tagignore= --tagshow=
        --taghide= --tagroot= --tagleaf= --drop-frames= --keep-frames=
        --relative-percentages --base= --diff-base= --normalize
        --color= --compact-labels --fail-empty --call-tree --check --output= --if-changed --threads=
        --keep-going --files= --files0= --max-size= --strict --quiet --verbose --help
        --version'
    COMPREPLY=()
    # An option and its value are three words here, with "=" between.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $option in
    --flame)
        mapfile -t COMPREPLY < <(compgen -W svg -- "$cur")
        ;;
    --check)
        mapfile -t COMPREPLY < <(compgen -W all -- "$cur")
        ;;
    --color)
        mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur")
        ;;
    --granularity)
        mapfile -t COMPREPLY < <(compgen \
            -W 'addresses lines functions filefunctions files' -- "$cur")
        ;;
    --unit)
        mapfile -t COMPREPLY < <(compgen \
            -W 'minimum auto ns us ms s hrs B kB MB GB TB PB' -- "$cur")
        ;;
    --source-path | --trim-path | --path)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        ;;
    --peek | --list | --disasm | --weblist | --sample-index | -n | \
        --nodecount | --nodefraction | --edgefraction | --divide-by | -T | \
        --threads | --max-size | \
        --focus | --ignore | --hide | --show | --show-from | --prune-from | \
        --tagfocus | --tagignore | --tagshow | --taghide | --tagroot | \
        --tagleaf | --drop-frames | --keep-frames) ;;
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

complete -F _pbcat pbcat
