// SPDX-License-Identifier: GPL-2.0-or-later
// Names of C++: templates inside templates, an operator, a lambda, an anonymous namespace.
#include <cstdio>
#include <vector>

namespace {
template <typename T, int N> struct shape {
    T side;
    __attribute__((noinline)) T operator()(T scale) const { return side * side * scale * N; }
};
} // namespace

namespace outer::inner {
template <typename S> __attribute__((noinline)) long total(const std::vector<S> &shapes)
{
    auto add = [](long sum, const S &s) __attribute__((noinline)) { return sum + s(1); };
    long sum = 0;
    for (const S &s : shapes)
        sum = add(sum, s);
    return sum;
}
} // namespace outer::inner

int main()
{
    std::vector<shape<long, 3>> shapes;
    for (long side = 0; side < 100; side++)
        shapes.push_back({side});
    std::printf("%ld\n", outer::inner::total(shapes));
}
