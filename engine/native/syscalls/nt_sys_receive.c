/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_receive.c: system calls that write into the program's memory what they cannot give twice.
 *
 * At a page that is guarded (nt_maps.h) they end early, with less than there is, or with EFAULT when a message has been
 * taken, or a child waited for, that nobody gets any more. So the program has its pages back before. Other calls are
 * made again: nt_call.c.
 */
#include "nt_syscall.h"

#include <linux/aio_abi.h>
#include <linux/uio.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/threads/nt_outside.h"

enum { MOST_PARTS = 1024 }; /* of a vector, and of messages: the kernel's */

struct message { /* struct msghdr */
    uint64_t name, name_bytes, vector, parts, control, control_bytes, flags;
};

struct counted_message { /* struct mmsghdr */
    struct message message;
    uint64_t bytes;
};

void nt_call_give_back(uint64_t start, uint64_t bytes)
{
    uint64_t end = start + bytes < start ? UINT64_MAX : start + bytes, page;

    while ((page = nt_maps_guarded(start, end)) != 0) {
        nt_maps_unguard(page);
        nt_code_changed(page, NT_PAGE);
    }
}

/* What calls store besides. */
static const struct {
    uint16_t call;
    uint8_t argument;
    uint16_t bytes;
} stored[] = {
    {__NR_recvfrom, 4, 128}, {__NR_recvfrom, 5, 4},        {__NR_mq_timedreceive, 3, 4},    {__NR_recvmmsg, 4, 16},
    {__NR_accept, 1, 128},   {__NR_accept, 2, 4},          {__NR_accept4, 1, 128},          {__NR_accept4, 2, 4},
    {__NR_wait4, 1, 4},      {__NR_wait4, 3, 144},         {__NR_waitid, 2, 128},           {__NR_waitid, 4, 144},
    {__NR_sendfile, 2, 8},   {__NR_copy_file_range, 1, 8}, {__NR_copy_file_range, 3, 8},    {__NR_splice, 1, 8},
    {__NR_splice, 3, 8},
};

void nt_call_give_back_stored(const struct nt_call *call)
{
    for (unsigned i = 0; i < sizeof stored / sizeof stored[0]; i++) {
        if (stored[i].call == call->raw[0] && NT_ARG(call, stored[i].argument) != 0)
            nt_call_give_back(NT_ARG(call, stored[i].argument), stored[i].bytes);
    }
}

/* accept, sendfile and their like: nothing else. */
bool nt_sys_accept(struct nt_thread *thread, struct nt_call *call)
{
    nt_call_give_back_stored(call);
    return nt_call_pass(thread, call);
}

static bool is_any_guarded(void)
{
    return nt_maps_guarded(0, UINT64_MAX) != 0;
}

void nt_call_give_back_vector(uint64_t vector, uint64_t parts)
{
    struct iovec part;

    for (uint64_t i = 0; i < parts && i < MOST_PARTS && is_any_guarded(); i++) {
        if (nt_copy(&part, (const void *)(vector + i * sizeof part), sizeof part) != 0)
            return;
        nt_call_give_back((uint64_t)part.iov_base, part.iov_len);
    }
}

static void give_back_message(uint64_t at)
{
    struct message message;

    if (!is_any_guarded() || nt_copy(&message, (const void *)at, sizeof message) != 0)
        return;
    nt_call_give_back_vector(message.vector, message.parts);
    nt_call_give_back(message.name, (uint32_t)message.name_bytes);
    nt_call_give_back(message.control, message.control_bytes);
    nt_call_give_back(at, sizeof(struct counted_message));
}

/* A buffer and its size, behind a descriptor: read, recvfrom, msgrcv (whose buffer begins with a long) ... */
bool nt_sys_read(struct nt_thread *thread, struct nt_call *call)
{
    nt_call_give_back(NT_ARG(call, 1), NT_ARG(call, 2));
    if (call->raw[0] == __NR_msgrcv)
        nt_call_give_back(NT_ARG(call, 1) + NT_ARG(call, 2), sizeof(long));
    nt_call_give_back_stored(call);
    return nt_call_pass(thread, call);
}

bool nt_sys_getrandom(struct nt_thread *thread, struct nt_call *call)
{
    nt_call_give_back(NT_ARG(call, 0), NT_ARG(call, 1));
    return nt_call_pass(thread, call);
}

/* readv and its relatives, process_vm_readv. */
bool nt_sys_readv(struct nt_thread *thread, struct nt_call *call)
{
    nt_call_give_back_vector(NT_ARG(call, 1), NT_ARG(call, 2));
    return nt_call_pass(thread, call);
}

bool nt_sys_recvmsg(struct nt_thread *thread, struct nt_call *call)
{
    give_back_message(NT_ARG(call, 1));
    return nt_call_pass(thread, call);
}

bool nt_sys_recvmmsg(struct nt_thread *thread, struct nt_call *call)
{
    for (uint64_t i = 0; i < NT_ARG(call, 2) && i < MOST_PARTS && is_any_guarded(); i++)
        give_back_message(NT_ARG(call, 1) + i * sizeof(struct counted_message));
    nt_call_give_back_stored(call);
    return nt_call_pass(thread, call);
}

/* The kernel reads when the call is over. */
bool nt_sys_io_submit(struct nt_thread *thread, struct nt_call *call)
{
    struct iocb request;
    uint64_t at;

    for (uint64_t i = 0; i < NT_ARG(call, 1) && is_any_guarded(); i++) {
        if (nt_copy(&at, (const void *)(NT_ARG(call, 2) + i * sizeof at), sizeof at) != 0 ||
            nt_copy(&request, (const void *)at, sizeof request) != 0)
            break;
        if (request.aio_lio_opcode == IOCB_CMD_PREAD)
            nt_call_give_back(request.aio_buf, request.aio_nbytes);
        else if (request.aio_lio_opcode == IOCB_CMD_PREADV)
            nt_call_give_back_vector(request.aio_buf, request.aio_nbytes);
    }
    return nt_call_pass(thread, call);
}
