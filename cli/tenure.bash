# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for bash. Commands and options are read from `tenure --help` and `tenure COMMAND --help`, which are made
# from the option tables, so there is nothing here to keep up to date.

# The words that begin with -- in a help text, `=` kept where a value follows. yes|no and lists of values are not
# completed as values of an option: the value is the next question.
_tenure_options()
{
    "$1" "$2" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[A-Za-z0-9-]*=\{0,1\}\).*/\2/p'
}

_tenure_commands()
{
    "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_tenure_topics()
{
    "$1" --help 2>/dev/null | sed -n '/^Topics:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

_tenure_machines()
{
    "$1" machines --csv 2>/dev/null | sed -n '1d;s/,.*//;/^[A-Za-z0-9._-]*$/p'
}

# Of an event, those of the file on the command line, or of the newest profile here.
_tenure_values()
{
    local word file=

    if "$1" "$2" --help 2>/dev/null | grep -q -e "$3=EVENT"; then
        for word in "${COMP_WORDS[@]:2}"; do
            [ ! -f "$word" ] || file=$word
        done
        file=${file:-$(ls -t -- tenure.out.* *.profile 2>/dev/null | head -n 1)}
        "$1" sql --csv "${file:-.}" 'SELECT name FROM events' 2>/dev/null | sed -n '1d;s/[^A-Za-z0-9_]*$//p'
    elif "$1" "$2" --help 2>/dev/null | grep -q -e "$3=MACHINE"; then
        _tenure_machines "$1"
    else
        "$1" "$2" --help 2>/dev/null |
            sed -n 's/^  \(-., \|    \)'"$3"'=\([a-z]*\(|[a-z]*\)*\)\( .*\)\{0,1\}$/\2/p' | tr '|' '\n'
    fi
}

_tenure()
{
    local tenure=${COMP_WORDS[0]} command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}
    local previous=${COMP_WORDS[COMP_CWORD-1]} values

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$(_tenure_commands "$tenure") help --help --version" -- "$current") \
            $(compgen -c -- "$current"))
        return
    fi
    if [ "$command" = help ] && [ "${current#-}" = "$current" ]; then
        COMPREPLY=($(compgen -W "$(_tenure_commands "$tenure") $(_tenure_topics "$tenure")" -- "$current"))
        return
    fi
    if [ "$command" = machines ] && [ "${current#-}" = "$current" ]; then
        COMPREPLY=($(compgen -W "$(_tenure_machines "$tenure")" -- "$current"))
        return
    fi
    # bash splits words at `=`.
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $current in
    -*)
        COMPREPLY=($(compgen -W "$(_tenure_options "$tenure" "$command")" -- "$current"))
        [ "${#COMPREPLY[@]}" -ne 1 ] || [ "${COMPREPLY[0]%=}" = "${COMPREPLY[0]}" ] || compopt -o nospace 2>/dev/null
        return
        ;;
    esac
    values=$(_tenure_values "$tenure" "$command" "$previous")
    if [ -n "$values" ]; then # of a list, the last
        COMPREPLY=($(compgen -P "${current%"${current##*,}"}" -W "$values" -- "${current##*,}"))
    fi
} && complete -o default -o bashdefault -F _tenure tenure
