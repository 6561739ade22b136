/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * circles.S: a program whose debug information goes round in circles, or branches at every step, for fuzz_types:
 * whoever follows it must come to an end.
 */
    .globl _start
    .text
_start:
    ret
code_end:
    .bss
data:
    .skip 4096

    .macro abbreviation number, tag, children, attributes:vararg
    .uleb128 \number, \tag
    .byte \children, \attributes
    .byte 0, 0
    .endm
    .section .debug_abbrev, "", @progbits
abbreviations:
    abbreviation 1, 0x11, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07 /* compile_unit: name, low_pc, high_pc */
    abbreviation 2, 0x16, 0, 0x49, 0x13             /* typedef: type */
    abbreviation 3, 0x01, 1, 0x49, 0x13             /* array_type: type */
    abbreviation 4, 0x21, 0, 0x49, 0x13, 0x2f, 0x0b /* subrange_type: type, upper_bound */
    abbreviation 5, 0x13, 1, 0x03, 0x08, 0x0b, 0x07 /* structure_type: name, byte_size */
    abbreviation 6, 0x0d, 0, 0x49, 0x13, 0x38, 0x0b /* member: type, data_member_location */
    abbreviation 7, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18 /* variable: name, type, location */
    abbreviation 8, 0x34, 0, 0x01, 0x13             /* variable: sibling */
    abbreviation 9, 0x2e, 0, 0x31, 0x13, 0x47, 0x13 /* subprogram: abstract_origin, specification */
    abbreviation 10, 0x0b, 1, 0x01, 0x13            /* lexical_block: sibling */
    abbreviation 11, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b /* base_type: byte_size, encoding */
    abbreviation 12, 0x0d, 0, 0x49, 0x13, 0x01, 0x13 /* member: type, sibling */
    abbreviation 13, 0x2e, 1, 0x11, 0x01, 0x12, 0x07, 0x49, 0x13 /* subprogram: low_pc, high_pc, type */
    .byte 0

    .macro variable type, offset
    .uleb128 7
    .asciz "v"
    .long \type - unit
    .byte 9, 3
    .quad data + \offset
    .endm

    .section .debug_info, "", @progbits
unit:
    .long unit_end - . - 4
    .short 4
    .long abbreviations
    .byte 8
    .uleb128 1
    .asciz "circles"
    .quad _start, code_end - _start
first:
    .uleb128 2 /* a type that is itself, and two that are each other */
    .long first - unit
second:
    .uleb128 2
    .long third - unit
third:
    .uleb128 2
    .long second - unit
array:
    .uleb128 3 /* of them */
    .long second - unit
    .uleb128 4
    .long integer - unit
    .byte 9, 0
bounded:
    .uleb128 3 /* whose bounds are of them */
    .long integer - unit
    .uleb128 4
    .long third - unit
    .byte 9, 0
itself:
    .uleb128 3 /* an array of itself */
    .long itself - unit
    .uleb128 4
    .long integer - unit
    .byte 9, 0
integer:
    .uleb128 11
    .byte 4, 5
inside:
    .uleb128 5 /* a structure that is its own member */
    .asciz "inside"
    .quad 64
    .uleb128 6
    .long inside - unit
    .byte 0, 0
wide:
    .uleb128 5 /* many times */
    .asciz "wide"
    .quad 64
    .rept 100
    .uleb128 6
    .long wide - unit
    .byte 0
    .endr
    .byte 0
large:
    .uleb128 5
    .asciz "large"
    .quad 1 << 63
    .uleb128 6
    .long integer - unit
    .byte 255, 0
    variable first, 0
    variable second, 64
    variable array, 128
    variable bounded, 192
    variable itself, 256
    variable inside, 320
    variable wide, 384
    variable large, 512
origin:
    .uleb128 9
    .long origin - unit, origin - unit
    .uleb128 13 /* a function that returns one of them */
    .quad _start, code_end - _start
    .long second - unit
    .byte 0, 0
unit_end:

siblings: /* another unit: nothing behind them can be found */
    .long siblings_end - . - 4
    .short 4
    .long abbreviations
    .byte 8
    .uleb128 1
    .asciz "siblings"
    .quad _start, code_end - _start
    .rept 200
    .uleb128 10 /* blocks that are each the sibling and the child of the one before */
    .long 1f - siblings
1:
    .endr
again:
    .uleb128 8 /* a variable that follows itself */
    .long again - siblings
siblings_end:

members:
    .long members_end - . - 4
    .short 4
    .long abbreviations
    .byte 8
    .uleb128 1
    .asciz "members"
    .quad _start, code_end - _start
number:
    .uleb128 11
    .byte 4, 5
    .uleb128 7
    .asciz "v"
    .long endless - members
    .byte 9, 3
    .quad data + 448
endless:
    .uleb128 5 /* a structure whose member follows itself */
    .asciz "endless"
    .quad 64
member:
    .uleb128 12
    .long number - members, member - members
    .byte 0, 0
members_end:
    .section .note.GNU-stack, "", @progbits
