/* Reads a DCFG-trace by the specification's part 3, and reports broken rules.

       trace_decode [OPTIONS] < TRACE

         --table=TABLE      the DCFG in the form of trace_table.py; without it the trace is decoded and nothing is compared
         --threads=LIST     the threads that the trace must have, such as 0,2; else all that ran
         --chunk=N          each chunk but a thread's last must have N edges
         --out=PREFIX       writes each thread's edge ids to PREFIX.THREAD, each as 32 bits, low byte first
         --chunks           prints a line for each chunk

   Violations go to stdout as lines "RULE: TEXT", at most 10 of each rule, followed by a line that sums up.  Exit status
   0: no violation; 1: some; 2: an error of the command line or the machine.

   This is the reader that the specification has in mind: one pass from the first byte to the last, with the dictionary,
   the transition table and one chunk's text in memory.  It knows only the required order, and gives up at another
   order. Each edge has a binary tree of the code words that can follow it.  The walk through the tree takes one bit
   after another (trace_text.h), and a leaf is a row of the table. */

#include "trace_read.h"
#include "trace_text.h"

/* ---- edges ----------------------------------------------------------------------------------------------------- */

typedef struct {
    u32 id, source, target;     /* node ids of the DCFG */
    u32 source_instrs;
    u32 tree;                   /* code words that can follow; 0: none */
    u32 rows;                   /* number of the table's rows that begin here */
    u32 known;                  /* does the DCFG have it? */
    u64 *count;                 /* from the DCFG, for each thread */
    u64 total, met;             /* all threads'. */
} Edge;

static Edge *edges;             /* [0] is unused */
static u32 n_edges = 1, edges_room;
static u32 *edge_hash, edge_hash_size;

static u32 *edge_slot(u32 edge_id)
{
    u32 i = edge_id * 2654435761u & (edge_hash_size - 1);
    while (edge_hash[i] && edges[edge_hash[i]].id != edge_id)
        i = (i + 1) & (edge_hash_size - 1);
    return &edge_hash[i];
}

static u32 edge(u32 edge_id)
{
    if (2 * n_edges >= edge_hash_size) {
        edge_hash_size = edge_hash_size ? 2 * edge_hash_size : 1 << 10;
        free(edge_hash);
        edge_hash = need(calloc(edge_hash_size, sizeof *edge_hash));
        for (u32 i = 1; i < n_edges; i++)
            *edge_slot(edges[i].id) = i;
    }
    u32 *slot = edge_slot(edge_id);
    if (!*slot) {
        while (n_edges >= edges_room)
            GROW(edges, edges_room, edges_room);
        *slot = n_edges;
        edges[n_edges++] = (Edge){ .id = edge_id };
    }
    return *slot;
}

/* ---- the DCFG -------------------------------------------------------------------------------------------------- */

static int have_table;
static u64 dcfg_pid, *thread_instrs;
static u32 n_threads, start_node, end_node;

static void read_table(const char *name)
{
    FILE *f = fopen(name, "r");
    if (!f) {
        perror(name);
        exit(2);
    }
    typedef struct { u32 id, instrs; } Node;
    Node *nodes = NULL;
    u32 n_nodes = 0, room = 0, n = 0;
    char *line = NULL;
    size_t line_room = 0;
    while (getline(&line, &line_room, f) > 0) {
        char *p = line + 1;
        if (line[0] == 'P') {
            dcfg_pid = strtoull(p, &p, 10);
            n_threads = (u32)strtoul(p, &p, 10);
            thread_instrs = need(calloc(n_threads + 1, sizeof *thread_instrs));
        } else if (line[0] == 'S') {
            start_node = (u32)strtoul(p, &p, 10);
            end_node = (u32)strtoul(p, &p, 10);
        } else if (line[0] == 'I' && n < n_threads) {
            thread_instrs[n++] = strtoull(p, &p, 10);
        } else if (line[0] == 'N') {
            GROW(nodes, n_nodes, room);
            nodes[n_nodes].id = (u32)strtoul(p, &p, 10);
            strtoull(p, &p, 16);
            strtoul(p, &p, 10);
            nodes[n_nodes++].instrs = (u32)strtoul(p, &p, 10);
        } else if (line[0] == 'E') {
            u32 i = edge((u32)strtoul(p, &p, 10));
            Edge *e = &edges[i];
            e->known = 1;
            e->source = (u32)strtoul(p, &p, 10);
            e->target = (u32)strtoul(p, &p, 10);
            p += strspn(p, " ");
            p += strcspn(p, " ");
            e->count = need(calloc(n_threads + 1, sizeof *e->count));
            for (u32 t = 0; t < n_threads; t++)
                e->total += e->count[t] = strtoull(p, &p, 10);
        }
    }
    free(line);
    fclose(f);
    u32 top = 0, *instrs;
    for (u32 i = 0; i < n_nodes; i++)
        top = nodes[i].id > top ? nodes[i].id : top;
    instrs = need(calloc((size_t)top + 1, sizeof *instrs));
    for (u32 i = 0; i < n_nodes; i++)
        instrs[nodes[i].id] = nodes[i].instrs;
    for (u32 i = 1; i < n_edges; i++)
        edges[i].source_instrs = edges[i].source <= top ? instrs[edges[i].source] : 0;
    free(instrs);
    free(nodes);
    have_table = 1;
}

/* ---- the transition table -------------------------------------------------------------------------------------- */

typedef struct { u32 child[2]; u32 row; } Branch;       /* a row is a leaf's, as index + 1 */
typedef struct { u32 first, n; u64 used; } Row;         /* edges of `nexts' */

static Branch *trees;           /* [0] is unused */
static Row *rows;
static u32 *nexts;
static u32 n_trees = 1, trees_room, n_rows, rows_room, n_nexts, nexts_room;
static int rows_broken;         /* so nothing can be decoded */

static u32 new_branch(void)
{
    while (n_trees >= trees_room)
        GROW(trees, trees_room, trees_room);
    trees[n_trees] = (Branch){ { 0, 0 }, 0 };
    return n_trees++;
}

/* Return whether the code and another one of this edge are equal when both are filled up with zeros to 32 bits. */
static int padded_same(u32 at, const char *code)
{
    for (u32 t = at; t;) {
        if (trees[t].row) {
            while (*code == '0')
                code++;
            if (!*code)
                return 1;
        }
        t = *code ? trees[t].child[*code++ - '0'] : trees[t].child[0];
    }
    return 0;
}

static void add_code(u32 e, const char *code, u32 r)
{
    if (!edges[e].tree) {
        u32 t = new_branch();
        edges[e].tree = t;
    }
    u32 t = edges[e].tree;
    if (padded_same(t, code)) {
        wrong("code-unique", "edge %u: code \"%s\", padded, is another one", edges[e].id, code);
        rows_broken = 1;
        return;
    }
    for (const char *p = code; ; p++) {
        if (trees[t].row || (!*p && (trees[t].child[0] || trees[t].child[1]))) {
            wrong("code-prefix", "edge %u: code \"%s\" and another, one begins as the other", edges[e].id, code);
            rows_broken = 1;
            return;
        }
        if (!*p)
            break;
        if (!trees[t].child[*p - '0']) {
            u32 child = new_branch();
            trees[t].child[*p - '0'] = child;
        }
        t = trees[t].child[*p - '0'];
    }
    trees[t].row = r + 1;
}

static void read_transitions(void)
{
    static const char *const columns[] = { "CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS", NULL };
    static Text code;
    header("TRANSITION_TABLE", columns);
    while (row()) {
        u32 current = edge(id("CURRENT_EDGE_ID")), before = current, first = n_nexts;
        comma("TRANSITION_TABLE");
        if (next() != '"')
            stop("value-form", "TRANSITION_CODE is no string");
        string(&code);
        comma("TRANSITION_TABLE");
        if (have_table && !edges[current].known) {
            wrong("row-edge", "row %u: there is no edge %u", n_rows, edges[current].id);
            rows_broken = 1;
        }
        expect('[');
        if (!have(']'))
            do {
                u32 e = edge(id("NEXT_EDGE_IDS"));
                if (have_table && (!edges[e].known || !edges[e].total)) {
                    wrong("row-edge", edges[e].known ? "row %u: edge %u was never traversed"
                          : "row %u: there is no edge %u", n_rows, edges[e].id);
                    rows_broken = 1;
                } else if (have_table && edges[before].known && edges[before].target != edges[e].source) {
                    wrong("row-path", "row %u: edge %u cannot follow %u", n_rows, edges[e].id, edges[before].id);
                    rows_broken = 1;
                }
                before = e;
                GROW(nexts, n_nexts, nexts_room);
                nexts[n_nexts++] = e;
            } while (have(',') || (expect(']'), 0));
        row_ends("TRANSITION_TABLE");

        size_t digits = strspn(code.s, "01");
        if (digits != code.n || digits > 32) {
            wrong("code-form", "row %u: the code \"%.80s\"", n_rows, code.s);
            rows_broken = 1;
        } else if (first == n_nexts) {
            wrong("row-empty", "row %u has no NEXT_EDGE_IDS", n_rows);
            rows_broken = 1;
        } else
            add_code(current, code.s, (u32)n_rows);
        GROW(rows, n_rows, rows_room);
        rows[n_rows++] = (Row){ .first = first, .n = n_nexts - first };
        edges[current].rows++;
    }
    for (u32 e = 1; e < n_edges; e++)
        if (edges[e].rows == 1 && edges[e].tree && !trees[edges[e].tree].row)
            wrong("code-free", "edge %u has a single row and needs no bits, but has some", edges[e].id);
}

/* ---- chunks and threads ---------------------------------------------------------------------------------------- */

static u64 want_chunk;
static const char *want_threads, *out_prefix;
static int print_chunks;
static FILE *out;
static u64 all_edges, all_bits, all_chunks, all_chars, all_text, all_threads;
static u64 n_overshoot;         /* rows that a chunk's end has cut */

static void put(u32 edge_id)
{
    static unsigned char b[4];
    b[0] = (unsigned char)edge_id;
    b[1] = (unsigned char)(edge_id >> 8);
    b[2] = (unsigned char)(edge_id >> 16);
    b[3] = (unsigned char)(edge_id >> 24);
    if (fwrite(b, 1, 4, out) != 4) {
        perror("trace_decode: write");
        exit(2);
    }
}

typedef struct { u64 thread, chunk; u32 last; u64 instrs, edges; int broken; } Thread;

/* Take an edge.  Return 0 if that is not possible. */
static inline u64 traverse(Thread *t, u32 e)
{
    edges[e].met++;
    t->edges++;
    t->last = e;
    if (out)
        put(edges[e].id);
    return edges[e].source_instrs;
}

/* Decode the edges of a chunk after its first.  Return 0 if the bits are wrong. */
static int decode(Thread *t, const char *where, u64 n, const char *text, u64 *instrs)
{
    begin_text(text);
    while (n) {
        u32 b = edges[t->last].tree;
        u64 from = n_chars;
        while (b && !trees[b].row) {
            int v = bit();
            if (v < 0) {
                wrong("decode-short", "%s: the text ends %" PRIu64 " edges early, after edge %u", where, n,
                      edges[t->last].id);
                return 0;
            }
            b = trees[b].child[v];
        }
        if (!b) {
            wrong("decode-code", "%s: %" PRIu64 " edges before its end, edge %u, character %" PRIu64
                  " of the expanded text: no code word", where, n, edges[t->last].id, from);
            return 0;
        }
        Row *r = &rows[trees[b].row - 1];
        r->used++;
        u32 i;
        for (i = 0; i < r->n && n; i++, n--)
            *instrs += traverse(t, nexts[r->first + i]);
        n_overshoot += i < r->n;
    }
    all_bits += 6 * n_chars - n_bits;
    int more = character();
    if (more >= 0) {
        u64 chars = 1;
        while (chars < 1000000 && character() >= 0)
            chars++;
        wrong("decode-long", "%s: %" PRIu64 " characters are left", where, chars);
        return 0;
    }
    return 1;
}

static void read_chunk(Thread *t, int *last_size_bad)
{
    static Text text;
    char where[80];
    snprintf(where, sizeof where, "thread %" PRIu64 " chunk %" PRIu64, t->thread, t->chunk);
    u64 preceding = integer("PRECEDING_INSTR_COUNT");
    comma("TRACE_DATA");
    u64 count = integer("INSTR_COUNT");
    comma("TRACE_DATA");
    u64 n = integer("EDGE_COUNT");
    comma("TRACE_DATA");
    u64 first_id = n ? id("FIRST_EDGE_ID") : integer("FIRST_EDGE_ID");
    comma("TRACE_DATA");
    if (next() != '"')
        stop("value-form", "EDGE_ID_SEQUENCE is no string");
    string(&text);
    row_ends("TRACE_DATA");

    if (*last_size_bad)
        wrong("chunk-size", "%s before another one", where);
    *last_size_bad = 0;
    if (!n)
        wrong("chunk-empty", "%s", where);
    else if (want_chunk && n > want_chunk)
        wrong("chunk-size", "%s has %" PRIu64 " edges", where, n);
    else if (want_chunk && n < want_chunk)
        *last_size_bad = 1;
    if (preceding != t->instrs && !t->broken)
        wrong("chunk-preceding", "%s: %" PRIu64 ", should be %" PRIu64, where, preceding, t->instrs);
    u64 instrs = 0, chars = 0;
    int good = n && !rows_broken && legal("chunk-text", where, &text);
    if (n) {
        u32 first = edge((u32)first_id);
        if (have_table && (!edges[first].known || !edges[first].total)) {
            wrong("chunk-first", edges[first].known ? "%s: edge %" PRIu64 " was never traversed"
                  : "%s: there is no edge %" PRIu64, where, first_id);
            good = 0;
        } else if (have_table && t->chunk == 0 && edges[first].source != start_node)
            wrong("entry", "%s begins with edge %" PRIu64 ", which does not leave START", where, first_id);
        else if (have_table && t->chunk && !t->broken && edges[first].source != edges[t->last].target)
            wrong("chunk-first", "%s: edge %" PRIu64 " cannot follow %u", where, first_id, edges[t->last].id);
        if (good) {
            u64 bits_before = all_bits;
            instrs = traverse(t, first);
            if (n > 1)
                good = decode(t, where, n - 1, text.s, &instrs);
            else if (text.n) {
                wrong("decode-long", "%s: one edge, but \"%.60s\"", where, text.s);
                good = 0;
            } else
                n_chars = 0;
            chars = n_chars;
            if (print_chunks)
                printf("chunk %" PRIu64 " %" PRIu64 ": preceding %" PRIu64 " instrs %" PRIu64 " edges %" PRIu64
                       " first %" PRIu64 " bits %" PRIu64 " expanded %" PRIu64 " text %zu\n", t->thread, t->chunk,
                       preceding, count, n, first_id, all_bits - bits_before, chars, text.n);
        }
    }
    if (!good)
        t->broken = 1;
    else if (have_table && instrs != count)
        wrong("chunk-instrs", "%s: INSTR_COUNT %" PRIu64 ", its edges have %" PRIu64, where, count, instrs);
    t->instrs = preceding + count;
    t->chunk++;
    all_chunks++;
    all_edges += n;
    all_chars += chars;
    all_text += text.n;
}

static void thread_ends(Thread *t)
{
    if (out && fclose(out)) {
        perror("trace_decode: write");
        exit(2);
    }
    out = NULL;
    if (have_table && t->thread < n_threads && !t->broken) {
        if (!t->chunk && thread_instrs[t->thread]) {
            wrong("thread-missing", "thread %" PRIu64 " has no chunk", t->thread);
            return;
        }
        if (t->chunk && edges[t->last].target != end_node)
            wrong("exit", "thread %" PRIu64 " ends with edge %u, which does not go to END", t->thread,
                  edges[t->last].id);
        if (t->instrs != thread_instrs[t->thread])
            wrong("thread-instrs", "thread %" PRIu64 ": %" PRIu64 " in its chunks, the DCFG has %" PRIu64, t->thread,
                  t->instrs, thread_instrs[t->thread]);
        for (u32 e = 1; e < n_edges; e++)
            if (edges[e].known && edges[e].met != edges[e].count[t->thread])
                wrong("edge-count", "thread %" PRIu64 " edge %u: %" PRIu64 " times in the trace, %" PRIu64
                      " in the DCFG", t->thread, edges[e].id, edges[e].met, edges[e].count[t->thread]);
    }
    for (u32 e = 1; e < n_edges; e++)
        edges[e].met = 0;
}

static int listed(const char *list, u64 t)
{
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strtoull(p, NULL, 10) == t)
            return 1;
    return 0;
}

static void read_threads(void)
{
    static const char *const columns[] = { "THREAD_ID", "TRACE_DATA", NULL };
    static const char *const chunk_columns[] = { "PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID",
                                                 "EDGE_ID_SEQUENCE", NULL };
    char *seen = need(calloc(n_threads + 1, 1));
    u64 before = 0;
    header("THREAD_DATA", columns);
    while (row()) {
        Thread t = { .thread = integer("THREAD_ID") };
        comma("THREAD_DATA");
        if (all_threads++ && t.thread <= before)
            wrong(t.thread == before || (have_table && t.thread < n_threads && seen[t.thread]) ? "thread-repeated"
                  : "thread-order", "thread %" PRIu64 " follows %" PRIu64, t.thread, before);
        before = t.thread;
        if (have_table && t.thread >= n_threads) {
            wrong("thread-unknown", "thread %" PRIu64 ", the DCFG has %u", t.thread, n_threads);
            t.broken = 1;
        } else if (have_table)
            seen[t.thread] = 1;
        if (want_threads && !listed(want_threads, t.thread))
            wrong("thread-unwanted", "thread %" PRIu64, t.thread);
        if (out_prefix) {
            char name[4096];
            snprintf(name, sizeof name, "%s.%" PRIu64, out_prefix, t.thread);
            out = fopen(name, "wb");
            if (!out) {
                perror(name);
                exit(2);
            }
        }
        header("TRACE_DATA", chunk_columns);
        int last_size_bad = 0;
        while (row())
            read_chunk(&t, &last_size_bad);
        row_ends("THREAD_DATA");
        thread_ends(&t);
    }
    for (u32 t = 0; t < n_threads; t++)
        if (!seen[t] && thread_instrs[t] && (!want_threads || listed(want_threads, t)))
            wrong("thread-missing", "thread %u, which ran %" PRIu64 " instructions", t, thread_instrs[t]);
    free(seen);
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static void key(const char *want)
{
    static Text t;
    if (next() != '"')
        stop("top-keys", "there should be the key %s", want);
    string(&t);
    if (strcmp(t.s, want))
        stop("top-keys", "the key %s, should be %s", t.s, want);
    expect(':');
}

static void version(const char *which, u64 want)
{
    key(which);
    u64 v = integer(which);
    if (v != want)
        wrong("version", "%s is %" PRIu64, which, v);
    if (!have(','))
        stop("top-keys", "nothing follows %s", which);
}

static void read_file(void)
{
    static const char *const columns[] = { "PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA", NULL };
    u64 processes = 0;
    expect('{');
    version("MAJOR_VERSION", 1);
    version("MINOR_VERSION", 0);
    key("PROCESSES");
    header("PROCESSES", columns);
    while (row()) {
        if (processes++)
            stop("processes", "a second process");
        u64 pid = integer("PROCESS_ID");
        if (have_table && pid != dcfg_pid)
            wrong("process-id", "%" PRIu64 ", the DCFG has %" PRIu64, pid, dcfg_pid);
        comma("PROCESSES");
        read_dictionary();
        comma("PROCESSES");
        read_transitions();
        comma("PROCESSES");
        read_threads();
        row_ends("PROCESSES");
    }
    if (!processes)
        wrong("processes", "none");
    if (next() == ',')
        stop("top-keys", "something follows PROCESSES");
    expect('}');
    if (next() != EOF)
        stop("json", "something follows the end");
}

int main(int argc, char **argv)
{
    begin_alphabet();
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strncmp(a, "--table=", 8))
            read_table(a + 8);
        else if (!strncmp(a, "--threads=", 10))
            want_threads = a + 10;
        else if (!strncmp(a, "--chunk=", 8))
            want_chunk = strtoull(a + 8, NULL, 10);
        else if (!strncmp(a, "--out=", 6))
            out_prefix = a + 6;
        else if (!strcmp(a, "--chunks"))
            print_chunks = 1;
        else {
            fputs("usage: trace_decode [--table=TABLE] [--threads=LIST] [--chunk=N] [--out=PREFIX] [--chunks]"
                  " < TRACE\n", stderr);
            return 2;
        }
    }
    read_file();
    u64 idle_rows = 0, idle_entries = 0;
    for (u32 i = 0; i < n_rows; i++)
        idle_rows += !rows[i].used;
    for (u32 i = 0; i < n_entries; i++)
        idle_entries += !entries[i].used;
    printf("# threads %" PRIu64 " chunks %" PRIu64 " edges %" PRIu64 " bits %" PRIu64 " expanded %" PRIu64
           " text %" PRIu64 " rows %u idle-rows %" PRIu64 " entries %u idle-entries %" PRIu64 " overshoot %" PRIu64
           " bytes %" PRIu64 "\n", all_threads, all_chunks, all_edges, all_bits, all_chars, all_text, n_rows,
           idle_rows, n_entries, idle_entries, n_overshoot, buf_before + buf_at);
    end(0);
}
