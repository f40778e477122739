/* A shop's orders in a list: a field that was never set.

   right: order 4 costs 450
   wrong: order 4 costs 360 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
    struct order *next;
    int number;
    int pieces;
    int price;
    int rebate;                 /* percent */
    char customer[24];
};

static struct order *orders;
static int numbers;

static struct order *order_new(const char *customer, int pieces, int price)
{
    struct order *o = malloc(sizeof *o);
    if (o == NULL)
        exit(1);
    o->number = ++numbers;
    o->pieces = pieces;
    o->price = price;
    snprintf(o->customer, sizeof o->customer, "%s", customer);
    o->next = orders;
    orders = o;
    return o;
}

static void order_rebate(struct order *o, int percent)
{
    if (percent > 50)
        percent = 50;
    o->rebate = percent;
}

static void order_cancel(int number)
{
    struct order **at = &orders;
    while (*at != NULL && (*at)->number != number)
        at = &(*at)->next;
    if (*at != NULL) {
        struct order *gone = *at;
        *at = gone->next;
        free(gone);
    }
}

static struct order *order_find(int number)
{
    struct order *o = orders;
    while (o != NULL && o->number != number)
        o = o->next;
    return o;
}

static int cost(const struct order *o)
{
    int full = o->pieces * o->price;
    return full - full * o->rebate / 100;       /* BUG: nobody has set the rebate */
}

static void print_customers(void)
{
    for (const struct order *o = orders; o != NULL; o = o->next) {
        int width = (int)strlen(o->customer);
        printf("%d: %s", o->number, o->customer);
        while (width++ < 12)
            putchar('.');
        printf("%d\n", o->pieces);
    }
}

static void print_largest(void)
{
    const struct order *largest = NULL;
    int total = 0;
    for (const struct order *o = orders; o != NULL; o = o->next) {
        if (largest == NULL || o->pieces > largest->pieces)
            largest = o;
        total += o->pieces;
    }
    if (largest != NULL)
        printf("most: %s, %d of %d\n", largest->customer, largest->pieces, total);
}

static void print_cost(int number)
{
    const struct order *o = order_find(number);
    printf("order %d costs %d\n", number, cost(o));
}

int main(void)
{
    order_rebate(order_new("Miller", 10, 7), 0);
    order_rebate(order_new("Baker & Sons", 100, 3), 10);
    order_rebate(order_new("Smith", 4, 90), 20);
    print_customers();
    print_largest();
    order_cancel(3);
    order_new("Taylor", 5, 90);
    print_customers();
    print_cost(4);
    return 0;
}
