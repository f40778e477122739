/* Finds the edges of a DCFG that Lackey's instruction trace takes, in order.

       valgrind --tool=lackey --trace-mem=yes --vex-guest-chase=no --log-fd=9 PROG 9>&1 >/dev/null
         | lackey_path TABLE OUT
       ...
         | lackey_path -c TABLE IDS

   OUT becomes the sequence of edge ids, ENTRY first and EXIT last, each as 32 bits, low byte first.  TABLE is the DCFG
   in the form of trace_table.py; the lines that are read are

       S START END                   the special nodes
       N ID ADDR SIZE INSTRS         a block, ADDR in hex
       E ID SOURCE TARGET ...        an edge

   Only these rules of the DCFG are needed: each block has an address of its own, execution runs through a block from
   its first instruction to its last, and then along an edge.  So the walk is always at one place in one block, and an
   instruction that cannot come next is an error, reported with its address.

   If code changes, one address has several blocks, and if an instruction faults, Lackey may name it although it has not
   completed.  Then the trace alone does not determine the path.  With -c, the path is given, in a file of the same
   form, and the program checks that Lackey's instructions are those of the path.  Between the blocks there may be
   further instructions: attempts that failed.  Their number is printed. */

#define PROGRAM "lackey_path"
#include "lackey_read.h"

#include <inttypes.h>

typedef struct Edge {
    uint32_t id;
    struct Node *from, *to;
    struct Edge *next;
} Edge;

typedef struct Node {
    uint64_t addr;
    uint32_t id, size, instrs;
    Edge *out;                  /* the one taken last in front */
} Node;

static Node *nodes;             /* in the table's order; the special ones first */
static uint32_t n_nodes;
static Node **at;               /* hash by address, open addressing */
static size_t at_size = 1 << 12;

static FILE *out;
static int compare;             /* -c: compare with the path in the file */
static uint64_t n_instrs, n_edges, n_failed;

/* ---- the table ------------------------------------------------------------------------------------------------- */

static Node **place(uint64_t addr)
{
    size_t i = (size_t)((addr * 0x9e3779b97f4a7c15u) >> 20) & (at_size - 1);
    while (at[i] && at[i]->addr != addr)
        i = (i + 1) & (at_size - 1);
    return &at[i];
}

static Node *by_id(uint32_t id)
{
    /* Ids ascend in a DCFG, but this program does not rely on it. */
    static uint32_t *index, room;
    if (!index) {
        for (uint32_t i = 0; i < n_nodes; i++)
            if (nodes[i].id >= room)
                room = nodes[i].id + 1;
        index = need(calloc(room, sizeof *index));
        for (uint32_t i = 0; i < n_nodes; i++)
            index[nodes[i].id] = i + 1;
    }
    if (id >= room || !index[id])
        fail("an edge of a node that is not in the table");
    return &nodes[index[id] - 1];
}

static Edge **edges;            /* by id, for -c */
static uint32_t n_edge_ids;

static void read_table(const char *name)
{
    FILE *f = fopen(name, "r");
    if (!f) {
        perror(name);
        exit(2);
    }
    char *line = NULL;
    size_t room = 0;
    uint32_t nodes_room = 0;
    while (getline(&line, &room, f) > 0) {
        uint32_t a, b, c;
        uint64_t addr;
        if (n_nodes + 2 > nodes_room) {
            if (line[0] == 'E')
                continue;
            nodes_room = nodes_room ? nodes_room * 2 : 1 << 12;
            nodes = need(realloc(nodes, nodes_room * sizeof *nodes));
        }
        if (sscanf(line, "S %" SCNu32 " %" SCNu32, &a, &b) == 2) {
            nodes[n_nodes++] = (Node){ .id = a };
            nodes[n_nodes++] = (Node){ .id = b };
        } else if (sscanf(line, "N %" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNu32, &a, &addr, &b, &c) == 4)
            nodes[n_nodes++] = (Node){ .id = a, .addr = addr, .size = b, .instrs = c };
    }
    if (n_nodes < 3)
        fail("no block in the table");
    while (at_size < 2 * (size_t)n_nodes)
        at_size *= 2;
    at = need(calloc(at_size, sizeof *at));
    for (uint32_t i = 2; i < n_nodes && !compare; i++) {
        Node **p = place(nodes[i].addr);
        if (*p) {
            fprintf(stderr, "lackey_path: two blocks at %" PRIx64 ": code that changes has no single walk\n",
                    nodes[i].addr);
            exit(2);
        }
        *p = &nodes[i];
    }
    rewind(f);
    while (getline(&line, &room, f) > 0) {
        uint32_t id, from, to;
        if (sscanf(line, "E %" SCNu32 " %" SCNu32 " %" SCNu32, &id, &from, &to) != 3)
            continue;
        Node *s = by_id(from);
        Edge *e = need(malloc(sizeof *e));
        *e = (Edge){ .id = id, .from = s, .to = by_id(to), .next = s->out };
        s->out = e;
        if (compare) {
            while (id >= n_edge_ids) {
                edges = need(realloc(edges, (2 * n_edge_ids + 64) * sizeof *edges));
                memset(edges + n_edge_ids, 0, (n_edge_ids + 64) * sizeof *edges);
                n_edge_ids = 2 * n_edge_ids + 64;
            }
            edges[id] = e;
        }
    }
    free(line);
    fclose(f);
}

/* ---- the walk -------------------------------------------------------------------------------------------------- */

static Node *here;              /* the block that execution is in */
static uint32_t done;           /* how many of its instructions have begun */
static uint64_t expected;       /* the next one's address while there is one */

static void finish_writing(void)
{
    if (!compare && fclose(out)) {
        perror("lackey_path: write");
        exit(2);
    }
}

static void lost(const char *why, uint64_t addr)
{
    fprintf(stderr, "lackey_path: %s: instruction %" PRIu64 " at %" PRIx64 ", in node %" PRIu32 " at %" PRIx64
            " after %" PRIu32 " of its %" PRIu32 " instructions; %" PRIu64 " edges so far\n",
            why, n_instrs, addr, here->id, here->addr, done, here->instrs, n_edges);
    finish_writing();
    exit(1);
}

static void put(uint32_t id)
{
    unsigned char b[4] = { id & 255, id >> 8 & 255, id >> 16 & 255, id >> 24 };
    if (fwrite(b, 1, 4, out) != 4) {
        perror("lackey_path: write");
        exit(2);
    }
}

/* Return the edge to another block, and move it to the front of the list. */
static Edge *edge_to(Node *from, const Node *to)
{
    for (Edge **link = &from->out, *e; (e = *link) != NULL; link = &e->next)
        if (e->to == to) {
            *link = e->next;
            e->next = from->out;
            return from->out = e;
        }
    return NULL;
}

/* Return the next edge of the path in the file. */
static Edge *given(void)
{
    static Edge *next;
    static uint64_t for_edge = UINT64_MAX;
    unsigned char b[4];
    if (for_edge == n_edges)
        return next;
    if (fread(b, 1, 4, out) != 4)
        return NULL;
    uint32_t id = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
    next = id < n_edge_ids ? edges[id] : NULL;
    if (!next)
        fail("the way has an edge that the table does not have");
    if (next->from != here)
        fail("the way is not connected");
    for_edge = n_edges;
    return next;
}

/* Go from the end of the block to another one. */
static void go(const Edge *e, uint32_t len)
{
    if (expected != here->addr + here->size)
        lost("the block's size is wrong", expected);
    n_edges++;
    here = e->to;
    done = 1;
    expected = here->addr + len;
}

static inline void executed(uint64_t addr, uint32_t len)
{
    n_instrs++;
    if (done < here->instrs) {
        if (addr != expected)
            lost("left in the middle of a block", addr);
        done++;
        expected += len;
    } else if (compare) {
        Edge *e = given();
        if (e && e->to != &nodes[1] && e->to->addr == addr)
            go(e, len);
        else
            n_failed++;
    } else {
        Edge *e = here->out;
        if (!e || e->to->addr != addr) {
            Node *to = *place(addr);
            e = to ? edge_to(here, to) : NULL;
            if (!e)
                lost(to ? "no such edge" : "no block begins there", addr);
        }
        put(e->id);
        go(e, len);
    }
}

/* Check that EXIT is next, and the last. */
static void finish(void)
{
    if (done < here->instrs)
        lost("an end in the middle of a block", 0);
    Edge *e = compare ? given() : edge_to(here, &nodes[1]);
    if (!e || e->to != &nodes[1])
        lost(compare ? "the way goes on" : "no edge to the end", e ? e->to->addr : 0);
    n_edges++;
    if (!compare)
        put(e->id);
    else if (given())
        lost("the way goes on after the end", 0);
    finish_writing();
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "-c")) {
        compare = 1;
        argv++;
        argc--;
    }
    if (argc != 3)
        fail("usage: lackey_path [-c] TABLE FILE < TRACE");
    read_table(argv[1]);
    out = fopen(argv[2], compare ? "rb" : "wb");
    if (!out) {
        perror(argv[2]);
        return 2;
    }
    here = &nodes[0];                   /* START is left without an instruction */
    read_trace();
    if (!n_instrs)
        fail("no instruction in the trace");
    finish();
    printf("instructions %" PRIu64 "\nedges %" PRIu64 "\nfailed %" PRIu64 "\n", n_instrs, n_edges, n_failed);
    return 0;
}
