/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.c: what the events of the models are called.
 */
#include "model.h"

/* Of a further machine. */
#define FETCHES_ALSO(machine) "I1mr_also" machine, "I2mr_also" machine, "ILmr_also" machine
#define DATA_ALSO(machine) "D1mr_also" machine, "D2mr_also" machine, "DLmr_also" machine, "D1mw_also" machine, \
        "D2mw_also" machine, "DLmw_also" machine

const char *model_event_name(int event)
{
    static const char *const names[M_EVENTS] = {
        "Ir",       "Dr",       "Dw",    "Bc",    "Bcm",   "Bi",    "Bim",      "I1mr",     "ILmr",
        "AcCostI1", "SpLossI1", "EvI1",  "TchI1", "BytI1", "UseI1", "AgeI1",    "AcCostL",  "SpLossL",
        "EvL",      "TchL",     "BytL",  "UseL",  "AgeL",  "I2mr",  "AcCostI2", "SpLossI2", "EvI2",
        "TchI2",    "BytI2",    "UseI2", "AgeI2", "WbI2",  "WrtI2", "WbL",      "WrtL",     "PfI2", "PfUI2",
        "PfL", "PfUL", "ColdI1", "CapI1", "ConfI1", "ColdI2", "CapI2", "ConfI2", "ColdL", "CapL", "ConfL",
        "Dist1I2", "Dist2I2", "Dist3I2", "Dist4I2", "Dist6I2", "Dist8I2",
        "Dist12I2", "Dist16I2", "Dist24I2", "Dist32I2", "Dist48I2", "Dist64I2",
        "Dist1L", "Dist2L", "Dist3L", "Dist4L", "Dist6L", "Dist8L",
        "Dist12L", "Dist16L", "Dist24L", "Dist32L", "Dist48L", "Dist64L",
        "ITmr",     "ITwr",  FETCHES_ALSO("1"), FETCHES_ALSO("2"), FETCHES_ALSO("3"), FETCHES_ALSO("4"),
        "D1mr",     "DLmr",  "D1mw",  "DLmw",  "AcCostD1", "SpLossD1", "EvD1",  "TchD1",
        "BytD1",    "UseD1",    "AgeD1", "AcCostL", "SpLossL", "EvL", "TchL",   "BytL",     "UseL",
        "AgeL",     "D2mr",     "D2mw",  "AcCostD2", "SpLossD2", "EvD2", "TchD2", "BytD2",  "UseD2",
        "AgeD2",    "WbD1",     "WrtD1", "WbD2",  "WrtD2", "WbL",   "WrtL",     "PfD1",     "PfUD1",
        "PfD2",     "PfUD2", "PfL",   "PfUL",
        "D1cr",     "D1cw",     "D1fr",  "D1fw",  "InvD1", "Inv",   "Upg",      "Xfr",
        "DTmr",     "DTmw",  "DTwr",  "DTww",
        "ColdD1",   "CapD1", "ConfD1", "ColdD2", "CapD2", "ConfD2", "ColdL", "CapL", "ConfL",
        "Dist1D2", "Dist2D2", "Dist3D2", "Dist4D2", "Dist6D2", "Dist8D2",
        "Dist12D2", "Dist16D2", "Dist24D2", "Dist32D2", "Dist48D2", "Dist64D2",
        "Dist1L", "Dist2L", "Dist3L", "Dist4L", "Dist6L", "Dist8L",
        "Dist12L", "Dist16L", "Dist24L", "Dist32L", "Dist48L", "Dist64L",
        DATA_ALSO("1"), DATA_ALSO("2"), DATA_ALSO("3"), DATA_ALSO("4"),
    };
    return names[event];
}
