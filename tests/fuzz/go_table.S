/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.S: a program that is linked without its symbols and has the table of functions of Go's programs
 * (engine/common/go_table.h), for fuzz_functions.
 */
    .globl _start
    .text
_start:
    call 1f
    ret
1:  ret
end:

    .section .gopclntab, "a", @progbits
table:
    .byte 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8
    .quad 2, 0                          /* functions, files */
    .quad 0                             /* what code is relative to: where .text is */
    .quad names - table, 0, 0, 0, functions - table
names:
    .asciz "main.main"
second_name:
    .asciz "main.(*T).Run"
    .balign 8
functions:
    .long 0, first - functions
    .long 1b - _start, second - functions
    .long end - _start
first:
    .long 0, 0
second:
    .long 1b - _start, second_name - names
    .section .note.GNU-stack, "", @progbits
