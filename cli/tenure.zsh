#compdef tenure
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for zsh. Commands and options are read from `tenure --help` and `tenure COMMAND --help`, which are made
# from the option tables, so there is nothing here to keep up to date.

# The lines of a help text that `sed` makes of it, as arguments of _describe: NAME:WHAT.
_tenure_help()
{
    local program=$1 command=$2 expression=$3
    "$program" $command --help 2>/dev/null | sed -n "$expression"
}

_tenure_machines()
{
    "$1" machines --csv 2>/dev/null | sed '1d;s/,.*//'
}

_tenure()
{
    local program=$words[1] command=$words[2] option
    local -a list files

    if (( CURRENT == 2 )); then
        list=("${(@f)$(_tenure_help "$program" '' '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1:\2/p')}")
        list+=('help:print a document' '--help:print a summary' '--version:print the version')
        _describe -t commands 'tenure command' list
        _command_names -e
        return
    fi
    if [[ $command = help && $PREFIX != -* ]]; then
        list=("${(@f)$(_tenure_help "$program" '' '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1:\2/p
            /^Topics:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1:\2/p')}")
        _describe -t topics 'command or topic' list
        return
    fi
    if [[ $command = machines && $PREFIX != -* ]]; then
        list=("${(@f)$(_tenure_machines "$program")}")
        _describe -t machines 'machine' list
        _files
        return
    fi
    case $PREFIX in
    --*=*)
        option=${PREFIX%%=*}
        compset -P '*='
        compset -P '*,' # of a list, the last
        # Of an event, those of the file on the command line, or of the newest profile here.
        if "$program" $command --help 2>/dev/null | grep -q -e "$option=EVENT"; then
            files=(${^${(Q)words[3,-1]}}(N.) tenure.out.*(N.om) *.profile(N.om))
            list=("${(@f)$("$program" sql --csv "${files[1]:-.}" 'SELECT name FROM events' 2>/dev/null |
                sed -n '1d;s/[^A-Za-z0-9_]*$//p')}")
        elif "$program" $command --help 2>/dev/null | grep -q -e "$option=MACHINE"; then
            list=("${(@f)$(_tenure_machines "$program")}")
        else
            list=("${(@f)$(_tenure_help "$program" "$command" \
                's/^  \(-., \|    \)'"$option"'=\([a-z]*\(|[a-z]*\)*\)\( .*\)\{0,1\}$/\2/p' | tr '|' '\n')}")
        fi
        if [[ -n $list ]]; then
            _describe -t values "value of $option" list
        else
            _files
        fi
        ;;
    -*)
        list=("${(@f)$(_tenure_help "$program" "$command" \
            's/^  \(-., \|    \)\(--[A-Za-z0-9-]*=\{0,1\}\)[^ ]* *\(.*\)/\2:\3/p')}")
        _describe -t options 'option' list -S ''
        ;;
    *)
        _files
        ;;
    esac
}

_tenure "$@"
