// SPDX-License-Identifier: GPL-2.0-or-later
// words.cc: templates, containers, exceptions, virtual functions and threads.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};
struct square : shape {
    double side;
    explicit square(double s) : side(s) {}
    double area() const override { return side * side; }
};
struct circle : shape {
    double radius;
    explicit circle(double r) : radius(r) {}
    double area() const override
    {
        if (radius < 0)
            throw std::domain_error("radius");
        return 3 * radius * radius;
    }
};

int main()
{
    std::unordered_map<std::string, int> count;
    std::ostringstream text;
    for (int i = 0; i < 3000; i++)
        text << "word" << i * 31 % 97 << (i % 7 ? ' ' : '\n');
    std::istringstream in(text.str());
    for (std::string word; in >> word;)
        count[word]++;
    std::map<std::string, int> sorted(count.begin(), count.end());
    std::cout << sorted.size() << ' ' << sorted.begin()->first << ' ' << sorted.begin()->second << '\n';

    std::vector<std::unique_ptr<shape>> shapes;
    for (int i = -3; i < 50; i++)
        i % 2 ? shapes.push_back(std::make_unique<circle>(i)) : shapes.push_back(std::make_unique<square>(i));
    int thrown = 0;
    double sum = 0;
    for (auto &s : shapes) {
        try {
            sum += s->area();
        } catch (const std::exception &e) {
            thrown++;
        }
    }
    std::cout << sum << ' ' << thrown << '\n';

    std::atomic<long> total{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&total, t] {
            std::vector<int> v(20000);
            std::iota(v.begin(), v.end(), t);
            std::sort(v.begin(), v.end(), [](int a, int b) { return a % 101 < b % 101 || (a % 101 == b % 101 && a < b); });
            total += std::accumulate(v.begin(), v.end(), 0L, [](long a, int b) { return (a * 31 + b) % 1000003; });
        });
    for (auto &t : threads)
        t.join();
    std::regex expression("(w[a-z]+)([0-9]+)");
    std::smatch match;
    std::string one = "see word42 here";
    std::cout << total << ' ' << std::regex_search(one, match, expression) << ' ' << match[2] << '\n';
}
