/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_names.c: what the events of the models are called.
 */
#include "model.h"

const char *model_event_name(int event)
{
    static const char *const names[M_EVENTS] = {
        "Ir",       "Dr",       "Dw",    "Bc",    "Bcm",   "Bi",    "Bim",      "I1mr",     "ILmr",
        "AcCostI1", "SpLossI1", "EvI1",  "TchI1", "BytI1", "UseI1", "AgeI1",    "AcCostL",  "SpLossL",
        "EvL",      "TchL",     "BytL",  "UseL",  "AgeL",  "I2mr",  "AcCostI2", "SpLossI2", "EvI2",
        "TchI2",    "BytI2",    "UseI2", "AgeI2", "WbI2",  "WrtI2", "WbL",      "WrtL",     "PfI2", "PfUI2",
        "PfL", "PfUL", "ColdI1", "CapI1", "ConfI1", "ColdI2", "CapI2", "ConfI2", "ColdL", "CapL", "ConfL",
        "ITmr",     "ITwr",  "D1mr",     "DLmr",  "D1mw",  "DLmw",  "AcCostD1", "SpLossD1", "EvD1",  "TchD1",
        "BytD1",    "UseD1",    "AgeD1", "AcCostL", "SpLossL", "EvL", "TchL",   "BytL",     "UseL",
        "AgeL",     "D2mr",     "D2mw",  "AcCostD2", "SpLossD2", "EvD2", "TchD2", "BytD2",  "UseD2",
        "AgeD2",    "WbD1",     "WrtD1", "WbD2",  "WrtD2", "WbL",   "WrtL",     "PfD1",     "PfUD1",
        "PfD2",     "PfUD2", "PfL",   "PfUL",
        "D1cr",     "D1cw",     "D1fr",  "D1fw",  "InvD1", "Inv",   "Upg",      "Xfr",
        "DTmr",     "DTmw",  "DTwr",  "DTww",
        "ColdD1",   "CapD1", "ConfD1", "ColdD2", "CapD2", "ConfD2", "ColdL", "CapL", "ConfL",
    };
    return names[event];
}
