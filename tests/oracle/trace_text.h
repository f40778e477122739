/* The text of a DCFG-trace for trace_decode.c: the dictionary, legal sequences of characters, and the bits of a
   sequence.  A sequence is never expanded as a whole: a stack of places in texts (Place) gives its characters one after
   the other, and each character gives six bits.  trace_read.h is included before; begin_alphabet() is called first. */

/* ---- sequences of characters ----------------------------------------------------------------------------------- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
static signed char value[256];  /* value of a character of the alphabet; else -1 */

static void begin_alphabet(void)
{
    memset(value, -1, sizeof value);
    for (int i = 0; i < 64; i++)
        value[(unsigned char)alphabet[i]] = (signed char)i;
}

typedef struct { char *key, *text; size_t n; int state; u64 used; } Entry;

static Entry *entries;
static u32 n_entries, entries_room;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->key, ((const Entry *)b)->key);
}

/* Return the entry whose key begins at P and ends before '>'. */
static Entry *entry_at(const char *p)
{
    u32 low = 0, high = n_entries;
    while (low < high) {
        u32 mid = (low + high) / 2;
        const char *k = entries[mid].key;
        size_t i = 0;
        while (k[i] && k[i] == p[i])
            i++;
        unsigned a = (unsigned char)k[i], b = p[i] == '>' ? 0 : (unsigned char)p[i];
        if (a == b)
            return &entries[mid];
        if (a < b)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* Return whether it is a legal sequence; if not, RULE is broken. */
static int legal(const char *rule, const char *where, const Text *t)
{
    u64 depth = 0;
    for (const char *p = t->s, *last = p + t->n; p < last; p++) {
        if (value[(unsigned char)*p] >= 0)
            continue;
        if (*p == '(') {
            const char *d = p + 1;
            u64 m = 0;
            while (isdigit((unsigned char)*d)) {
                if (m > UINT32_MAX) {
                    wrong(rule, "%s: a repetition of more than 32 bits, character %td", where, p - t->s);
                    return 0;
                }
                m = m * 10 + (u64)(*d++ - '0');
            }
            if (d == p + 1 || *d != '*') {
                wrong(rule, "%s: '(' without number and '*', character %td", where, p - t->s);
                return 0;
            }
            if (!m || d[1] == ')') {
                wrong(rule, "%s: a repetition of nothing, character %td", where, p - t->s);
                return 0;
            }
            depth++;
            p = d;
        } else if (*p == ')') {
            if (!depth--) {
                wrong(rule, "%s: ')' without '(', character %td", where, p - t->s);
                return 0;
            }
        } else if (*p == '<') {
            const char *k = p + 1;
            while (k < last && value[(unsigned char)*k] >= 0)
                k++;
            if (k == last || *k != '>') {
                wrong(rule, "%s: '<' without key and '>', character %td", where, p - t->s);
                return 0;
            }
            Entry *e = entry_at(p + 1);
            if (!e) {
                wrong("dictionary-reference", "%s: no key %.*s", where, (int)(k - p - 1), p + 1);
                return 0;
            }
            e->used++;
            p = k;
        } else {
            wrong(rule, "%s: the character '%c', number %td", where, *p, p - t->s);
            return 0;
        }
    }
    if (depth)
        wrong(rule, "%s: %" PRIu64 " '(' without ')'", where, depth);
    return !depth;
}

/* Check that E does not lead back to itself. */
static void follow(Entry *e)
{
    if (e->state == 2)
        return;
    if (e->state == 1) {
        wrong("dictionary-circular", "%s refers to itself", e->key);
        end(1);
    }
    e->state = 1;
    for (const char *p = e->text; (p = strchr(p, '<')) != NULL; p++) {
        Entry *to = entry_at(p + 1);
        if (to)
            follow(to);
    }
    e->state = 2;
}

static char *copy(const Text *t)
{
    char *s = need(malloc(t->n + 1));
    memcpy(s, t->s, t->n + 1);
    return s;
}

static void read_dictionary(void)
{
    static Text t;
    expect('{');
    if (!have('}'))
        do {
            GROW(entries, n_entries, entries_room);
            Entry *e = &entries[n_entries];
            *e = (Entry){ 0 };
            string(&t);
            e->key = copy(&t);
            expect(':');
            if (next() != '"')
                stop("value-form", "the dictionary's %s is no string", e->key);
            string(&t);
            e->text = copy(&t);
            e->n = t.n;
            for (const char *p = e->key; *p; p++)
                if (value[(unsigned char)*p] < 0)
                    stop("dictionary-key", "the key \"%s\"", e->key);
            if (!*e->key)
                stop("dictionary-key", "an empty key");
            n_entries++;
            if (next() != ',' && next() != '}')
                expect(',');
        } while (have(',') || (expect('}'), 0));
    qsort(entries, n_entries, sizeof *entries, by_key);
    for (u32 i = 1; i < n_entries; i++)
        if (!strcmp(entries[i - 1].key, entries[i].key))
            stop("dictionary-key", "the key %s stands twice", entries[i].key);
    int good = 1;
    for (u32 i = 0; i < n_entries; i++) {
        Text e = { entries[i].text, entries[i].n, 0 };
        char where[100];
        snprintf(where, sizeof where, "dictionary entry %.60s", entries[i].key);
        good &= legal("dictionary-text", where, &e);
        if (!e.n) {
            wrong("dictionary-text", "%s is empty", where);
            good = 0;
        }
    }
    if (!good)
        end(1);
    for (u32 i = 0; i < n_entries; i++)
        follow(&entries[i]);
}

/* ---- bits ------------------------------------------------------------------------------------------------------ */

/* Place: where to continue in a text; in a repetition, again from `from' while `left' is not 0. */
typedef struct { const char *at, *from; u64 left; } Place;

static Place *stack;
static u32 depth, stack_room;
static unsigned bits, n_bits;   /* unused bits of the present character */
static u64 n_chars;             /* expanded characters of the chunk */

static void begin_text(const char *text)
{
    depth = 0;
    n_bits = 0;
    n_chars = 0;
    GROW(stack, depth, stack_room);
    stack[depth++] = (Place){ .at = text };
}

/* Return the next character's value, or -1 at the end.  A place on the stack is in a text; each repetition around it
   has a place of its own. */
static int character(void)
{
    while (depth) {
        Place *p = &stack[depth - 1];
        char c = *p->at++;
        int v = value[(unsigned char)c];
        if (v >= 0) {
            n_chars++;
            return v;
        }
        if (c == 0)
            depth--;
        else if (c == '(') {
            char *body;
            u64 m = strtoull(p->at, &body, 10);
            GROW(stack, depth, stack_room);
            stack[depth++] = (Place){ .at = body + 1, .from = body + 1, .left = m - 1 };
        } else if (c == ')') {
            if (p->left) {
                p->left--;
                p->at = p->from;
            } else {
                const char *after = p->at;
                depth--;
                stack[depth - 1].at = after;
            }
        } else {                                /* '<' */
            const Entry *e = entry_at(p->at);
            p->at = strchr(p->at, '>') + 1;
            GROW(stack, depth, stack_room);
            stack[depth++] = (Place){ .at = e->text };
        }
    }
    return -1;
}

static int bit(void)
{
    if (!n_bits) {
        int v = character();
        if (v < 0)
            return -1;
        bits = (unsigned)v;
        n_bits = 6;
    }
    return bits >> --n_bits & 1;
}
