// SPDX-License-Identifier: GPL-2.0-or-later
//
// fields.cpp: a vector, arrays made by new[] with and without a number of elements in front, of classes with bases; one
// member of each is read, from the first element to the last. Says where each is.
//
#include <cstdint>
#include <cstdio>
#include <vector>

struct Base {
    virtual ~Base() {}
    long a = 1;
};
struct Derived : Base {
    char c = 2;
    double d = 3;
};
struct Point {
    double x, y, z;
    int id;
};

static void said(const char *name, const void *block)
{
    std::printf("%s %lu\n", name, static_cast<unsigned long>(reinterpret_cast<std::uintptr_t>(block) % 64));
}

long sum;

__attribute__((noinline)) static void walk_points(const Point *points, long count)
{
    for (long i = 0; i < count; i++)
        sum += points[i].id;
}

int main()
{
    std::vector<Point> points(900);
    Point *fresh = new Point[800];
    Derived *derived = new Derived[300];

    said("points", points.data());
    said("fresh", fresh);
    said("derived", derived);
    std::fflush(stdout);
    walk_points(fresh, 800);
    std::printf("%d\n", points[3].id + static_cast<int>(derived[3].d));
    return 0;
}
