// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exceptions.cpp: throws through 10 frames with destructors, 100 times.
 *
 *   deep     100 * 11 calls; the last throws; each frame's destructor works on 1 line during unwinding
 *   catcher  100 calls; its handler works on 2 lines: they are its own
 *   ~guard   100 * 11 calls, 1 line each, called by `deep` although no call instruction ran there before
 */
#include <cstdio>
#include <stdexcept>

extern "C" {
#include "work.h"
}

static volatile unsigned long total;

struct guard {
    __attribute__((noinline)) ~guard();
};
guard::~guard()
{
    total += work(take_lines(1), 1);
}

__attribute__((noinline)) static int deep(int n)
{
    guard here;
    if (n == 0)
        throw std::runtime_error("enough");
    return deep(n - 1) + 1;
}

__attribute__((noinline)) static void catcher()
{
    try {
        total += deep(10);
    } catch (const std::exception &) {
        total += work(take_lines(2), 2);
    }
}

int main()
{
    for (int i = 0; i < 100; i++)
        catcher();
    std::printf("lines: %lu\n", (unsigned long)total);
    return 0;
}
