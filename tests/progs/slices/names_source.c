#include <stdio.h>
#include <stdlib.h>
#define SHOW(x) printf("%s\t%p\t%d\t%lld\n", #x, (void *)&(x), (int)sizeof(x), (long long)(x))
struct line { const char *name; int pieces; struct { int discount; char tag[4]; } in; struct { short left; }; struct line *next;
              unsigned low : 3, high : 5; };
union both { int whole; char part[4]; };
static struct { char head[200]; int after; int list[12]; int last; } far;   /* compilers write an offset of 200 as a byte */
static int total = 40;
struct line table[4];
static int *numbers[2];
int mark;
static inline __attribute__((always_inline)) void count(struct line *at)
{
    at->in.discount += 2;
    at->left = 9;
}
__attribute__((noinline)) static int work(struct line *l, int n)
{
    int a[5] = { 1, 2, 3, 4, 5 };
    int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int *p = &a[1];
    union both u;
    static short seen = 3;
    a[3] += n;
    l->in.discount = a[3];
    l->in.tag[1] = 'r';
    l->next->pieces = 7;
    count(l);
    l->high = (unsigned)n + 2;
    u.whole = n;
    p[1] = grid[1][2];
    numbers[1] = p;
    total += *p;
    seen++;
    far.after = n; far.list[2] = n + 1; far.last = n + 2;
    SHOW(far.after); SHOW(far.list[2]); SHOW(far.last);
    SHOW(a[3]); SHOW(grid[1][2]); SHOW(u.whole); SHOW(u.part[0]); SHOW(seen); SHOW(total);
    SHOW(l->in.discount); SHOW(l->in.tag[1]); SHOW(l->next->pieces); SHOW(l->left); SHOW((*l).in.discount);
    SHOW(*p); SHOW(p[1]); SHOW(p[-1]); SHOW(*numbers[1]); SHOW(numbers[1][2]); SHOW(table[2].pieces);
    fflush(stdout);
    mark = n;                                   /* here */
    return *p + l->in.discount + (l->next != 0) + n + a[3] + grid[1][0] + u.part[1];
}
int main(int argc, char **argv)
{
    struct line *l = calloc(2, sizeof *l);
    (void)argv;
    l->next = &table[2];
    total += work(l, argc + 3) + (int)(l->name != 0);
    SHOW(l->in.discount); SHOW(argc);
    fflush(stdout);
    mark = argc;                                /* there */
    return total == l->in.discount;
}
