# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs of the benchmark: text, SQL, C and C++ of any size, the same on every machine.

Each function takes a size and returns text. Nothing comes from the network, the clock or Python's own random
numbers, whose sequence belongs to a version of Python.
"""


class Random:
    """A linear congruential generator; good enough to make things differ."""

    def __init__(self, seed):
        self.state = seed * 2654435761 + 1

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        return (self.state >> 33) % limit


def words(random, count):
    """A vocabulary: the first words are the frequent ones, if the index is drawn that way."""
    syllables = [c + v + e for c in "bdfgklmnprst" for v in "aeiou" for e in ("", "n", "r", "s")]
    return ["".join(syllables[random.below(len(syllables))] for _ in range(1 + random.below(4)))
            for _ in range(count)]


def text(size):
    """About `size` bytes of something between prose and a log file: compressible as such files are."""
    random = Random(1)
    vocabulary = words(random, 4000)
    lines, length = [], 0
    while length < size:
        count = 5 + random.below(12)
        # The product of two draws makes small indexes frequent.
        line = " ".join(vocabulary[random.below(1 + random.below(len(vocabulary)))] for _ in range(count))
        if random.below(4) == 0:
            line = "[%d.%03d] %s: %d" % (length // 1000, random.below(1000), line, random.below(100000))
        lines.append(line + "\n")
        length += len(line) + 1
    return "".join(lines)[:size]


def sql(rows):
    """Fill two tables, index them, join, group, update and delete."""
    return f"""
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT, score REAL);
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INTEGER, day INTEGER, amount INTEGER, note TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows // 10})
  INSERT INTO customer SELECT i, 'name ' || (i * 7919 % 100003), 'city ' || (i * 31 % 97), i * 0.5 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
  INSERT INTO sale SELECT i, 1 + i * 48271 % {rows // 10}, i * 16807 % 365, i * 69621 % 1000,
    printf('note %d of %s', i, hex(i * 7)) FROM n;
COMMIT;
CREATE INDEX sale_customer ON sale(customer, day);
CREATE INDEX customer_city ON customer(city);
SELECT city, count(*), sum(amount), max(note) FROM customer JOIN sale ON sale.customer = customer.id
  GROUP BY city ORDER BY sum(amount) DESC LIMIT 10;
SELECT day, avg(amount), count(DISTINCT customer) FROM sale GROUP BY day ORDER BY 2, day LIMIT 5;
UPDATE customer SET score = (SELECT sum(amount) FROM sale WHERE sale.customer = customer.id AND day < 180);
SELECT count(*) FROM sale WHERE note LIKE '%1_of%7' OR note GLOB '*99*';
DELETE FROM sale WHERE day % 3 = 0;
SELECT count(*), sum(amount) FROM sale;
SELECT name, score, rank() OVER (PARTITION BY city ORDER BY score DESC) AS r FROM customer ORDER BY r, name LIMIT 5;
"""


C_HEAD = """
typedef unsigned int u32;
typedef unsigned long u64;
struct item { struct item *next; u32 key, kind; u64 value; };
extern void *take(u64 bytes);
extern void give(void *memory);
extern int report(const char *format, ...);
"""

C_UNIT = """
struct state_{n} {{ u64 acc, limit; u32 cursor; unsigned char code[{code}]; struct item *chain[{chains}]; }};

static int find_{n}(const struct state_{n} *s, u32 key, struct item **out)
{{
    for (struct item *at = s->chain[key % {chains}]; at; at = at->next)
        if (at->key == key) {{
            *out = at;
            return 1;
        }}
    return 0;
}}

static struct item *insert_{n}(struct state_{n} *s, u32 key, u64 value)
{{
    struct item *found;
    if (find_{n}(s, key, &found)) {{
        found->value += value;
        return found;
    }}
    found = take(sizeof *found);
    found->key = key;
    found->kind = key & {mask};
    found->value = value;
    found->next = s->chain[key % {chains}];
    s->chain[key % {chains}] = found;
    return found;
}}

int step_{n}(struct state_{n} *s, const u32 *input, u32 count)
{{
    u64 table[{table}];
    for (u32 i = 0; i < {table}; i++)
        table[i] = (u64)i * {a} ^ (s->acc >> (i % 13));
    for (u32 i = 0; i < count; i++) {{
        u32 v = input[i];
        switch (s->code[s->cursor++ % {code}]) {{
{cases}
        default:
            report("unit {n}: %u at %u", v, i);
            return -{n};
        }}
        if (s->acc > s->limit && i % {period} == 0)
            s->acc -= s->limit / {divisor};
    }}
    return (int)(s->acc % {modulus});
}}
"""

C_CASES = [
    "s->acc += v * {a}u;",
    "s->acc ^= table[v % {table}] << {small};",
    "insert_{n}(s, v, s->acc)->kind ^= {a};",
    "if (v & {mask}) s->acc = s->acc * 31 + table[(v >> {small}) % {table}]; else s->limit += v;",
    "for (u32 k = 0; k < (v & 7); k++) table[(v + k) % {table}] += s->acc >> k;",
    "{{ struct item *f; if (find_{n}(s, v ^ {a}u, &f)) s->acc += f->value; else s->cursor += {small}; }}",
    "s->acc = s->acc / (v % {b} + 1) + (s->acc << {small});",
    "while (v > {b}) {{ v /= 3; s->acc += v & 1 ? {a} : -{a}; }}",
]


def c_source(units):
    """A preprocessed C file of `units` little interpreters, each with a hash table; 3 functions each."""
    random = Random(2)
    parts = [C_HEAD]
    for n in range(1, units + 1):
        values = {"n": n, "a": 3 + random.below(60000), "b": 2 + random.below(40), "small": 1 + random.below(15),
                  "mask": (1 << (1 + random.below(9))) - 1, "table": 8 << random.below(4),
                  "chains": 11 + 2 * random.below(30), "code": 16 << random.below(4)}
        cases = []
        for number in range(6 + random.below(10)):
            body = C_CASES[random.below(len(C_CASES))].format(**values)
            cases.append(f"        case {number}:\n            {body}\n            break;")
        values.update(cases="\n".join(cases), period=3 + random.below(9), divisor=2 + random.below(7),
                      modulus=100 + random.below(9000))
        parts.append(C_UNIT.format(**values))
    return "".join(parts)


CXX_HEADERS = ["algorithm", "functional", "map", "memory", "numeric", "set", "sstream", "string", "tuple",
               "unordered_map", "variant", "vector"]
CXX_FEW_HEADERS = ["numeric", "vector"]

CXX_HEAD = """
template <typename T, int N> struct Grid {
    std::vector<T> cells = std::vector<T>(N * N);
    T &at(int x, int y) { return cells[static_cast<std::size_t>(y * N + x)]; }
    template <typename F> auto fold(F f) const { return std::accumulate(cells.begin(), cells.end(), T{}, f); }
    Grid transposed() const
    {
        Grid out;
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                out.at(y, x) = cells[static_cast<std::size_t>(y * N + x)];
        return out;
    }
};
template <int N> struct Fibonacci {
    static constexpr long value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<0> { static constexpr long value = 0; };
template <> struct Fibonacci<1> { static constexpr long value = 1; };
template <typename... T> struct Sizes { static constexpr std::size_t value = (sizeof(T) + ... + 0); };
"""

CXX_UNIT = """
namespace unit{n} {{
struct Key {{
    int a{n}; {type} b{n};
    bool operator<(const Key &o) const {{ return std::tie(a{n}, b{n}) < std::tie(o.a{n}, o.b{n}); }}
    bool operator==(const Key &o) const {{ return a{n} == o.a{n} && b{n} == o.b{n}; }}
}};
struct Hash {{ std::size_t operator()(const Key &k) const {{ return std::hash<int>()(k.a{n}) * {a} + {b}; }} }};
using Value = std::variant<int, std::string, std::shared_ptr<Key>, std::vector<Key>>;
struct Base {{ virtual ~Base() = default; virtual long weigh(const std::vector<Key> &) const = 0; }};
template <int W> struct Scale : Base {{
    std::map<Key, Value> seen;
    long weigh(const std::vector<Key> &keys) const override
    {{
        long sum = Fibonacci<W % 40>::value + static_cast<long>(Sizes<Key, Value, Base>::value);
        for (const auto &k : keys)
            if (auto at = seen.find(k); at != seen.end())
                sum += std::visit([](const auto &v) -> long {{ return static_cast<long>(sizeof v); }}, at->second);
        return sum * W;
    }}
}};
long run(const std::vector<{type}> &input)
{{
    std::unordered_map<Key, std::string, Hash> names;
    std::set<Key> order;
    std::vector<std::unique_ptr<Base>> scales;
    scales.push_back(std::make_unique<Scale<{a}>>());
    scales.push_back(std::make_unique<Scale<{b}>>());
    std::vector<Key> keys;
    for (std::size_t i = 0; i < input.size(); i++)
        keys.push_back(Key{{static_cast<int>(i * {a}), input[i]}});
    std::sort(keys.begin(), keys.end());
    std::stable_partition(keys.begin(), keys.end(), [](const Key &k) {{ return k.a{n} % {b} == 0; }});
    std::ostringstream out;
    for (const auto &k : keys) {{
        order.insert(k);
        names[k] = "key " + std::to_string(k.a{n});
        out << names[k] << ';';
    }}
    Grid<{type}, {grid}> grid;
    std::function<{type}({type}, {type})> add = []({type} x, {type} y) {{ return x + y; }};
    long total = static_cast<long>(grid.transposed().fold(add)) + static_cast<long>(order.size() + out.str().size());
    for (const auto &s : scales)
        total += s->weigh(keys);
    return total;
}}
}}
"""


CXX_SMALL_UNIT = """
namespace unit{n} {{
long run(const std::vector<{type}> &input)
{{
    Grid<{type}, {grid}> grid;
    for (std::size_t i = 0; i < input.size(); i++)
        grid.at(static_cast<int>(i % {grid}), static_cast<int>(i / {grid} % {grid})) += input[i];
    auto total = grid.transposed().fold([]({type} x, {type} y) {{ return static_cast<{type}>(x + y); }});
    return static_cast<long>(total) + Fibonacci<{grid} % 40>::value;
}}
}}
"""


def cxx_source(units, few_headers=False):
    """A C++17 file that instantiates templates for `units` types: its own, and unless `few_headers` the standard
    containers too, which takes a compiler about eight times as long."""
    random = Random(3)
    types = ["int", "long", "double", "float", "short", "unsigned", "long long", "char"]
    parts = [f"#include <{header}>\n" for header in (CXX_FEW_HEADERS if few_headers else CXX_HEADERS)]
    parts.append(CXX_HEAD)
    for n in range(1, units + 1):
        unit = CXX_SMALL_UNIT if few_headers else CXX_UNIT
        parts.append(unit.format(n=n, type=types[n % len(types)], a=1000 + n, b=2 + random.below(900), grid=2 + n))
    return "".join(parts)
