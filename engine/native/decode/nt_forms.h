/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_forms.h: instructions that were decoded before, but for their constants.
 *
 * What nt_decode says of most instructions depends on their first bytes alone, up to ModRM and SIB: their form.
 * Displacement and immediate only move an address. So the form is decoded once and remembered; the next instruction of
 * that form is a copy with its own constants. Which bytes make a form is learnt from the decoder too.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_FORMS_H
#define TENURE_ENGINE_NATIVE_NT_FORMS_H

#include "nt_decode.h"

enum { NT_FORMS = 4096, NT_FORM_OPCODES = 512 };

struct nt_form {
    uint64_t key; /* the bytes, and how many; 0: none is remembered here */
    struct nt_insn insn;
};

/* All zero at first. */
struct nt_forms {
    uint8_t shape[NT_FORM_OPCODES]; /* what follows an opcode: of one byte, then of 0f and one byte */
    struct nt_form forms[NT_FORMS];
    uint64_t asked, known;
};

/* As nt_decode, to the last bit of `insn`. */
bool nt_forms_decode(struct nt_forms *forms, const struct nt_decoder *decoder, const uint8_t *bytes, size_t length,
                     uint64_t pc, struct nt_insn *insn);

#endif
