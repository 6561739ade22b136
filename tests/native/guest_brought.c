/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_brought.c: code that is there when another thread has brought it (userfaultfd), which needs code of its own.
 *
 * Prints what the code in each page gives, the same as on the bare CPU.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4, BYTES = PAGE * PAGES, AT = 100 };

static char *code;
static char other[BYTES] __attribute__((aligned(PAGE))); /* what is to be there */

static void *bring(void *argument)
{
    struct pollfd faulted = {.fd = *(int *)argument, .events = POLLIN};
    struct uffd_msg fault;
    int left = PAGES;

    while (left > 0 && poll(&faulted, 1, -1) == 1) {
        if (read(faulted.fd, &fault, sizeof fault) != sizeof fault)
            continue;
        uint64_t page = fault.arg.pagefault.address / PAGE * PAGE;
        struct uffdio_copy copy = {.dst = page, .src = (uint64_t)other + (page - (uint64_t)code), .len = PAGE};
        left -= ioctl(faulted.fd, UFFDIO_COPY, &copy) == 0;
    }
    return NULL;
}

int main(void)
{
    uint8_t bytes[] = {0xb8, 20, 0, 0, 0, 0xc3}; /* mov $20, %eax; ret */
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {.api = UFFD_API};
    pthread_t thread;

    code = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register place = {.range = {(uint64_t)code, BYTES}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &place) != 0) {
        puts("nobody may bring pages");
        return 0;
    }
    for (int i = 0; i < PAGES; i++, bytes[1]++)
        memcpy(other + i * PAGE + AT, bytes, sizeof bytes);
    pthread_create(&thread, NULL, bring, &fd);
    for (int i = 0; i < PAGES; i++)
        printf("%d\n", ((int (*)(void))(code + i * PAGE + AT))());
    pthread_join(thread, NULL);
    return 0;
}
