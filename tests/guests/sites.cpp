// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sites.cpp: what C++ programs allocate, each in a function of its own, whose name begins with the type in question.
 */
#include <list>
#include <map>
#include <memory>
#include <vector>

#define APART __attribute__((noinline)) static
#define USE(pointer) __asm__ volatile("" ::"r"(pointer) : "memory")

struct Leaf {
    long a, b, c;
};
struct Shape {
    virtual ~Shape() {}
    virtual long area() const = 0;
};
struct Rect : Shape {
    long w, h;
    Rect(long w, long h) : w(w), h(h) {}
    long area() const override { return w * h; }
};
struct Big {
    Big();
    long x[9];
};
__attribute__((noinline)) Big::Big()
{
    x[0] = 1;
    USE(this);
}
struct Holder {
    std::unique_ptr<Leaf> leaf;
    Shape *shape;
};

APART void Leaf_new()
{
    Leaf *leaf = new Leaf;

    leaf->a = 1;
    USE(leaf);
}

APART void Leaf_braces()
{
    Leaf *leaf = new Leaf{1, 2, 3};

    USE(leaf);
}

APART Shape *Rect_returned()
{
    return new Rect(2, 3);
}

APART void Big_constructed()
{
    Big *big = new Big;

    USE(big);
}

APART void Leaf_array(int count)
{
    Leaf *leaf = new Leaf[count];

    for (int i = 0; i < count; i++)
        leaf[i].a = i;
    USE(leaf);
}

APART void Leaf_unique(Holder &holder)
{
    holder.leaf = std::make_unique<Leaf>();
}

APART void Rect_member(Holder &holder)
{
    holder.shape = new Rect(4, 5);
}

APART void Leaf_vector(std::vector<Leaf> &vector)
{
    vector.reserve(50);
}

APART void Tree_map(std::map<int, Leaf> &map, int i)
{
    map[i].a = 2;
}

APART void List_list(std::list<Leaf> &list)
{
    list.push_back({1, 2, 3});
}

int main(int argc, char **)
{
    std::vector<Leaf> vector;
    std::map<int, Leaf> map;
    std::list<Leaf> list;
    Holder holder{};

    Leaf_new();
    Leaf_braces();
    USE(Rect_returned());
    Big_constructed();
    Leaf_array(argc + 10);
    Leaf_unique(holder);
    Rect_member(holder);
    Leaf_vector(vector);
    Tree_map(map, argc);
    List_list(list);
}
