// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose names are long, and one of a library that is opened by a program: the same file, with -DLIBRARY.
#include <dlfcn.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

namespace shapes {
volatile long sink;

#ifdef LIBRARY
APART void opened(int n)
{
    while (n-- > 0)
        sink = sink + 1;
}
extern "C" void plugin(void)
{
    opened(100);
}
#else
template <class T> struct Grid {
    APART void solve(int n)
    {
        while (n-- > 0)
            sink = sink + 1;
    }
    APART void solve(double n)
    {
        while ((n -= 1) > 0)
            sink = sink + 2;
    }
};
template <class T> APART T sum(T n)
{
    T all = 0;
    while (n-- > 0)
        all += sink;
    return all;
}
struct Pool {
    char memory[4096];
    APART void *take(unsigned long bytes)
    {
        sink = sink + 1;
        return memory + 1024 - bytes;
    }
};
#endif
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
    shapes::Grid<int> grid;
    shapes::Pool *pool = new shapes::Pool();
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *plugin = library ? dlsym(library, "plugin") : NULL;

    grid.solve(1000);
    grid.solve(500.0);
    shapes::sink = shapes::sum(300) + shapes::sum(200L);
    *(volatile char *)pool->take(1024) = 1;
    if (plugin)
        ((void (*)())plugin)();
    delete pool;
    return 0;
}
#endif
