/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h: a recording into an SQLite profile.
 *
 *   store_insert.c  rows into tables
 *   store_schema.c  tables, views, derived events
 *   store_file.c    the file: temporary name, settings, rename
 *   tree.c          the call tree: order, and what is nested in what
 *   store_code.c    functions, lines, instructions, inlined frames
 *   store_arcs.c    arcs
 *   store_names.c   what data objects are called
 *   store_fold.c    data objects of rare allocation paths, fewer of them
 *   store_data.c    data objects, allocation paths, what instructions pay in data objects
 *   store_offsets.c what they pay by offset and by field
 *   store_misses.c  strides between misses, sets in which they conflict, lines that threads take from each other,
 *                   and who loaded lines again
 *   store_statements.c  statements, by kind of access and data object
 *   store_loops.c   loops
 *   store_paths.c   the call tree, sums that follow from it, and what paths and functions pay in data objects
 *   store.c         all of these, in the order in which they need each other, and the small tables
 *
 * docs/profile-format.md describes the result. Ids in the database: function contexts, arcs, frames, files and
 * objects are index + 1 of the recording; instructions and paths are numbered anew.
 */
#ifndef TENURE_PROFILE_STORE_H
#define TENURE_PROFILE_STORE_H

#include <limits.h>
#include <sqlite3.h>

#include "profile/base/tree.h"
#include "profile/code/code.h"
#include "profile/raw/recording.h"
#include "profile/store/bulk.h"

enum { TP_SCHEMA_VERSION = 19, TP_APPLICATION_ID = 0x546E7572 };

struct tp_data_name {
    const char *name;      /* "strdup in main (main.c:41)", "table (libfoo.so)", "stack of thread 1", ... */
    const char *kind;      /* "heap", "mapping", "static", "stack", "file", "rest", "other", "region", "folded" */
    const char *allocator; /* the function that allocates; NULL: nothing does */
    const char *function;  /* the user's, that calls it, directly or through libraries; NULL: not known */
    const char *symbol;    /* demangled; of a static object; NULL: none */
    uint32_t file, line;   /* of that call; 0: not known. File + 1 */
};

enum {
    TP_SELF_EVENTS = 1,
    TP_INCL_EVENTS = 2,
    TP_PLACE_EVENTS = 4, /* of these only those that are counted by place (store_offsets.c) are not NULL */
};

/* A table of the schema. `columns`: as in CREATE TABLE, and behind each what becomes of it where profiles are summed
 * (sum.h; "-" in a table that is not summed row by row); behind "|" those that are NULL in most rows. Those of events
 * are left out. `order`: in which rows are read to be summed, of the table t; NULL: by id. */
struct tp_table {
    const char *name, *columns;
    int events; /* TP_SELF_EVENTS, TP_INCL_EVENTS, TP_PLACE_EVENTS */
    const char *order;
};
const struct tp_table *tp_schema_tables(size_t *count);
/* What creates it. */
void tp_schema_table(sqlite3_str *sql, const struct tp_table *table, const struct tp_events *events);
/* Its columns in the order in which they are stored; how many. A row is put in the order of `columns`, then self, then
 * inclusive costs. */
enum { TP_STORED = 32 + 2 * TP_MAX_EVENTS };
size_t tp_schema_stored(const struct tp_table *table, const struct tp_events *events, struct tp_stored *stored);
/* Whether an event is counted by place. */
bool tp_counted_by_place(const char *event);

/* A view: `columns`, those of events behind them, from `from`. */
struct tp_view {
    const char *name, *columns, *from;
    int events;
};
const struct tp_view *tp_schema_views(size_t *count);
/* From what it is where one thread has all costs, or where there are several. */
const char *tp_schema_source(const struct tp_view *view, bool one_thread);
/* What creates the view `balance`. */
void tp_schema_balance(sqlite3_str *sql, const char *(*event)(const void *user, size_t i), const void *user);

enum {
    TP_INDICES = 3,  /* of a table, that are filled in bulk */
    TP_INDEXED = 8,  /* such an index is of one of so many columns, the first ones */
};

struct tp_store;

/* Rows of costs by key, such as a data object's number; not 0. In the order in which they were met, until they are
 * sorted by key, after which none can be added. */
struct tp_cost_row {
    uint64_t key;
    uint64_t *cost;
    uint32_t line; /* of a source line with calls: in tp_from_tree, + 1 */
    bool calls;
    uint8_t can, can_below; /* TP_CAN_* of self and inclusive costs */
};
struct tp_cost_rows {
    size_t width; /* numbers in a row: all events' self costs, or those and the inclusive ones behind them */
    TP_VECTOR(struct tp_cost_row) list;
    struct tp_idmap map;
    struct tp_arena arena;
};
/* The row of a key, made if there is none; good until the next one is made. NULL: out of memory. */
struct tp_cost_row *tp_cost_row(struct tp_cost_rows *rows, uint64_t key);
/* NULL: there is none. */
const struct tp_cost_row *tp_cost_row_find(const struct tp_cost_rows *rows, uint64_t key);
/* Add what an instruction pays in data objects, whose numbers are the keys. -1: out of memory. */
int tp_cost_rows_add_data(struct tp_cost_rows *rows, const struct tp_events *events, const struct tp_instr *instr);
void tp_cost_rows_sort(struct tp_cost_rows *rows);
/* Of sorted rows of one thing, or of its rows from *first on, whose keys end in data objects: where data objects were
 * folded, those that have no more than one part in TP_ROW_PARTS of any event become one, of small costs. How many are
 * left, in the place of the first ones. */
enum { TP_ROW_PARTS = 100000 };
size_t tp_fold_rows(const struct tp_store *store, const struct tp_cost_rows *rows, struct tp_cost_row *first,
                    size_t count);
void tp_cost_rows_clear(struct tp_cost_rows *rows);
void tp_cost_rows_free(struct tp_cost_rows *rows);

/* What only the call tree knows, which counts each event once however a function calls itself. */
struct tp_from_tree {
    struct tp_tree tree;
    bool *kept;      /* by node + 1: it is no rare path, and so a row of its own (store_paths.c); at 0: true */
    bool known;      /* there is a tree, and nothing was pruned; else there is nothing in what follows */
    uint64_t *time, *arc_time; /* inclusive, by context + 1 and by arc + 1: of the topmost nodes */
    bool *recurses;  /* by context + 1: it runs below one of its own lines */
    uint64_t **line; /* by line of tree.lines, of functions that do: costs of what is called, and behind them the
                        function's own while it runs below the line. NULL: 0 */
    struct tp_arena arena; /* of these two */
    struct tp_cost_rows by_thread; /* by (thread + 1) << 32 | (context + 1): inclusive costs there */
};

struct tp_store {
    sqlite3 *db; /* NULL while tables are written in bulk */
    struct tp_bulk bulk;
    struct tp_table_place {
        char name[32];
        uint32_t root;
        bool has_id;
        struct tp_index_place {
            uint32_t root;
            int column;
        } index[TP_INDICES]; /* of one column; root 0: no more */
    } place[64]; /* of tables t_* */
    int places;
    const char *path;      /* that the profile will have */
    char target[PATH_MAX]; /* where that is a link, what it leads to */
    char *temporary;       /* the name of the file until it is whole */
    struct tp_recording *rec;
    struct tp_sites sites;
    const struct tp_import_options *options;
    struct tp_error *err;
    uint32_t *instruction_id; /* by instruction index; 0: no row */
    uint32_t *first_in_row, *next_in_row; /* likewise, of those that share a row (store_code.c): the first one + 1, 0:
                                             itself; the next one + 1, 0: none */
    uint32_t *frame_id;       /* by inlined frame; 0: no row */
    uint64_t *total;          /* a row: self costs of everything */
    uint8_t can;              /* TP_CAN_* of everything */
    struct tp_from_tree from_tree;
    uint64_t instructions, paths; /* rows */
    uint64_t strides;             /* of all instructions and data objects */
    bool has_units;               /* there is a view `balance` */
};

/* Make the file `store->path`, all or nothing: the empty tables, then those that `large` fills in bulk, then those
 * that `rest` fills by INSERT, then views and indices. Only path, rec (events, threads, arena), options and err of
 * `store` need be set. */
typedef int tp_store_part(struct tp_store *store, void *user);
int tp_store_make(struct tp_store *store, tp_store_part *large, tp_store_part *rest, void *user);

/* Write `rec` to `path`. All or nothing. */
int tp_store_write(const char *path, struct tp_recording *rec, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err);

/* Rows into a table. Tables t_* are written page by page (bulk.h), before SQLite has the file open for good; their
 * ids must ascend. Others by a prepared INSERT. */
struct tp_insert {
    sqlite3_stmt *statement; /* NULL: bulk */
    struct tp_bulk_table *bulk;
    struct tp_record record;     /* bulk: the row at hand */
    bool has_id; /* bulk: the first column is the row's id */
    int64_t id;
    int64_t first[TP_INDEXED]; /* of the row: values of the first columns, as keys */
    struct tp_bulk_index index[TP_INDICES];
    int index_column[TP_INDICES];
    struct tp_stored *stored;
    size_t columns;
    int next;   /* to be put, from 0 */
    void *user;        /* of tp_insert_all */
};
int tp_insert_open(struct tp_store *store, struct tp_insert *insert, const char *table);
/* Complete the table. -1 if that fails; in any case the insert is gone. */
int tp_insert_close(struct tp_store *store, struct tp_insert *insert, int failed);
/* Open `table`, have `write` put and end the rows of thing 0 to count - 1, and close it. -1 if one of these fails.
 * `user` is in the insert. */
typedef int tp_write(struct tp_store *store, struct tp_insert *insert, size_t i);
int tp_insert_all(struct tp_store *store, const char *table, size_t count, tp_write *write, void *user);
/* The next columns' values, in their order: TP_PUT(insert, TP_ID(id), TP_TEXT(name)). */
struct tp_value {
    enum { TP_VALUE_NULL, TP_VALUE_INTEGER, TP_VALUE_TEXT } type;
    union {
        int64_t integer;
        const char *text;
    };
};
#define TP_NULL ((struct tp_value){.type = TP_VALUE_NULL})
#define TP_INTEGER(n) ((struct tp_value){.type = TP_VALUE_INTEGER, .integer = (int64_t)(n)})
#define TP_COUNT(n) TP_INTEGER(tp_count(n))                      /* INT64_MAX at most */
#define TP_ID(id) TP_IF((id) != 0, TP_INTEGER(id))               /* NULL for 0 */
#define TP_TEXT(t) ((struct tp_value){.type = TP_VALUE_TEXT, .text = (t)}) /* NULL for NULL */
#define TP_IF(condition, value) ((condition) ? (value) : TP_NULL)
#define TP_PUT(insert, ...)                                                                                  \
    tp_put_values((insert), (const struct tp_value[]){__VA_ARGS__},                                          \
                  sizeof((const struct tp_value[]){__VA_ARGS__}) / sizeof(struct tp_value))
void tp_put_values(struct tp_insert *insert, const struct tp_value *value, size_t count);
void tp_put_null(struct tp_insert *insert);
void tp_put_integer(struct tp_insert *insert, int64_t value);
void tp_put_real(struct tp_insert *insert, double value);
void tp_put_id(struct tp_insert *insert, uint32_t id);        /* NULL for 0 */
void tp_put_text(struct tp_insert *insert, const char *text); /* NULL for NULL; it must be there until the row ends */
/* A row of events, NULL where `can` says that an event cannot occur. */
void tp_put_row(struct tp_insert *insert, const struct tp_events *events, const uint64_t *row, uint8_t can);
/* Self costs, and behind them inclusive costs. */
void tp_put_self_and_incl(struct tp_insert *insert, const struct tp_events *events, const struct tp_cost_row *row);
int tp_insert_row(struct tp_store *store, struct tp_insert *insert);
/* Where sets were sampled, a row for each group that has costs: id (0: no such column), group, self costs (NULL: no
 * such columns), inclusive costs (the same). Events that are exact are 0 there. */
int tp_insert_groups(struct tp_store *store, struct tp_insert *insert, int64_t id, const uint64_t *self,
                     const uint64_t *incl, uint8_t can, uint8_t can_below);

/* Where SQLite has put a table that is filled in bulk; NULL: there is none of this name. */
struct tp_table_place *tp_table_place(struct tp_store *store, const char *table);
/* Call `large` while tables can be filled in bulk, that is while SQLite does not have the file open. */
int tp_store_in_bulk(struct tp_store *store, tp_store_part *large, void *user);

/* `can`, and what the row says that the instruction did: of accesses under a condition or `rep` it is not said
 * before. */
uint8_t tp_does(const struct tp_events *events, const uint64_t *row, uint8_t can);

int tp_store_failed(struct tp_store *store, const char *what);
int tp_store_sql(struct tp_store *store, const char *sql, const char *what);

int tp_store_tables(struct tp_store *store); /* and indices that are filled in bulk */
int tp_store_views(struct tp_store *store); /* and indices that are not filled in bulk */
int tp_store_events(struct tp_store *store);
int tp_store_paths(struct tp_store *store); /* before tp_store_code, which needs store->from_tree */
void tp_from_tree_free(struct tp_from_tree *from);
int tp_store_code(struct tp_store *store);
int tp_store_arcs(struct tp_store *store); /* after tp_store_code, which numbers instructions */
int tp_store_data(struct tp_store *store); /* likewise */
/* What data objects are called, tp_data.name: when the functions of allocation paths have their names. */
int tp_name_data(struct tp_recording *rec, struct tp_error *err);
/* When rare ones are folded: no two blocks or mappings are called the same. */
int tp_tell_data_apart(struct tp_recording *rec, struct tp_error *err);
/* Where there are many data objects: allocation paths that cost next to nothing end at a caller that costs more, and
 * objects of one name that end there are one. Sums over all objects of a name stay. Objects must have their names. */
int tp_fold_data(struct tp_recording *rec, struct tp_error *err);
int tp_store_sharing(struct tp_store *store); /* likewise */
int tp_store_misses(struct tp_store *store); /* likewise */
int tp_store_timeline(struct tp_store *store);
int tp_store_statements(struct tp_store *store);
int tp_store_loops(struct tp_store *store); /* after tp_store_code, which numbers inlined frames */
/* objects: a row for each data object, whose `can` is what those do who miss in it. */
int tp_store_offsets(struct tp_store *store, const struct tp_cost_rows *objects);

/* Of each event one part in `parts` of what everything costs. */
void tp_kept_least(const struct tp_store *store, uint64_t parts, uint64_t *least);

/* Whether a column of some table or view has this name already; words of a view's SQL count, too. */
bool tp_store_names_column(const char *name);

/* tp_context.can and can_below, store->can: before anything is written. */
int tp_store_possible(struct tp_store *store);

/* -1 if the import is to be given up. */
int tp_progress_of(struct tp_store *store, const char *stage, uint64_t done, uint64_t total);

#endif
