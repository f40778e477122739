/* The path of a run through collected code, from its path through all code.

       contract TABLE IDS MAP NEW_TABLE NEW_IDS

   TABLE is the whole run's DCFG in the form of trace_table.py.  IDS is one thread's sequence of its edges in the form
   of trace_decode.c: ids of 32 bits, low byte first.  MAP has a line "NODE NEW_NODE" for each collected block, with the
   same block of the other DCFG, whose table is NEW_TABLE.  All other blocks are excluded code.

   The program follows IDS.  From one collected block to the next there is one edge of the other DCFG: the same edge, if
   no block is between, or one of type EXCLUDED_CODE_BYPASS.  NEW_IDS becomes the sequence of these edges, from ENTRY to
   EXIT; it is empty if there is no collected block.  An edge is reported if NEW_TABLE does not have it, or has it with
   another type than the first one, in the format's order, that was due for it.  Exit status 1 if there is any. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The edge types in the format's order that may join blocks here. */
static const char *const types[] = {
    "ENTRY", "EXIT", "DIRECT_CALL", "INDIRECT_CALL", "RETURN", "CALL_BYPASS", "DIRECT_CONDITIONAL_BRANCH",
    "INDIRECT_CONDITIONAL_BRANCH", "DIRECT_UNCONDITIONAL_BRANCH", "INDIRECT_UNCONDITIONAL_BRANCH", "REP", "FALL_THROUGH",
    "SYSTEM_CALL_BYPASS", "CONTEXT_CHANGE", "CONTEXT_CHANGE_RETURN", "CONTEXT_CHANGE_BYPASS", "EXCLUDED_CODE_BYPASS",
    "UNKNOWN"
};
enum { N_TYPES = sizeof types / sizeof *types, EXIT = 1, EXCLUDED = 16 };

typedef struct Edge {
    uint32_t id, from, to;
    int type, due;              /* due: N_TYPES if the edge was never taken */
} Edge;

typedef struct Graph {
    uint32_t start, end;
    Edge *edges;                /* by id */
    uint32_t n;
} Graph;

static void fail(const char *what, const char *where)
{
    fprintf(stderr, "contract: %s: %s\n", where, what);
    exit(2);
}

static void *need(void *p)
{
    if (!p)
        fail("out of memory", "");
    return p;
}

static FILE *open_or_fail(const char *name, const char *mode)
{
    FILE *f = fopen(name, mode);
    if (!f) {
        perror(name);
        exit(2);
    }
    return f;
}

static int type_number(const char *name)
{
    int i = 0;
    while (i < N_TYPES && strcmp(types[i], name))
        i++;
    if (i == N_TYPES)
        fail("an edge of a type that it should not have", name);
    return i;
}

static Graph read_graph(const char *name)
{
    Graph g = { 0 };
    FILE *f = open_or_fail(name, "r");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, f) > 0) {
        uint32_t id, from, to;
        char type[64];
        if (sscanf(line, "S %" SCNu32 " %" SCNu32, &from, &to) == 2) {
            g.start = from;
            g.end = to;
        } else if (sscanf(line, "E %" SCNu32 " %" SCNu32 " %" SCNu32 " %63s", &id, &from, &to, type) == 4) {
            while (id >= g.n) {
                uint32_t n = 2 * g.n + 64;
                g.edges = need(realloc(g.edges, n * sizeof *g.edges));
                memset(g.edges + g.n, 0, (n - g.n) * sizeof *g.edges);
                g.n = n;
            }
            g.edges[id] = (Edge){ id, from, to, type_number(type), N_TYPES };
        }
    }
    free(line);
    fclose(f);
    return g;
}

static uint32_t *map, map_room;

static void read_map(const char *name)
{
    FILE *f = open_or_fail(name, "r");
    uint32_t node, new_node;
    while (fscanf(f, "%" SCNu32 " %" SCNu32, &node, &new_node) == 2) {
        while (node >= map_room) {
            uint32_t n = 2 * map_room + 64;
            map = need(realloc(map, n * sizeof *map));
            memset(map + map_room, 0, (n - map_room) * sizeof *map);
            map_room = n;
        }
        map[node] = new_node;
    }
    fclose(f);
}

/* The other DCFG's edges by their ends. */
static Edge **by_ends;
static size_t by_ends_size;

static Edge **place(uint32_t from, uint32_t to)
{
    size_t i = (size_t)((((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u) >> 20) & (by_ends_size - 1);
    while (by_ends[i] && (by_ends[i]->from != from || by_ends[i]->to != to))
        i = (i + 1) & (by_ends_size - 1);
    return &by_ends[i];
}

static void index_edges(Graph *g)
{
    by_ends_size = 64;
    while (by_ends_size < 2 * (size_t)g->n)
        by_ends_size *= 2;
    by_ends = need(calloc(by_ends_size, sizeof *by_ends));
    for (uint32_t i = 0; i < g->n; i++)
        if (g->edges[i].id)
            *place(g->edges[i].from, g->edges[i].to) = &g->edges[i];
}

static FILE *out;
static int wrong;

static void walk(uint32_t from, uint32_t to, int type, uint64_t at)
{
    Edge *e = *place(from, to);
    if (!e) {
        if (wrong++ < 10)
            printf("no edge from %" PRIu32 " to %" PRIu32 ", %s, at place %" PRIu64 "\n", from, to, types[type], at);
        return;
    }
    if (type < e->due)
        e->due = type;
    unsigned char b[4] = { e->id & 255, e->id >> 8 & 255, e->id >> 16 & 255, e->id >> 24 };
    if (fwrite(b, 1, 4, out) != 4)
        fail("cannot be written", "output");
}

int main(int argc, char **argv)
{
    if (argc != 6)
        fail("five arguments are due", "usage");
    Graph whole = read_graph(argv[1]), part = read_graph(argv[4]);
    FILE *ids = open_or_fail(argv[2], "rb");
    read_map(argv[3]);
    index_edges(&part);
    out = open_or_fail(argv[5], "wb");

    uint32_t here = part.start;
    int between = 0;            /* has a block been excluded since? */
    unsigned char b[4];
    uint64_t at = 0;
    for (; fread(b, 1, 4, ids) == 4; at++) {
        uint32_t id = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
        if (id >= whole.n || !whole.edges[id].id)
            fail("an id that the table does not have", argv[2]);
        const Edge *e = &whole.edges[id];
        uint32_t to = e->to == whole.end ? part.end : e->to < map_room ? map[e->to] : 0;
        if (!to) {
            between = 1;
            continue;
        }
        if (here == part.start && to == part.end)
            break;
        walk(here, to, here == part.start ? 0 : to == part.end ? EXIT : between ? EXCLUDED : e->type, at);
        here = to;
        between = 0;
    }
    if (fclose(out))
        fail("cannot be written", argv[5]);
    for (uint32_t i = 0; i < part.n; i++)
        if (part.edges[i].due != N_TYPES && part.edges[i].due != part.edges[i].type && wrong++ < 10)
            printf("edge %" PRIu32 " from %" PRIu32 " to %" PRIu32 " is %s, not %s\n", i, part.edges[i].from,
                   part.edges[i].to, types[part.edges[i].type], types[part.edges[i].due]);
    return wrong != 0;
}
