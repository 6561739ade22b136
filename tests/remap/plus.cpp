/* SPDX-License-Identifier: GPL-2.0-or-later */
/* new[] with constructors and a count in front, a vector that grows, and a static of a shared library. */
#include <cstdio>
#include <vector>

struct item {
    long key;
    int other[5];
    item() : key(1) {}
    ~item() { key = 0; }
};

#ifdef LIBRARY
item shared_items[333];
#else
extern item shared_items[333];

__attribute__((noinline)) item *make(int n)
{
    return new item[n];
}

__attribute__((noinline)) static void add(std::vector<item> &all)
{
    all.push_back(item());
}

int main()
{
    long sum = 0;
    std::vector<item> all;
    for (int round = 0; round < 50; round++) {
        item *items = make(100 + round);
        for (int i = 0; i < 100 + round; i++)
            items[i].other[i % 5] = i, sum += items[i].key + items[i].other[i % 5];
        delete[] items;
    }
    for (int i = 0; i < 3000; i++) {
        add(all);
        shared_items[i % 333].other[2] += i;
        sum += all[i / 2].key + shared_items[i % 100].other[2] % 7;
    }
    std::printf("%ld\n", sum);
    return 0;
}
#endif
