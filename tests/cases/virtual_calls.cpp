/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual calls of shapes whose types come in no order. REPAIRED: shapes are sorted by type. */
#include "case.h"
#include <algorithm>
#include <memory>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual uint64_t area() const = 0;
};

template <int N> struct kind : shape {
    explicit kind(uint64_t size) : size(size) {}
    uint64_t area() const override { return size * N; }
    uint64_t size;
};

typedef std::vector<std::unique_ptr<shape>> shapes_of;

APART shapes_of make_shapes(size_t n)
{
    std::vector<uint32_t> kinds(n);
    shapes_of shapes;

    for (uint32_t &k : kinds)
        k = any() % 4;
#ifdef REPAIRED
    std::sort(kinds.begin(), kinds.end());
#endif
    for (uint32_t k : kinds) {
        if (k == 0)
            shapes.push_back(std::make_unique<kind<1>>(10));
        else if (k == 1)
            shapes.push_back(std::make_unique<kind<2>>(11));
        else if (k == 2)
            shapes.push_back(std::make_unique<kind<3>>(12));
        else
            shapes.push_back(std::make_unique<kind<4>>(13));
    }
    return shapes;
}

APART uint64_t add(const shapes_of &shapes)
{
    uint64_t sum = 0;

    for (const auto &one : shapes)
        sum += one->area(); /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    shapes_of shapes = make_shapes(4000 * scale_of(argc, argv));
    uint64_t sum = 0;

    for (int round = 0; round < 100; round++)
        sum += add(shapes);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
