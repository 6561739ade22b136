/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.c: what a file is; a profile for reading.
 *
 * A file is told by its first bytes, before SQLite sees it: SQLite's own message for a file that is none of its
 * own ("file is not a database") would name neither the file nor what to do. A profile's numbers (version,
 * application) are in SQLite's header at fixed offsets.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/big.h"
#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/base/seal.h"
#include "profile/base/sound.h"
#include "profile/raw/raw_read.h"
#include "profile/read/formula.h"
#include "profile/read/opened.h"
#include "profile/store/store.h"

/* ------------------------------------------------------------------------------------------ kinds */

enum {
    SQLITE_HEADER = 100,
    AT_JOURNAL = 18, /* the format to write and to read: 1, or 2 where part of it may be in another file */
    AT_USER_VERSION = 60,
    AT_APPLICATION_ID = 68,
};
const int tp_raw_version = TN_RAW_VERSION, tp_schema_version = TP_SCHEMA_VERSION,
          tp_interval_functions = TN_WORST;
static const char sqlite_magic[16] = "SQLite format 3";

static enum tp_kind kind_of_database(const char *path, const uint8_t *head, struct tp_error *err)
{
    if (tp_big_u32(head + AT_APPLICATION_ID) != TP_APPLICATION_ID) {
        TP_FAIL(err, "%s: an SQLite database, but not a profile of Tenure", path);
        return TP_KIND_OTHER;
    }
    if (tp_big_u32(head + AT_USER_VERSION) != TP_SCHEMA_VERSION) {
        TP_FAIL(err,
                "%s: profile with schema version %" PRIu32
                ", this Tenure reads version %d; record again, or use "
                "the Tenure that wrote it",
                path, tp_big_u32(head + AT_USER_VERSION), TP_SCHEMA_VERSION);
        return TP_KIND_PROFILE_FOREIGN;
    }
    if (head[AT_JOURNAL] != 1 || head[AT_JOURNAL + 1] != 1) {
        TP_FAIL(err,
                "%s: the profile is in SQLite's write-ahead mode, in which other files are a part of it; "
                "`sqlite3 %s 'PRAGMA journal_mode = DELETE'` makes it one file again", path, path);
        return TP_KIND_PROFILE_FOREIGN;
    }
    return TP_KIND_PROFILE;
}

/* Behind a bracket there is a number: (12); (below main) is a name. */
static bool open_begins(const char *line, const char *word)
{
    size_t length = strlen(word);

    return strncmp(line, word, length) == 0 &&
           (word[length - 1] != '(' || (line[length] >= '0' && line[length] <= '9'));
}

/* Whether a line of the text begins with `word`. */
static bool has_line(const char *text, const char *word)
{
    const char *line = text, *end;

    while (!open_begins(line, word)) {
        if (!(end = strchr(line, '\n')))
            return false;
        line = end + 1;
    }
    return true;
}

/* The text formats begin with header lines. Cachegrind has three kinds of them and always a command; anything that only
 * Callgrind has makes it Callgrind's, as does the lack of a command. */
static enum tp_kind kind_of_text(const char *text)
{
    static const char *const callgrinds[] = {"# callgrind", "version:", "creator:", "pid:",   "part:", "thread:",
                                             "positions:",  "event:",   "totals:",  "ob=",    "cfn=",  "calls=",
                                             "cob=",        "cfi=",     "cfl=",     "fl=(",   "fn=(",  "jump="};
    const char *first = text + strspn(text, " \t\r\n");
    bool is_callgrind = false, is_either = false;

    for (size_t i = 0; i < sizeof callgrinds / sizeof *callgrinds; i++)
        is_callgrind |= has_line(text, callgrinds[i]);
    if (*first == '#' && !has_line(text, "events:") && !is_callgrind)
        return TP_KIND_OTHER;
    for (size_t i = 0; i < 8; i++) /* those of the header, up to "event:" */
        is_either |= strncmp(first, callgrinds[i], strlen(callgrinds[i])) == 0;
    is_either |= strncmp(first, "desc:", 5) == 0 || strncmp(first, "cmd:", 4) == 0 ||
                 strncmp(first, "events:", 7) == 0 || *first == '#';
    if (!is_either)
        return TP_KIND_OTHER;
    return is_callgrind || !has_line(text, "cmd:") ? TP_KIND_CALLGRIND : TP_KIND_CACHEGRIND;
}

enum tp_kind tp_kind(const char *path, struct tp_error *err)
{
    uint8_t head[4096 + 1] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* of a pipe, nobody is waited for */
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "rb");

    if (!stream) {
        TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return TP_KIND_UNREADABLE;
    }
    bool regular = fstat(fileno(stream), &st) == 0 && S_ISREG(st.st_mode);
    size_t got = regular ? fread(head, 1, sizeof head - 1, stream) : 0;
    int error = ferror(stream) ? errno : 0;
    fclose(stream);
    if (!regular || error) {
        TP_FAIL(err, "%s: %s", path, error ? strerror(error) : "not a regular file");
        return TP_KIND_UNREADABLE;
    }
    if (got >= 8 && memcmp(head, TN_RAW_MAGIC, 8) == 0) {
        struct tp_raw_file raw;
        int failed = tp_raw_open(&raw, path, err);
        tp_raw_close(&raw);
        return failed ? TP_KIND_RAW_FOREIGN : TP_KIND_RAW;
    }
    if (got >= SQLITE_HEADER && memcmp(head, sqlite_magic, sizeof sqlite_magic) == 0)
        return kind_of_database(path, head, err);
    enum tp_kind kind = kind_of_text((const char *)head);
    if (kind != TP_KIND_OTHER)
        return kind;
    TP_FAIL(err, "%s: %s, not a profile of Tenure", path, got ? "foreign file" : "empty file");
    return TP_KIND_OTHER;
}

bool tp_kind_is_profile(enum tp_kind kind)
{
    return kind == TP_KIND_PROFILE || kind == TP_KIND_PROFILE_FOREIGN;
}

bool tp_kind_is_raw(enum tp_kind kind)
{
    return kind == TP_KIND_RAW || kind == TP_KIND_RAW_FOREIGN;
}

/* ------------------------------------------------------------------------------------------ open */

int tp_sql_failed(tp_profile *profile, const char *what, struct tp_error *err)
{
    return tp_sound(err) ? -1 : TP_FAIL(err, "%s: %s: %s", profile->path, what, sqlite3_errmsg(profile->db));
}

sqlite3_stmt *tp_query(tp_profile *profile, char *sql, struct tp_error *err)
{
    sqlite3_stmt *statement = NULL;

    if (!sql)
        TP_NO_MEMORY(err);
    else if (sqlite3_prepare_v2(profile->db, sql, -1, &statement, NULL) != SQLITE_OK)
        tp_sql_failed(profile, "cannot read", err);
    sqlite3_free(sql);
    return statement;
}

int tp_row(tp_profile *profile, sqlite3_stmt *statement, struct tp_error *err)
{
    int code = sqlite3_step(statement);

    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : tp_sql_failed(profile, "cannot read", err);
}

int tp_each(tp_profile *profile, char *sql, tp_take *take, void *user, struct tp_error *err)
{
    sqlite3_stmt *row = tp_query(profile, sql, err);
    int more = -1;

    while (row && (more = tp_row(profile, row, err)) == 1) {
        int failed = take(user, row);
        if (failed) {
            more = failed > 0 ? TP_NO_MEMORY(err) : -1;
            break;
        }
    }
    sqlite3_finalize(row);
    return more;
}

int tp_number(tp_profile *profile, char *sql, double otherwise, double *out, struct tp_error *err)
{
    sqlite3_stmt *row = tp_query(profile, sql, err);
    int more = row ? tp_row(profile, row, err) : -1;

    *out = more == 1 && sqlite3_column_type(row, 0) != SQLITE_NULL ? sqlite3_column_double(row, 0) : otherwise;
    sqlite3_finalize(row);
    return more < 0 ? -1 : 0;
}

int tp_execute(tp_profile *profile, char *sql, const char *what, struct tp_error *err)
{
    bool good = sql && sqlite3_exec(profile->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    int failed = good ? 0 : sql ? tp_sql_failed(profile, what, err) : TP_NO_MEMORY(err);

    sqlite3_free(sql);
    return failed;
}

static char *column_text(struct tp_profile *profile, sqlite3_stmt *statement, int column)
{
    const char *text = tp_text(statement, column);

    return tp_arena_copy(&profile->arena, text, strlen(text));
}

static int load_event(void *user, sqlite3_stmt *row)
{
    tp_profile *profile = user;
    struct tp_event *event = TP_VECTOR_ADD(&profile->events);

    if (!event)
        return 1;
    bool has_formula = sqlite3_column_type(row, 3) != SQLITE_NULL;
    *event = (struct tp_event){.name = column_text(profile, row, 0),
                               .long_name = column_text(profile, row, 1),
                               .unit = column_text(profile, row, 2),
                               .formula = has_formula ? column_text(profile, row, 3) : NULL,
                               .derived = sqlite3_column_int(row, 4) != 0,
                               .real = strcmp(tp_text(row, 5), "REAL") == 0};
    return !event->name || !event->long_name || !event->unit || (has_formula && !event->formula);
}

static int load_meta(void *user, sqlite3_stmt *row)
{
    tp_profile *profile = user;
    struct tp_pair *pair = TP_VECTOR_ADD(&profile->meta);

    if (!pair)
        return 1;
    *pair = (struct tp_pair){column_text(profile, row, 0), column_text(profile, row, 1)};
    return !pair->key || !pair->value;
}

/* The URI of a sealed file, without what SQLite would take for a part of it: PATH-wal or PATH-journal is left from
 * another file that was called so. NULL: no memory. */
static char *open_uri(const char *path)
{
    sqlite3_str *uri = sqlite3_str_new(NULL);

    sqlite3_str_appendall(uri, *path == '/' ? "file://" : "file:");
    for (; *path; path++) {
        if (strchr("%?#", *path))
            sqlite3_str_appendf(uri, "%%%02x", *path);
        else
            sqlite3_str_appendchar(uri, 1, *path);
    }
    sqlite3_str_appendall(uri, "?immutable=1");
    return sqlite3_str_finish(uri);
}

/* What a file holds is data, whoever made it: nothing in it is to be executed. */
static int open_open_database(tp_profile *profile, struct tp_error *err)
{
    static const int settings[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    };
    enum { SIDES = 2, LARGEST_VALUE = 1 << 28, READ = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX };
    char *uri = profile->changed ? NULL : open_uri(profile->path);

    if (!uri && !profile->changed)
        return TP_NO_MEMORY(err);
    int code = sqlite3_open_v2(uri ? uri : profile->path, &profile->db, uri ? READ | SQLITE_OPEN_URI : READ, NULL);
    sqlite3_free(uri);
    if (code != SQLITE_OK)
        return profile->db ? tp_sql_failed(profile, "cannot open", err) : TP_NO_MEMORY(err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(profile->db, settings[i][0], settings[i][1], NULL);
    sqlite3_limit(profile->db, SQLITE_LIMIT_ATTACHED, SIDES);
    sqlite3_limit(profile->db, SQLITE_LIMIT_LENGTH, LARGEST_VALUE);
    /* Not later: when temp_store changes, what is temporary is lost, weights (weights.c) with it. */
    static const char pragmas[] = "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY";
    if (sqlite3_exec(profile->db, pragmas, NULL, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot open", err);
    return 0;
}

tp_profile *tp_open(const char *path, struct tp_error *err)
{
    static const char events[] = "SELECT name, long_name, unit, formula, derived, type FROM events ORDER BY rowid";
    enum tp_kind kind = tp_kind(path, err);
    tp_profile *profile = kind == TP_KIND_PROFILE ? calloc(1, sizeof *profile) : NULL;

    if (kind == TP_KIND_RAW || kind == TP_KIND_CALLGRIND || kind == TP_KIND_CACHEGRIND)
        TP_FAIL(err, "%s: a %s; import it first", path,
                kind == TP_KIND_RAW ? "raw profile" : "profile of another tool");
    if (!profile) {
        if (kind == TP_KIND_PROFILE)
            TP_NO_MEMORY(err);
        return NULL;
    }
    tp_sound_watch(profile);
    profile->path = tp_arena_copy(&profile->arena, path, strlen(path));
    if (!profile->path)
        TP_NO_MEMORY(err);
    else if (tp_sealed(path, &profile->changed, err) == 0 && open_open_database(profile, err) == 0 &&
             tp_each(profile, sqlite3_mprintf("%s", events), load_event, profile, err) == 0 &&
             tp_each(profile, sqlite3_mprintf("SELECT key, value FROM meta"), load_meta, profile, err) == 0 &&
             tp_genuine(profile, err) == 0 && tp_define_ratios(profile, err) == 0 &&
             tp_define_curves(profile, err) == 0)
        return profile;
    tp_close(profile);
    return NULL;
}

void tp_close(tp_profile *profile)
{
    if (!profile)
        return;
    tp_sound_leave(profile);
    sqlite3_close_v2(profile->db);
    TP_VECTOR_FREE(&profile->events);
    TP_VECTOR_FREE(&profile->meta);
    tp_arena_free(&profile->arena);
    free(profile);
}

/* ------------------------------------------------------------------------------------------ facts */

sqlite3 *tp_db(tp_profile *profile)
{
    return profile->db;
}

bool tp_changed(const tp_profile *profile)
{
    return profile->changed;
}

const char *tp_path(const tp_profile *profile)
{
    return profile->path;
}

int tp_call(tp_profile *profile, const char *name, struct tp_error *err)
{
    const char *path = tp_arena_copy(&profile->arena, name, strlen(name));

    if (!path)
        return TP_NO_MEMORY(err);
    profile->path = path;
    return 0;
}

const char *tp_meta(tp_profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->meta.count; i++) {
        if (strcmp(profile->meta.at[i].key, key) == 0)
            return profile->meta.at[i].value;
    }
    return NULL;
}

bool tp_keeps_strides(tp_profile *profile)
{
    const char *value = tp_meta(profile, "strides");
    struct tp_error unwanted;
    double any = 0;

    if (!value)
        tp_number(profile, sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM t_stride_sums)"), 0, &any, &unwanted);
    return value ? strcmp(value, "yes") == 0 : any != 0;
}

size_t tp_event_count(const tp_profile *profile)
{
    return profile->events.count;
}

const struct tp_event *tp_event_at(const tp_profile *profile, size_t i)
{
    return &profile->events.at[i];
}

const struct tp_event *tp_event_find(const tp_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->events.count; i++) {
        if (strcasecmp(profile->events.at[i].name, name) == 0)
            return &profile->events.at[i];
    }
    return NULL;
}

const char *tp_event_usual(const tp_profile *profile)
{
    bool foreign = !tp_event_find(profile, "CEst") && tp_event_count(profile) > 0;

    return foreign ? tp_event_at(profile, 0)->name : tp_timed(profile) ? "Time" : "CEst";
}
