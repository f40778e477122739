/* Parts of trace_decode.c for reading a DCFG-trace: broken rules, and JSON, which is read a character at a time.  A
   form after which reading on makes no sense ends the program. */

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ID 0x7fffffff
#define LIMIT 10                /* violations of a rule that are reported */

typedef uint32_t u32;
typedef uint64_t u64;

/* ---- violations ------------------------------------------------------------------------------------------------- */

static struct Rule { const char *name; u64 n; struct Rule *next; } *rules;

static void wrong(const char *rule, const char *form, ...)
{
    struct Rule *r = rules;
    while (r && strcmp(r->name, rule))
        r = r->next;
    if (!r) {
        r = calloc(1, sizeof *r);
        r->name = rule;
        r->next = rules;
        rules = r;
    }
    if (r->n++ >= LIMIT)
        return;
    va_list args;
    va_start(args, form);
    printf("%s: ", rule);
    vprintf(form, args);
    printf("\n");
    va_end(args);
}

static void end(int status)
{
    for (struct Rule *r = rules; r; r = r->next) {
        status = status ? status : 1;
        if (r->n > LIMIT)
            printf("%s: and %" PRIu64 " more\n", r->name, r->n - LIMIT);
    }
    if (fflush(stdout))
        status = 2;
    exit(status);
}

static void *need(void *p)
{
    if (!p) {
        fputs("trace_decode: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

/* Room for one more element in an array that doubles. */
#define GROW(array, used, room) \
    do { if ((used) == (room)) { \
        (room) = (room) ? 2 * (room) : 64; \
        (array) = need(realloc(array, (size_t)(room) * sizeof *(array))); } } while (0)

/* ---- JSON, as it comes ----------------------------------------------------------------------------------------- */

static unsigned char buf[1 << 16];
static size_t buf_used, buf_at;
static u64 buf_before;          /* bytes read before those in the buffer */

static int peek(void)
{
    if (buf_at == buf_used) {
        buf_before += buf_used;
        buf_at = 0;
        buf_used = fread(buf, 1, sizeof buf, stdin);
        if (!buf_used)
            return EOF;
    }
    return buf[buf_at];
}

static int take(void)
{
    int c = peek();
    buf_at += c != EOF;
    return c;
}

/* Stop: reading on makes no sense. */
static void stop(const char *rule, const char *form, ...)
{
    char text[500];
    va_list args;
    va_start(args, form);
    vsnprintf(text, sizeof text, form, args);
    va_end(args);
    wrong(rule, "%s, at byte %" PRIu64, text, buf_before + buf_at);
    end(1);
}

static int next(void)           /* the first character after white space, which is not taken */
{
    int c;
    while ((c = peek()) == ' ' || c == '\t' || c == '\n' || c == '\r')
        buf_at++;
    return c;
}

static void expect(char want)
{
    int c = next();
    if (c != want)
        stop("json", c == EOF ? "the file ends, there should be a '%c'" : "there should be a '%c' and not a '%c'",
             want, c);
    buf_at++;
}

static int have(char c)
{
    if (next() != c)
        return 0;
    buf_at++;
    return 1;
}

typedef struct { char *s; size_t n, room; } Text;

static void add(Text *t, int c)
{
    GROW(t->s, t->n, t->room);
    t->s[t->n++] = (char)c;
}

/* Read a string into T, ended by a zero byte.  JSON's escapes are understood; in a trace, only those of ASCII
   characters can be right. */
static void string(Text *t)
{
    t->n = 0;
    expect('"');
    for (;;) {
        int c = take();
        if (c == EOF || c < ' ')
            stop("json", "a string without end");
        if (c == '"')
            break;
        if (c == '\\') {
            static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
            c = take();
            const char *p = c > 0 ? strchr(from, c) : NULL;
            if (c == 'u') {
                unsigned v = 0;
                for (int i = 0; i < 4; i++) {
                    c = take();
                    if (c == EOF || !isxdigit(c))
                        stop("json", "no \\uXXXX");
                    v = v * 16 + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
                }
                c = v && v < 128 ? (int)v : '?';
            } else if (p)
                c = to[p - from];
            else
                stop("json", "no such escape");
        }
        add(t, c);
    }
    add(t, 0);
    t->n--;
}

/* Read a number in either form of the specification, of which this project uses one. */
static u64 integer(const char *what)
{
    static Text t;
    u64 v = 0;
    if (next() == '"') {
        string(&t);
        char *tail;
        v = strtoull(t.s, &tail, 0);
        if (*tail || !isdigit((unsigned char)t.s[0]))
            stop("value-form", "%s is \"%s\"", what, t.s);
        wrong("value-form", "%s is the string \"%s\"", what, t.s);
        return v;
    }
    int c = peek(), zero = c == '0', digits = 0;
    while ((c = peek()) != EOF && isdigit(c)) {
        if (v > (UINT64_MAX - 9) / 10 || (zero && digits))
            stop("value-form", "%s is no number", what);
        v = v * 10 + (u64)(take() - '0');
        digits++;
    }
    if (!digits || c == '.' || c == 'e' || c == 'E' || c == '-')
        stop("value-form", "%s is no positive integer", what);
    return v;
}

static u32 id(const char *what)
{
    u64 v = integer(what);
    if (v < 1 || v > MAX_ID)
        stop("value-form", "%s is %" PRIu64 ", which is no id", what, v);
    return (u32)v;
}

/* Read the header of a table: [ "A", "B" ]; the table's bracket is taken, too. */
static void header(const char *table, const char *const *columns)
{
    static Text t;
    expect('[');
    expect('[');
    for (int i = 0; columns[i]; i++) {
        if (i && !have(','))
            stop("columns", "%s has no column %s", table, columns[i]);
        if (next() == ']')
            stop("columns", "%s has no column %s", table, columns[i]);
        string(&t);
        if (strcmp(t.s, columns[i]))
            stop("columns", "%s has the column %s, should have %s", table, t.s, columns[i]);
    }
    if (next() == ',')
        stop("columns", "%s has too many columns", table);
    expect(']');
}

/* Return whether there is another row.  Its bracket is taken; or the table's. */
static int row(void)
{
    if (have(',')) {
        expect('[');
        return 1;
    }
    expect(']');
    return 0;
}

static void comma(const char *table)
{
    if (next() == ']')
        stop("row-length", "a row of %s is too short", table);
    expect(',');
}

static void row_ends(const char *table)
{
    if (next() == ',')
        stop("row-length", "a row of %s is too long", table);
    expect(']');
}
