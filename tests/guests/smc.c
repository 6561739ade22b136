/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smc.c: code written at run time, changed in place 100 times, and run from a second page after the first is gone.
 *
 * The code is `mov $n, %eax; ret`: 2 instructions, 1 data read. 100 + 100 calls: Ir 400, Dr 200, outside of any
 * object. The sum that is printed is right only if every change is seen.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int code(void);

static void put(unsigned char *page, int n)
{
    page[0] = 0xb8;
    memcpy(page + 1, &n, sizeof n);
    page[5] = 0xc3;
}

static unsigned char *new_page(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
    unsigned char *page = new_page();
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        put(page, i);
        sum += ((code *)(uintptr_t)page)();
    }
    munmap(page, 4096);
    for (int i = 0; i < 100; i++) {
        page = new_page();
        put(page, 1000 + i);
        sum += ((code *)(uintptr_t)page)();
        munmap(page, 4096);
    }
    printf("sum: %ld\n", sum); /* 4950 + 104950 */
    return 0;
}
