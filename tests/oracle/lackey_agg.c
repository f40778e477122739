/* Sums up Lackey's instruction trace.

       valgrind --tool=lackey --trace-mem=yes --vex-guest-chase=no --log-fd=9 PROG 9>&1 >/dev/null | lackey_agg [COPY] > TABLE

   COPY gets the whole trace as it is read; it is a pipe to lackey_path.  Only lines "I  ADDR,LEN" matter: one for
   each execution of an instruction.  The table on stdout is

       total N
       first ADDR LEN
       last ADDR LEN
       I ADDR LEN COUNT          each distinct instruction, by address and length
       P ADDR LEN NEXT COUNT     each distinct pair of consecutive instructions

   Addresses are in hex, counts in decimal.  A trace of a hundred million lines is gigabytes, so it is never stored.
   The common case is an instruction followed by the one that followed it last time.  It costs a comparison and no
   hashing: each instruction remembers its latest successor, and has a list of all successors, with the latest in
   front. */

#define PROGRAM "lackey_agg"
#include "lackey_read.h"

typedef struct Pair { uint64_t to, n; struct Pair *next; } Pair;

typedef struct {
    uint64_t addr, n;
    uint32_t len;
    uint32_t guess;             /* index of the latest successor */
    Pair *pairs;                /* latest first */
} Insn;

static Insn *insns;             /* in order of first execution; index 0 is "before the start" */
static uint32_t used = 1, room;
static uint32_t *hash;          /* open addressing, 0 is free */
static size_t hash_size;

static uint32_t *find(uint64_t addr, uint32_t len)
{
    size_t i = (size_t)(((addr << 5 | len) * 0x9e3779b97f4a7c15u) >> 24) & (hash_size - 1);
    while (hash[i] && (insns[hash[i]].addr != addr || insns[hash[i]].len != len))
        i = (i + 1) & (hash_size - 1);
    return &hash[i];
}

/* Room for one more instruction: the hash stays at most half full. */
static void grow(void)
{
    room = room ? room * 2 : 1 << 15;
    insns = need(realloc(insns, room * sizeof *insns));
    free(hash);
    hash_size = 2 * (size_t)room;
    hash = need(calloc(hash_size, sizeof *hash));
    for (uint32_t i = 1; i < used; i++)
        *find(insns[i].addr, insns[i].len) = i;
}

static uint32_t intern(uint64_t addr, uint32_t len)
{
    uint32_t *h = find(addr, len);
    if (*h)
        return *h;
    if (used == room) {
        grow();
        h = find(addr, len);
    }
    insns[used] = (Insn){ .addr = addr, .len = len };
    return *h = used++;
}

static void count_pair(Insn *from, uint64_t to)
{
    Pair **link = &from->pairs, *p = *link;
    while (p && p->to != to) {
        link = &p->next;
        p = *link;
    }
    if (p)
        *link = p->next;
    else {
        p = need(calloc(1, sizeof *p));
        p->to = to;
    }
    p->n++;
    p->next = from->pairs;
    from->pairs = p;
}

static int by_address(const void *a, const void *b)
{
    const Insn *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->len < y->len ? -1 : x->len > y->len;
}

static int by_target(const void *a, const void *b)
{
    const Pair *x = *(Pair *const *)a, *y = *(Pair *const *)b;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void print_pairs(const Insn *in)
{
    size_t n = 0, k = 0;
    for (Pair *p = in->pairs; p; p = p->next)
        n++;
    Pair **all = need(malloc((n + 1) * sizeof *all));
    for (Pair *p = in->pairs; p; p = p->next)
        all[k++] = p;
    qsort(all, n, sizeof *all, by_target);
    for (k = 0; k < n; k++)
        printf("P %llx %u %llx %llu\n", (unsigned long long)in->addr, in->len, (unsigned long long)all[k]->to,
               (unsigned long long)all[k]->n);
    free(all);
}

static uint32_t last;                   /* the instruction executed most recently */
static uint64_t total;
static uint32_t first;

static void executed(uint64_t addr, uint32_t len)
{
    uint32_t i = insns[last].guess;
    if (i && insns[i].addr == addr && insns[i].len == len && last) {
        insns[last].pairs->n++;         /* the guess is the front of the list */
    } else {
        i = intern(addr, len);
        if (last) {
            insns[last].guess = i;
            count_pair(&insns[last], addr);
        } else
            first = i;
    }
    insns[i].n++;
    total++;
    last = i;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        copy_trace_to(argv[1]);
    grow();
    insns[0] = (Insn){ 0 };
    read_trace();
    if (!total)
        fail("no instruction in the trace");
    printf("total %llu\n", (unsigned long long)total);
    printf("first %llx %u\n", (unsigned long long)insns[first].addr, insns[first].len);
    printf("last %llx %u\n", (unsigned long long)insns[last].addr, insns[last].len);
    qsort(insns + 1, used - 1, sizeof *insns, by_address);
    for (uint32_t i = 1; i < used; i++) {
        printf("I %llx %u %llu\n", (unsigned long long)insns[i].addr, insns[i].len, (unsigned long long)insns[i].n);
        print_pairs(&insns[i]);
    }
    return fflush(stdout) ? 2 : 0;
}
