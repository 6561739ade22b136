/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c: see output.h. */
#include "engine/common/output.h"

#include <string.h>

#include "core/host.h"
#include "engine/common/geometry.h"

/* The kernel's error numbers. */
enum { NOT_PERMITTED = 1, NO_ENTRY = 2, INTERRUPTED = 4, FAILED = 5, NO_ACCESS = 13, EXISTS = 17, NO_FOLDER = 20,
       IS_FOLDER = 21, TOO_LARGE = 27, NO_SPACE = 28, READ_ONLY = 30 };
enum { NO_FILE = 1 << 12 }; /* ours, behind them */

static const char *reason(int error)
{
    static char other[8 + NUMBER_TEXT] = "error ";

    switch (error) {
    case NO_SPACE:
        return "the disk is full";
    case NO_ACCESS:
    case NOT_PERMITTED:
        return "permission denied";
    case READ_ONLY:
        return "the file system is read-only";
    case NO_ENTRY:
        return "there is no such directory";
    case NO_FOLDER:
    case IS_FOLDER:
        return "the name is a directory, or goes through something that is none";
    case NO_FILE:
        return "it is no ordinary file";
    case TOO_LARGE:
        return "the file would be larger than the limit";
    default:
        number_put(other + 6, (uint64_t)error);
        return other;
    }
}

/* Opens a file of its own for this process. Returns 0 or an error number. */
static int create(struct output *output)
{
    char *end = output->name;
    uint64_t number = 1;

    output->host->name(output->name, sizeof output->name - NUMBER_TEXT - 1);
    while (*end)
        end++;
    while ((output->fd = output->host->open(output->name, true)) == -EXISTS) {
        if (number == 1 && !output->host->is_file(output->name)) {
            output->fd = -NO_FILE;
            break;
        }
        *end = '.';
        number_put(end + 1, ++number);
    }
    output->is_there = output->fd >= 0;
    return output->is_there ? 0 : -output->fd;
}

const char *output_begin(struct output *output)
{
    int error = create(output);

    return error ? reason(error) : NULL;
}

const char *output_name(const struct output *output)
{
    return output->is_there ? output->name : "";
}

static void write_out(struct output *output, const uint8_t *data, size_t bytes)
{
    while (bytes > 0 && output->error == 0) {
        long done = output->host->write(output->fd, data, bytes);

        if (done > 0) {
            data += done;
            bytes -= (size_t)done;
        } else if (done != -INTERRUPTED) {
            output->error = done < 0 ? (int)-done : FAILED;
        }
    }
}

static int flush(struct output *output)
{
    write_out(output, output->buffer, output->used);
    output->used = 0;
    return output->error;
}

int tn_host_write(void *stream, const void *data, size_t bytes)
{
    struct output *output = stream;

    if (output->used + bytes > sizeof output->buffer)
        flush(output);
    if (bytes >= sizeof output->buffer) {
        write_out(output, data, bytes);
    } else {
        memcpy(output->buffer + output->used, data, bytes);
        output->used += bytes;
    }
    return output->error;
}

void output_write(struct output *output, tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *))
{
    int error = 0;

    if (output->is_there)
        error = (output->fd = output->host->open(output->name, false)) < 0 ? -output->fd : 0;
    else
        error = create(output);
    if (error == 0) {
        int64_t before = output->host->size(output->fd);

        output->error = 0;
        output->used = 0;
        error = write(core, output, why);
        if (error == 0)
            error = flush(output);
        output->host->close(output->fd, error ? before : -1);
        if (error) {
            tn_restart_output(core);
            output->is_there = before == 0; /* an empty file is as good as a new one */
        }
    }
    if (error)
        output->host->tell("cannot write the raw profile %s: %s; this part (%s) is lost; choose another place for it "
                           "(--out, or --tenure-out-file)\n", output->name, reason(error), why);
}
