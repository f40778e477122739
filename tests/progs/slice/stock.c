/* A store's items in an array that grows: a stale pointer.

   right: cheapest costs 15
   wrong: cheapest costs 777 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    int id;
    int price;
    int pieces;
    int shelf;
};

struct store {
    struct item *items;
    int n, room;
};

struct log {
    int *codes;
    int n;
};

static struct item *add(struct store *s, int id, int price, int pieces)
{
    if (s->n == s->room) {
        struct item *more = malloc((s->room + 4) * sizeof *more);
        if (more == NULL)
            exit(1);
        if (s->n > 0)
            memcpy(more, s->items, s->n * sizeof *more);
        free(s->items);
        s->items = more;
        s->room += 4;
    }
    s->items[s->n] = (struct item){ id, price, pieces, id % 7 };
    return &s->items[s->n++];
}

static void fill_log(struct log *l, int n)
{
    l->codes = malloc(16 * sizeof *l->codes);
    if (l->codes == NULL)
        exit(1);
    for (l->n = 0; l->n < n; l->n++)
        l->codes[l->n] = 700 + 7 * l->n;
    l->codes[l->n - 3] = 777;
}

static int total(const struct store *s)
{
    int sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->items[i].price * s->items[i].pieces;
    return sum;
}

static void sell(struct store *s, int id, int pieces)
{
    for (int i = 0; i < s->n; i++) {
        struct item *it = &s->items[i];
        if (it->id != id)
            continue;
        if (it->pieces < pieces) {
            printf("only %d of %d\n", it->pieces, id);
            pieces = it->pieces;
        }
        it->pieces -= pieces;
        printf("sold %d of %d\n", pieces, id);
    }
}

static void print_shelves(const struct store *s)
{
    for (int shelf = 0; shelf < 7; shelf++) {
        int n = 0;
        for (int i = 0; i < s->n; i++)
            if (s->items[i].shelf == shelf)
                n += s->items[i].pieces;
        if (n > 0)
            printf("shelf %d: %d\n", shelf, n);
    }
}

int main(void)
{
    struct store s = { NULL, 0, 0 };
    struct log l;
    struct item *cheapest, *it;
    int price;

    add(&s, 101, 40, 3);
    cheapest = add(&s, 102, 15, 12);
    add(&s, 103, 22, 5);
    add(&s, 104, 31, 1);
    it = add(&s, 105, 60, 2);
    if (it->price < cheapest->price)
        cheapest = it;
    fill_log(&l, 8);
    sell(&s, 102, 4);
    sell(&s, 104, 2);
    print_shelves(&s);
    printf("worth %d\n", total(&s));
    price = cheapest->price;                    /* BUG: the array has moved since */
    printf("cheapest costs %d\n", price);
    free(s.items);
    free(l.codes);
    return 0;
}
