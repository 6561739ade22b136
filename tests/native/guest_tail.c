/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_tail.c: code that changes itself: a store changes the instruction behind it, in the same block.
 *
 * In a page that may be written and executed: mov %sil, 1 + 1f(%rip); 1: mov $n, %eax; ret. And once more with a string
 * instruction, which writes the whole of what stands behind it. The CPU sees each at once.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int code(uint64_t, uint64_t);

int main(void)
{
    static const unsigned char by_byte[] = {0x40, 0x88, 0x35, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3};
    static const unsigned char by_string[] = {0x89, 0xf0, 0xb9, 1,    0, 0, 0, 0x48, 0x8d, 0x3d, 3,
                                              0,    0,    0,    0xf3, 0xab, 0xb8, 0, 0,    0,    0, 0xc3};
    unsigned char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0, sum_string = 0;
    memcpy(page, by_byte, sizeof by_byte);
    memcpy(page + 4096, by_string, sizeof by_string);
    for (uint64_t i = 0; i < 100; i++) {
        sum += ((code *)(uintptr_t)page)(0, i);
        sum_string += ((code *)(uintptr_t)(page + 4096))(0, i * 1000);
    }
    printf("%ld %ld\n", sum, sum_string); /* 4950 4950000 */
    return 0;
}
