/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_client.c: the program's initial stack, laid out anew.
 *
 * Valgrind builds it as the kernel would: strings at the top, below them the vector that the stack pointer points
 * to (argc, argv, environment, auxiliary vector). Two things are wrong with it for us. The environment has what
 * Valgrind and its wrapper put there: LD_PRELOAD (for a library that we do not need), VALGRIND_LIB and
 * VALGRIND_LAUNCHER, and what the distribution's wrapper sets: two variables for C++ and a folder at the end of
 * LD_LIBRARY_PATH; and where the program's TMPDIR is of no use to Valgrind, `tenure record` sets another one, and
 * TENURE_PROGRAM_TMPDIR to what it was (TENURE_PROGRAM_NO_TMPDIR if it was not). And the stack pointer depends
 * on the size of the environment, so that two users do not get the same counts.
 *
 * So the vector is copied, without those entries, to a fixed distance below the top, and the arguments' strings
 * with it, in this order:
 *
 *     top - 256 KiB             vector; the stack pointer
 *     top - 128 KiB             strings of argv; then, aligned, the 16 random bytes and the names that the
 *                               auxiliary vector points to
 *     somewhere above           Valgrind's original: the environment's strings stay there
 *
 * More arguments or a larger environment move all of it down by another 256 KiB, as often as it takes, and a vector of
 * more than 128 KiB moves the strings up. What Valgrind itself keeps (its copy of the
 * environment) still is the original, so that its own look-ups and its handling of exec are unchanged.
 *
 * The declarations below are of libcoregrind functions that Valgrind does not announce to tools.
 */
#include "vg_program.h"

#include "pub_tool_guest.h"
#include "pub_tool_machine.h"

extern Addr VG_(clstk_end);
extern Bool VG_(extend_stack)(ThreadId tid, Addr address);

enum {
    AREA = 256 << 10,
    STRINGS = 128 << 10,
    AT_PLATFORM = 15,
    AT_BASE_PLATFORM = 24,
    AT_RANDOM = 25,
    AT_EXECFN = 31
};

/* The vector, taken apart. */
struct image {
    UWord *argv, *envp, *auxv;
    UWord args, variables, pairs; /* pairs: with the last, AT_NULL */
};

/* ------------------------------------------------------------------------------------------ environment */

static Bool has_name(const HChar *variable, const HChar *name)
{
    SizeT length = VG_(strlen)(name);

    return VG_(strncmp)(variable, name, length) == 0 && variable[length] == '=';
}

/* The wrapper sets both; one alone is the program's own. */
static const HChar *const wrapper_sets[] = {"GLIBCPP_FORCE_NEW=1", "GLIBCXX_FORCE_NEW=1"};

static Bool from_wrapper(const HChar *variable)
{
    return VG_(strcmp)(variable, wrapper_sets[0]) == 0 || VG_(strcmp)(variable, wrapper_sets[1]) == 0;
}

/* What was done to the environment besides Valgrind's own variables. */
struct changes {
    UInt from_wrapper;   /* variables as the distribution's wrapper sets them: all of them, or it was not there */
    Bool other_tmpdir;   /* TMPDIR is not the program's ... */
    const HChar *tmpdir; /* ... which is this, NULL if it had none */
};

/* The variable as the program had it, changed in place; NULL if it had none. */
static const HChar *variable_of_program(HChar *variable, const struct changes *changes)
{
    static const HChar folder[] = "/usr/lib/debug";
    Bool wrapped = changes->from_wrapper == sizeof wrapper_sets / sizeof wrapper_sets[0];

    /* Valgrind's library comes first, and its path may hold spaces and colons. A value of the program's own, even an
     * empty one, follows behind a colon. */
    if (has_name(variable, "LD_PRELOAD")) {
        HChar *value = variable + VG_(strlen)("LD_PRELOAD="), *library = VG_(strstr)(value, "/vgpreload_core-");
        HChar *end = library != NULL ? library + VG_(strcspn)(library, ":") : NULL;

        if (end == NULL)
            return variable;
        if (*end == '\0')
            return NULL;
        VG_(memmove)(value, end + 1, VG_(strlen)(end + 1) + 1);
        return variable;
    }
    /* The wrapper's folder is at the end. */
    if (wrapped && has_name(variable, "LD_LIBRARY_PATH")) {
        HChar *value = variable + VG_(strlen)("LD_LIBRARY_PATH=");
        SizeT length = VG_(strlen)(value), cut = sizeof folder - 1;

        if (VG_(strcmp)(value, folder) == 0)
            return NULL;
        if (length > cut && value[length - cut - 1] == ':' && VG_(strcmp)(value + length - cut, folder) == 0)
            value[length - cut - 1] = '\0';
        return variable;
    }
    if (changes->other_tmpdir && has_name(variable, "TMPDIR"))
        return changes->tmpdir;
    if (has_name(variable, "VALGRIND_LIB") || has_name(variable, "VALGRIND_LAUNCHER") ||
        (wrapped && from_wrapper(variable)) || has_name(variable, "TENURE_PROGRAM_TMPDIR") ||
        has_name(variable, "TENURE_PROGRAM_NO_TMPDIR"))
        return NULL;
    return variable;
}

/* ------------------------------------------------------------------------------------------ the new stack */

/* How far above the vector the strings begin. */
static SizeT strings_at(const struct image *image)
{
    SizeT vector = (1 + image->args + 1 + image->variables + 1 + 2 * image->pairs) * sizeof(UWord);

    return vector > STRINGS ? VG_PGROUNDUP(vector) : STRINGS;
}

static UWord copy_bytes(Addr *to, UWord from, SizeT bytes)
{
    Addr at = *to;

    VG_(memcpy)((void *)at, (const void *)from, bytes);
    *to += bytes;
    return at;
}

static UWord copy_string(Addr *to, UWord from)
{
    return copy_bytes(to, from, VG_(strlen)((const HChar *)from) + 1);
}

static void lay_out(UWord *to, const struct image *image)
{
    Addr strings = (Addr)to + strings_at(image);
    struct changes changes = {0};

    for (UWord i = 0; i < image->variables; i++) {
        const HChar *variable = (const HChar *)image->envp[i];

        changes.from_wrapper += from_wrapper(variable);
        if (has_name(variable, "TENURE_PROGRAM_NO_TMPDIR"))
            changes.other_tmpdir = True;
        if (has_name(variable, "TENURE_PROGRAM_TMPDIR")) {
            changes.other_tmpdir = True;
            changes.tmpdir = variable + VG_(strlen)("TENURE_PROGRAM_");
        }
    }
    *to++ = image->args;
    for (UWord i = 0; i < image->args; i++)
        *to++ = copy_string(&strings, image->argv[i]);
    *to++ = 0;
    for (UWord i = 0; i < image->variables; i++) {
        const HChar *variable = variable_of_program((HChar *)image->envp[i], &changes);

        if (variable != NULL)
            *to++ = (UWord)variable;
    }
    *to++ = 0;
    strings = VG_ROUNDUP(strings, 16);
    for (UWord i = 0; i < image->pairs; i++) {
        UWord type = image->auxv[2 * i], value = image->auxv[2 * i + 1];

        if (type == AT_RANDOM && value != 0)
            value = copy_bytes(&strings, value, 16);
        else if ((type == AT_PLATFORM || type == AT_BASE_PLATFORM || type == AT_EXECFN) && value != 0 &&
                 VG_(strlen)((const HChar *)value) < 1024)
            value = copy_string(&strings, value);
        to[2 * i] = type;
        to[2 * i + 1] = value;
    }
}

void vg_client_start(ThreadId tid)
{
    Addr sp = VG_(get_SP)(tid), at = VG_PGROUNDUP(VG_(clstk_end)) - AREA;
    struct image image = {.args = *(UWord *)sp, .argv = (UWord *)sp + 1, .pairs = 1};
    SizeT bytes = 4096; /* of strings: for what the auxiliary vector points to, and the arguments */

    if (!vg.options.clean_environment)
        return;
    image.envp = image.argv + image.args + 1;
    while (image.envp[image.variables] != 0)
        image.variables++;
    image.auxv = image.envp + image.variables + 1;
    while (image.auxv[2 * (image.pairs - 1)] != 0)
        image.pairs++;
    for (UWord i = 0; i < image.args; i++)
        bytes += VG_(strlen)((const HChar *)image.argv[i]) + 1;
    while (at + strings_at(&image) + bytes > sp) /* everything must lie below Valgrind's image */
        at -= AREA;
    at -= vg_aslr_stack();
    if (!VG_(extend_stack)(tid, at - VKI_PAGE_SIZE))
        return;
    lay_out((UWord *)at, &image);
    VG_(set_shadow_regs_area)(tid, 0, offsetof(VexGuestArchState, guest_RSP), sizeof at, (const UChar *)&at);
}
