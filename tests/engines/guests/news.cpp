// SPDX-License-Identifier: GPL-2.0-or-later
//
// news.cpp: C++'s ways to allocate. test_data.py says what must be counted.
#include <memory>
#include <new>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

struct alignas(128) wide {
    char bytes[256];
};

static volatile char sink;

static APART void one()
{
    int *p = new int[100];
    sink += static_cast<char>(p[0] = 1);
    delete[] p;
}

static APART void two()
{
    wide *p = new wide;
    sink += p->bytes[0] = 1;
    delete p;
    char *q = new (std::nothrow) char;
    delete q;
}

static APART void grow()
{
    std::vector<double> v;
    for (int i = 0; i < 1000; i++)
        v.push_back(i);
    sink += static_cast<char>(v.size());
}

static APART void text()
{
    auto s = std::make_unique<std::string>(100, 'x');
    sink += (*s)[3];
}

int main()
{
    one();
    two();
    grow();
    text();
}
