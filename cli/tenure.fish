# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for fish. Commands and options are read from `tenure --help` and `tenure COMMAND --help`, which are made
# from the option tables, so there is nothing here to keep up to date.

function __tenure_commands
    set -l words (commandline -opc)
    $words[1] --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
    printf '%s\t%s\n' help 'print a document' --help 'print a summary' --version 'print the version'
end

function __tenure_topics
    set -l words (commandline -opc)
    $words[1] --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p
        /^Topics:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __tenure_machines
    set -l words (commandline -opc)
    $words[1] machines --csv 2>/dev/null | sed '1d;s/,.*//'
end

# Options, and behind `--option=` the values that the help lists; files where it lists none.
function __tenure_options
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if set -l option (string match -r -- '^--[A-Za-z0-9-]+=' $current)
        set -l values ($words[1] $words[2] --help 2>/dev/null |
            sed -n 's/^  \(-., \|    \)'$option'\([a-z]*\(|[a-z]*\)*\)\( .*\)\{0,1\}$/\2/p' | tr '|' '\n')
        # Of an event, those of the file on the command line, or of the newest profile here.
        if $words[1] $words[2] --help 2>/dev/null | grep -q -e "$option"EVENT
            set -l here tenure.out.* *.profile
            set -l files (path filter -f -- (commandline -o)[3..]; or ls -t -- $here .)
            set values ($words[1] sql --csv $files[1] 'SELECT name FROM events' 2>/dev/null |
                sed -n '1d;s/[^A-Za-z0-9_]*$//p')
        else if $words[1] $words[2] --help 2>/dev/null | grep -q -e "$option"MACHINE
            set values (__tenure_machines)
        end
        if test -n "$values" # of a list, the last
            printf "$option"(string match -r -- '^.*,' (string replace -- $option '' $current); or echo)"%s\n" $values
        else
            __fish_complete_path (string replace -- $option '' $current) | string replace -r -- '^' $option
        end
    else
        $words[1] $words[2] --help 2>/dev/null |
            sed -n 's/^  \(-., \|    \)\(--[A-Za-z0-9-]*=\{0,1\}\)[^ ]* *\(.*\)/\2\t\3/p'
    end
end

complete -c tenure -f -n 'test (count (commandline -opc)) -eq 1' -a '(__tenure_commands)'
complete -c tenure -n 'test (count (commandline -opc)) -eq 1' -a '(__fish_complete_command)'
complete -c tenure -f -n 'set -l words (commandline -opc); test (count $words) -eq 2; and test $words[2] = help' \
    -a '(__tenure_topics)'
complete -c tenure -n 'set -l words (commandline -opc); test (count $words) -eq 2; and test $words[2] = machines' \
    -a '(__tenure_machines)'
complete -c tenure -f -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' \
    -a '(__tenure_options)'
