/* The tables of `dcfg blocks`, from Lackey's instruction trace, in two passes.

       blocks_oracle PREFIX [THRESHOLD] < TRACE           TRACE is a file, because it is read twice

   PREFIX.sbb and PREFIX.dbb become the two tables, without comments.  THRESHOLD is in percent, 10 if not given, 0 for
   all edges.

   The first pass learns three facts.  Instructions that jump: they were followed by two different instructions, or by
   one that does not begin where they end.  Leaders.  Instructions that begin a static block: leaders, and those that
   follow two different instructions.  (An instruction is an address and a length.)  The second pass counts blocks as
   they are executed, each with the one before it. */

#define PROGRAM "blocks_oracle"
#include "lackey_read.h"

#include <inttypes.h>

typedef struct Edge {
    uint32_t to;
    int ft;
    uint64_t n;
    struct Edge *next;
} Edge;

typedef struct {
    uint64_t n;                 /* executions */
    uint32_t id;
    Edge *edges;                /* the latest in front */
} Block;

typedef struct {
    uint64_t addr;
    uint32_t len;
    uint32_t before, after;     /* the first instruction that was executed before it, after it; 0: none */
    char jumps, leader, shared;
    Block block[2];             /* static, dynamic: if it begins one */
} Insn;

static Insn *insns;             /* from 1 */
static uint32_t used = 1, room;
static uint32_t *hash;
static size_t hash_size;

static uint32_t *find(uint64_t addr, uint32_t len)
{
    size_t i = (size_t)(((addr << 5 ^ len) * 0x9e3779b97f4a7c15u) >> 24) & (hash_size - 1);
    while (hash[i] && (insns[hash[i]].addr != addr || insns[hash[i]].len != len))
        i = (i + 1) & (hash_size - 1);
    return &hash[i];
}

static uint32_t intern(uint64_t addr, uint32_t len)
{
    if (used >= room) {
        room = room ? room * 2 : 1 << 12;
        insns = need(realloc(insns, room * sizeof *insns));
        free(hash);
        hash_size = 2 * (size_t)room;
        hash = need(calloc(hash_size, sizeof *hash));
        for (uint32_t i = 1; i < used; i++)
            *find(insns[i].addr, insns[i].len) = i;
    }
    uint32_t *h = find(addr, len);
    if (!*h) {
        insns[used] = (Insn){ .addr = addr, .len = len };
        *h = used++;
    }
    return *h;
}

/* ---- twice over the trace -------------------------------------------------------------------------------------- */

static int second;              /* is it the second time? */
static uint32_t last;           /* instruction */
static uint32_t begun[2];        /* the first instruction of the static and of the dynamic block in execution */

static void learn(uint32_t i)
{
    Insn *a = &insns[last], *b = &insns[i];
    if (!last) {
        b->leader = 1;
        return;
    }
    if (a->addr + a->len != b->addr || (a->after && a->after != i))
        a->jumps = 1;
    if (!a->after)
        a->after = i;
    if (a->jumps)               /* the instruction before jumped: see main() */
        b->leader = 1;
    if (!b->before)
        b->before = last;
    if (b->before != last)
        b->shared = 1;
}

static void begins(int kind, uint32_t i)
{
    Insn *from = &insns[begun[kind]];
    insns[i].block[kind].n++;
    if (begun[kind]) {
        Edge **link = &from->block[kind].edges, *e;
        while ((e = *link) != NULL && e->to != i)
            link = &e->next;
        if (e)
            *link = e->next;
        else {
            e = need(calloc(1, sizeof *e));
            e->to = i;
            e->ft = insns[last].addr + insns[last].len == insns[i].addr;
        }
        e->n++;
        e->next = from->block[kind].edges;
        from->block[kind].edges = e;
    }
    begun[kind] = i;
}

static void count(uint32_t i)
{
    int jumped = !last || insns[last].jumps;
    if (jumped || insns[i].leader || insns[i].shared)
        begins(0, i);
    if (jumped)
        begins(1, i);
}

static void executed(uint64_t addr, uint32_t len)
{
    uint32_t i = intern(addr, len);
    if (second)
        count(i);
    else
        learn(i);
    last = i;
}

/* ---- the tables ------------------------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
    const Insn *x = &insns[*(const uint32_t *)a], *y = &insns[*(const uint32_t *)b];
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->len < y->len ? -1 : x->len > y->len;
}

static int kind_sorted;

static int by_count(const void *a, const void *b)
{
    const Edge *x = *(Edge *const *)a, *y = *(Edge *const *)b;
    uint32_t i = insns[x->to].block[kind_sorted].id, k = insns[y->to].block[kind_sorted].id;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return i < k ? -1 : i > k;
}

static void print_edges(FILE *f, int kind, const Block *b, unsigned threshold)
{
    size_t n = 0, k = 0, ft = 0, rest = 0;
    uint64_t all = 0, rare = 0;
    for (Edge *e = b->edges; e; e = e->next) {
        n++;
        all += e->n;
        ft += (size_t)e->ft;
    }
    Edge **edges = need(malloc((n + 1) * sizeof *edges));
    for (Edge *e = b->edges; e; e = e->next)
        edges[k++] = e;
    kind_sorted = kind;
    qsort(edges, n, sizeof *edges, by_count);
    fprintf(f, "%s\t", ft == n ? "NB" : n - ft > 1 ? "IJ" : ft ? "CB" : "UB");
    const char *blank = "";
    for (k = 0; k < n; k++)
        if (n > 2 && edges[k]->n * 100 < all * threshold) {
            rest++;
            rare += edges[k]->n;
        } else {
            fprintf(f, "%s%" PRIu32 ":%" PRIu64 "%s", blank, insns[edges[k]->to].block[kind].id, edges[k]->n,
                    edges[k]->ft ? "(ft)" : "");
            blank = " ";
        }
    if (rest)
        fprintf(f, "%s..%zu:%" PRIu64, blank, rest, rare);
    fputc('\n', f);
    free(edges);
}

static void print_table(int kind, const char *prefix, unsigned threshold)
{
    char path[4096];
    uint32_t *sorted = need(malloc(used * sizeof *sorted)), n = 0;
    snprintf(path, sizeof path, "%s.%s", prefix, kind ? "dbb" : "sbb");
    FILE *f = need(fopen(path, "w"));
    for (uint32_t i = 1; i < used; i++)
        if (insns[i].block[kind].n)
            sorted[n++] = i;
    qsort(sorted, n, sizeof *sorted, by_address);
    for (uint32_t k = 0; k < n; k++)
        insns[sorted[k]].block[kind].id = k + 1;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = sorted[k], end = i, size = 1;
        while (!insns[end].jumps && insns[end].after) {
            uint32_t next = insns[end].after;
            if (kind == 0 && (insns[next].leader || insns[next].shared))
                break;
            end = next;
            size++;
        }
        fprintf(f, "%" PRIu32 "\t%08" PRIx64 "\t%08" PRIx64 "\t%" PRIu32 "\t%" PRIu64 "\t", k + 1, insns[i].addr,
                insns[end].addr, size, insns[i].block[kind].n);
        print_edges(f, kind, &insns[i].block[kind], threshold);
    }
    free(sorted);
    if (fclose(f))
        fail("write");
}

static void again(void)
{
    if (lseek(0, 0, SEEK_SET))
        fail("the trace is not a file");
    last = 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        fail("usage: blocks_oracle PREFIX [THRESHOLD] < TRACE");
    read_trace();
    if (used == 1)
        fail("no instruction in the trace");
    for (uint32_t i = 1; i < used; i++)
        if (insns[i].jumps)
            insns[insns[i].after].leader = 1;
    again();
    second = 1;
    read_trace();
    for (int kind = 0; kind < 2; kind++)
        print_table(kind, argv[1], argc == 3 ? (unsigned)atoi(argv[2]) : 10);
    return 0;
}
