/* Marks of an exam, counted: a loop that ends too early.

   right: passed 9 of 12
   wrong: passed 7 of 12 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORST = 0, BEST = 5, PASS = 3, MARKS = BEST - WORST + 1 };

struct histogram {
    int counts[MARKS];
    int total;
};

static void clear(struct histogram *h)
{
    int i;
    for (i = 0; i < MARKS; i++)
        h->counts[i] = 0;
    h->total = 0;
}

static int add(struct histogram *h, long mark)
{
    if (mark < WORST || mark > BEST)
        return -1;
    ++h->counts[mark - WORST];
    ++h->total;
    return 0;
}

static int read_marks(struct histogram *h, const char *text)
{
    char *end;
    int errors = 0;
    for (;;) {
        long mark = strtol(text, &end, 10);
        if (end == text)
            return errors;
        if (add(h, mark) != 0)
            errors++;
        text = end;
        while (isspace((unsigned char)*text) || *text == ',')
            text++;
    }
}

static int at_least(const struct histogram *h, int mark)
{
    int n = 0, i;
    for (i = mark - WORST; i < MARKS - 1; i++)          /* BUG: i < MARKS */
        n += h->counts[i];
    return n;
}

static void bars(const struct histogram *h)
{
    int i, k;
    for (i = 0; i < MARKS; i++) {
        printf("%d ", i + WORST);
        for (k = 0; k < h->counts[i]; k++)
            putchar('*');
        putchar('\n');
    }
}

static double mean(const struct histogram *h)
{
    double sum = 0;
    int i;
    for (i = 0; i < MARKS; i++)
        sum += (double)(i + WORST) * h->counts[i];
    return h->total == 0 ? 0 : sum / h->total;
}

int main(void)
{
    struct histogram h;
    int errors;

    clear(&h);
    errors = read_marks(&h, "3, 5, 1, 4, 4, 2, 3, 9, 5, 0, 3, 4, 3");
    bars(&h);
    printf("mean %.2f, %d wrong\n", mean(&h), errors);
    printf("passed %d of %d\n", at_least(&h, PASS), h.total);
    return 0;
}
