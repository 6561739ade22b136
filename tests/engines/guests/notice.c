/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what a program can notice of its surroundings: arguments, environment, open descriptors. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv)
{
    DIR *open;
    struct dirent *entry;
    char **variable;
    int i;

    if (argc > 1 && !strcmp(argv[1], "stack")) {
        printf("%p %p\n", (void *)(argv - 1), (void *)argv[0]);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "addresses")) {
        void *small = malloc(10), *large = malloc(1 << 20);

        printf("%p %p %p %p %p\n", (void *)(uintptr_t)main, (void *)(uintptr_t)opendir, small, large, (void *)&i);
        free(small);
        free(large);
        return 0;
    }
    for (i = 0; i < argc; i++)
        printf("argument %s\n", argv[i]);
    for (variable = environ; *variable; variable++)
        printf("variable %s\n", *variable);
    open = opendir("/proc/self/fd");
    while ((entry = readdir(open)) != NULL)
        printf("descriptor %s\n", entry->d_name);
    closedir(open);
    return 0;
}
