/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what a program can notice of its surroundings: arguments, environment, open descriptors. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
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
