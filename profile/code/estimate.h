/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estimate.h: the estimate of time, in cycles (docs/model.md, section 19).
 *
 * The event Time is not recorded: it follows, for each instruction and data object, from what is. Rows that are sums of
 * instructions have it exactly; those of call paths, which are not known by instruction, from what the function that
 * runs pays for each of its instructions and misses in the mean.
 */
#ifndef TENURE_PROFILE_ESTIMATE_H
#define TENURE_PROFILE_ESTIMATE_H

#include "profile/raw/recording.h"

/* What cycles are paid for: instructions, branches guessed wrong, lines that others had written, page walks for data,
 * lines of code by where they come from, lines prefetched likewise, and lines of data, of reads and of writes. */
enum { TP_FROM_L2, TP_FROM_LL, TP_FROM_MEMORY, TP_FROMS };
enum { TP_FOR_INSTRUCTIONS, TP_FOR_BRANCHES, TP_FOR_SHARED, TP_FOR_WALKS, TP_FOR_CODE,
       TP_FOR_AHEAD = TP_FOR_CODE + TP_FROMS, TP_FOR_LINES = TP_FOR_AHEAD + TP_FROMS,
       TP_FORS = TP_FOR_LINES + 2 * TP_FROMS };

/* Columns of what these are counted by. */
enum { TP_IR, TP_BCM, TP_BIM, TP_D1CR, TP_D1CW, TP_D1MR, TP_D1MW, TP_D2MR, TP_D2MW, TP_DLMR, TP_DLMW,
       TP_I1MR, TP_I2MR, TP_ILMR, TP_DTWR, TP_DTWW, TP_PFD1, TP_PFI2, TP_PFD2, TP_PFL, TP_COUNTED };

/* What the cycles of the program are paid for, by the event that causes them; and those, of all, that are waited for an
 * address which a load has to bring that leads to itself, and those of memory that the system makes. */
enum { TP_TIME_IR, TP_TIME_L1M, TP_TIME_L2M, TP_TIME_LLM, TP_TIME_WALK, TP_TIME_CM, TP_TIME_BM,
       TP_TIME_POINTERS, TP_TIME_PAGES,
       TP_TIME_PARTS };
extern const char *const tp_time_part[TP_TIME_PARTS];

struct tp_estimate {
    uint16_t at[TP_COUNTED];  /* columns; TP_UNUSED: not recorded */
    double (*each)[TP_FORS];  /* by context + 1; 0: of all: cycles of each */
    uint64_t *self;           /* by context + 1: Time of its instructions */
    double part[TP_TIME_PARTS];
};

/* Find what each instruction pays, and add it to its costs, and to those of its thread and of the parts of the
 * recording. Asked once, when loops, strides, and address and compared loads are known. */
int tp_estimate_make(struct tp_recording *rec, struct tp_error *err);

/* The cycles of a row of costs that were paid in a context (0: anywhere); `at`: its columns, as in tp_estimate. */
double tp_estimate_of(const struct tp_recording *rec, uint32_t context, const uint64_t *row, const uint16_t *at);

/* Cycles as a whole number. */
uint64_t tp_whole_cycles(double cycles);

/* Set the column Time of such a row. */
void tp_estimate_row(const struct tp_recording *rec, uint32_t context, uint64_t *row);

/* The same of rows one after the other, which are rounded together; *spent is 0 before the first. */
void tp_estimate_next(const struct tp_recording *rec, uint32_t context, double *spent, uint64_t *row);

/* Add what was found out to the costs of a context or an arc, of which there may be none. */
int tp_estimate_add(struct tp_recording *rec, struct tp_blob **costs, uint64_t self, uint64_t incl);

#endif
