/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_guarded.c: the kernel changes code: it reads into pages that may be written and executed, several at a time,
 * whose code has just run; stores there what comes besides; moves them and leaves empty ones behind; and gives a child
 * none of them, or empty ones.
 *
 * Prints what the code in each of the pages gives, the same as on the bare CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

enum { PAGE = 4096, PAGES = 4, BYTES = PAGE * PAGES, AT = 100, OLD = 10, NEW = 20, CUT = 5000 };

static char *code;        /* PAGES that may be written and executed */
static char other[BYTES]; /* what is to be there */
static sigjmp_buf back;

static void make(char *to, int value)
{
    uint8_t bytes[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $value, %eax; ret */

    memcpy(bytes + 1, &value, sizeof value);
    memcpy(to, bytes, sizeof bytes);
}

static void faults(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

/* Zeros are code that adds to where rax is, up to the page that nobody may touch, behind the last. */
static int run(const char *at)
{
    static char added;
    void *result = &added;

    if (sigsetjmp(back, 1))
        return -1;
    __asm__ volatile("call *%1" : "+a"(result) : "r"(at) : "memory", "cc");
    return (int)(intptr_t)result;
}

/* All pages have code that has run. */
static void begin(void)
{
    for (int i = 0; i < PAGES; i++) {
        make(code + i * PAGE + AT, OLD + i);
        if (run(code + i * PAGE + AT) != OLD + i)
            puts("wrong");
    }
}

static void tell(const char *what, long result)
{
    printf("%s: %s", what, result < 0 ? strerror(errno) : "");
    if (result >= 0)
        printf("%ld", result);
    for (int i = 0; i < PAGES; i++)
        printf(" %d", run(code + i * PAGE + AT));
    puts("");
}

static long submitted(int fd)
{
    struct iocb request = {.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (unsigned)fd, .aio_buf = (uintptr_t)code,
                           .aio_nbytes = BYTES};
    struct iocb *requests[] = {&request};
    struct io_event event = {.res = BYTES};
    aio_context_t context = 0;

    if (syscall(SYS_io_setup, 1, &context) != 0 || syscall(SYS_io_submit, context, 1, requests) != 1)
        return pread(fd, code, BYTES, 0); /* not in this kernel */
    syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
    syscall(SYS_io_destroy, context);
    return (long)event.res;
}

static void files(void)
{
    struct iovec parts[] = {{code, CUT}, {code + CUT, BYTES - CUT}}, from = {other, BYTES}, to = {code, BYTES};
    int fd = memfd_create("code", 0);

    begin();
    tell("write", write(fd, other, BYTES));
    tell("pread", pread(fd, code, BYTES, 0));
    begin();
    lseek(fd, 0, SEEK_SET);
    tell("read", read(fd, code, BYTES));
    begin();
    tell("preadv", preadv(fd, parts, 2, 0));
    begin();
    lseek(fd, 0, SEEK_SET);
    tell("readv", readv(fd, parts, 2));
    begin();
    tell("process_vm_readv", process_vm_readv(getpid(), &to, 1, &from, 1, 0));
    begin();
    tell("process_vm_writev", process_vm_writev(getpid(), &from, 1, &to, 1, 0));
    begin();
    printf("getrandom %zd\n", getrandom(code + PAGE - 20, 50, 0));
    begin();
    tell("io_submit", submitted(fd));
    begin();
    tell("populated", madvise(code, BYTES, MADV_POPULATE_WRITE));
    close(fd);
}

/* A message that cannot be written to the end is lost. */
static void messages(void)
{
    static struct {
        long type;
        char text[BYTES];
    } message;
    struct iovec parts[] = {{code, CUT}, {code + CUT, BYTES - CUT}};
    struct mmsghdr header = {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}};
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return;
    for (int i = 0; i < 3; i++)
        send(ends[0], other, BYTES, 0);
    begin();
    tell("recv", recv(ends[1], code, BYTES, MSG_DONTWAIT));
    begin();
    tell("recvmsg", recvmsg(ends[1], &header.msg_hdr, MSG_DONTWAIT));
    begin();
    tell("recvmmsg", recvmmsg(ends[1], &header, 1, MSG_DONTWAIT, NULL));
    close(ends[0]);
    close(ends[1]);

    int queue = msgget(IPC_PRIVATE, 0600);
    message.type = 1;
    memcpy(message.text, other + sizeof message.type, PAGE);
    msgsnd(queue, &message, PAGE, 0);
    begin();
    tell("msgrcv", msgrcv(queue, code, PAGE, 0, IPC_NOWAIT));
    msgctl(queue, IPC_RMID, NULL);
}

/* What a call stores besides lies on such a page: a call that is made twice takes the next message, and has no child to
 * wait for. */
static void stored_besides(void)
{
    socklen_t *bytes = (socklen_t *)(void *)(code + 2 * AT);
    int *status = (int *)(void *)(code + 2 * AT), ends[2];
    char text[2] = "?";

    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return;
    send(ends[0], "a", 1, 0);
    send(ends[0], "b", 1, 0);
    *bytes = AT;
    begin();
    long result = recvfrom(ends[1], text, 1, MSG_DONTWAIT, (struct sockaddr *)(code + 3 * AT), bytes);
    printf("recvfrom: %ld %s %u\n", result, text, (unsigned)*bytes);
    close(ends[0]);
    close(ends[1]);

    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    begin();
    result = waitpid(child, status, 0);
    printf("waitpid: %d %d\n", result == child, WEXITSTATUS(*status));
}

/* What was there has gone elsewhere, and the pages that it has left are empty. */
static void moved(void)
{
    begin();
    char *now = mremap(code, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
    if (now == MAP_FAILED) {
        puts("not moved");
        return;
    }
    tell("left", 0);
    begin();
    make(now + AT, NEW);
    printf("moved: %d %d\n", run(now + AT), run(now + PAGE + AT));
    munmap(now, BYTES);
}

/* It stays where it is, since there is no room behind it. */
static void not_moved(void)
{
    begin();
    printf("not moved: %d\n", mremap(code, BYTES, 2 * BYTES, 0) == MAP_FAILED);
    make(code + AT, NEW);
    tell("changed", 0);
}

static void children(void)
{
    begin();
    madvise(code, PAGE, MADV_DONTFORK);
    madvise(code + PAGE, PAGE, MADV_WIPEONFORK);
    fflush(stdout);
    if (fork() == 0) {
        tell("in the child", 0);
        make(code + PAGE + AT, NEW);
        tell("made there", 0);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    tell("here", 0);
}

/* A page whose code has run may still be written, and /proc/self/maps says so. */
static void shown(void)
{
    char line[500], may[5];
    unsigned long start, end, at = (unsigned long)code;

    make(code, OLD);
    printf("shown: %d", run(code));
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        for (int i = 0; sscanf(line, "%lx-%lx %4s", &start, &end, may) == 3 && i < PAGES; i++)
            if (at + (unsigned long)i * PAGE >= start && at + (unsigned long)i * PAGE < end)
                printf(" %s", may);
    printf("\n");
    fclose(maps);
}

int main(void)
{
    struct sigaction action = {.sa_handler = faults};

    sigaction(SIGSEGV, &action, NULL);
    code = mmap(NULL, BYTES + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(code + BYTES, PAGE, PROT_NONE);
    for (int i = 0; i < PAGES; i++)
        make(other + i * PAGE + AT, NEW + i);
    shown();
    files();
    messages();
    stored_besides();
    moved();
    not_moved();
    children();
    return 0;
}
