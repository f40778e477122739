/* A shop's stock with a sum that is kept beside it: an update that is missed.

   right: worth 1361
   wrong: worth 1070 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 16

struct item {
    char name[12];
    int price;
    int count;
};

struct stock {
    struct item items[MAX_ITEMS];
    int n;
    int sum;            /* the sum of price * count */
    int stale;          /* sum has to be computed again */
};

static struct item *lookup(struct stock *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->items[i].name, name) == 0)
            return &s->items[i];
    return NULL;
}

static void put(struct stock *s, const char *name, int price, int count)
{
    struct item *it = lookup(s, name);
    if (it == NULL) {
        it = &s->items[s->n++];
        snprintf(it->name, sizeof it->name, "%s", name);
        it->count = 0;
    }
    it->price = price;
    it->count += count;
    s->stale = 1;
}

static void take(struct stock *s, const char *name, int count)
{
    struct item *it = lookup(s, name);
    if (it == NULL || it->count < count)
        return;
    it->count -= count;
    s->stale = 1;
}

static void reprice(struct stock *s, const char *name, int price)
{
    struct item *it = lookup(s, name);
    if (it == NULL)
        return;
    if (price < it->price)                      /* BUG: != */
        s->stale = 1;
    it->price = price;
}

static int worth(struct stock *s)
{
    if (s->stale) {
        s->sum = 0;
        for (int i = 0; i < s->n; i++)
            s->sum += s->items[i].price * s->items[i].count;
        s->stale = 0;
    }
    return s->sum;
}

static void run(struct stock *s, const char *script)
{
    char verb[8], name[12];
    int a, b, used;
    while (sscanf(script, " %7s %11s %d %d%n", verb, name, &a, &b, &used) == 4) {
        script += used;
        if (strcmp(verb, "put") == 0)
            put(s, name, a, b);
        else if (strcmp(verb, "take") == 0)
            take(s, name, b);
        else if (strcmp(verb, "price") == 0)
            reprice(s, name, a);
        else if (strcmp(verb, "show") == 0)
            printf("worth %d\n", worth(s));
    }
}

int main(void)
{
    static struct stock stock;
    run(&stock, "put tea 5 40 put coffee 8 100 put cocoa 6 10 show - 0 0 take tea 0 2 show - 0 0 "
                "price tea 4 0 take coffee 0 3 put sugar 2 41 show - 0 0 price coffee 11 0 show - 0 0");
    return 0;
}
