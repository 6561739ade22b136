/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.c: see requests.h. */
#include "engine/common/requests.h"

#include "include/tenure.h"

/* Numbers of other tools' headers, which never change. Cachegrind's has them since Valgrind 3.22; programs that have it
 * run under older ones too. */
#define TOOL(a, b) ((uint64_t)(a) << 24 | (uint64_t)(b) << 16)
#define CALLGRIND TOOL('C', 'T')
#define CACHEGRIND TOOL('C', 'G')

static const struct {
    uint64_t number;
    enum request request;
} known[] = {
    {TENURE_REQUEST_RUNNING, REQUEST_RUNNING},
    {TENURE_REQUEST_DUMP, REQUEST_DUMP},
    {TENURE_REQUEST_ZERO, REQUEST_ZERO},
    {TENURE_REQUEST_TOGGLE_COLLECT, REQUEST_TOGGLE_COLLECT},
    {TENURE_REQUEST_COLLECT, REQUEST_COLLECT},
    {TENURE_REQUEST_START_INSTRUMENTATION, REQUEST_START},
    {TENURE_REQUEST_STOP_INSTRUMENTATION, REQUEST_STOP},
    {TENURE_REQUEST_NAME_REGION, REQUEST_NAME_REGION},
    {TENURE_REQUEST_FORGET_REGION, REQUEST_FORGET_REGION},
    {CALLGRIND + 1, REQUEST_ZERO},
    {CALLGRIND + 2, REQUEST_TOGGLE_COLLECT},
    {CALLGRIND + 3, REQUEST_DUMP}, /* _AT */
    {CALLGRIND + 4, REQUEST_START},
    {CALLGRIND + 5, REQUEST_STOP},
    {CACHEGRIND + 0, REQUEST_START},
    {CACHEGRIND + 1, REQUEST_STOP},
};

enum request request_of(uint64_t number, uint64_t *argument)
{
    if (number == CALLGRIND) { /* a dump without a name; its argument means nothing */
        *argument = 0;
        return REQUEST_DUMP;
    }
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].number == number)
            return known[i].request;
    }
    return REQUEST_UNKNOWN;
}
