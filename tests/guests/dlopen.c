/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dlopen.c: loads and unloads plugin.so 20 times; argument 1 is its path (else beside this program).
 *
 * The object may come back at the same address or another one: functions stay the same. plugin_twice: 20 calls,
 * plugin_work: 40 calls (through the object's PLT, since the symbol is exported), work: 40 calls of 10 reads.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char beside[4096];
    uint64_t total = 0;
    snprintf(beside, sizeof beside, "%s/plugin.so", dirname(argv[0]));
    for (int i = 0; i < 20; i++) {
        void *plugin = dlopen(argc > 1 ? argv[1] : beside, RTLD_NOW);
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        uint64_t (*twice)(size_t);
        *(void **)&twice = dlsym(plugin, "plugin_twice");
        total += twice(10);
        dlclose(plugin);
    }
    printf("reads: %lu\n", (unsigned long)total);
    return 0;
}
