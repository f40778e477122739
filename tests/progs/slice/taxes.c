/* Wages and what is taken from them: a wrong branch.

   right: Gray gets 2090
   wrong: Gray gets 1980 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct worker {
    const char *name;
    int hours, rate;            /* in a month; for an hour */
    int children;
    bool married;
};

static const struct worker workers[] = {
    { "Black", 160, 21, 0, false },
    { "Brown", 120, 18, 2, true },
    { "Gray", 110, 20, 1, true },
    { "Green", 178, 30, 3, false },
};
#define WORKERS (int)(sizeof workers / sizeof workers[0])

static int wage(const struct worker *w)
{
    int pay = w->hours * w->rate;
    if (w->hours > 160)
        pay += (w->hours - 160) * w->rate / 2;
    return pay;
}

static int tax_percent(const struct worker *w, int pay)
{
    if (pay > 4000)
        return 30;
    if (pay > 3000)
        return 20;
    if (w->children > 0 && pay > 2500)
        return 15;
    if (w->married && w->children > 1)          /* BUG: > 0 */
        return 5;
    return 10;
}

static int get_paid(const struct worker *w)
{
    int pay = wage(w);
    return pay - pay * tax_percent(w, pay) / 100;
}

static void print_hours(void)
{
    int sum = 0, most = 0;
    for (int i = 0; i < WORKERS; i++) {
        sum += workers[i].hours;
        if (workers[i].hours > workers[most].hours)
            most = i;
    }
    printf("%d hours, %d of them by %s\n", sum, workers[most].hours, workers[most].name);
}

static void print_names(void)
{
    char initials[WORKERS + 1];
    int longest = 0;
    for (int i = 0; i < WORKERS; i++) {
        int length = (int)strlen(workers[i].name);
        if (length > longest)
            longest = length;
        initials[i] = workers[i].name[0];
    }
    initials[WORKERS] = 0;
    printf("%s, up to %d letters\n", initials, longest);
}

static void print_rates(void)
{
    int order[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        int k = i;
        for (; k > 0 && workers[order[k - 1]].rate < workers[i].rate; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < WORKERS; i++)
        printf("%d. %s: %d\n", i + 1, workers[order[i]].name, workers[order[i]].rate);
}

static int count_children(bool married)
{
    int n = 0;
    for (int i = 0; i < WORKERS; i++) {
        if (workers[i].married != married)
            continue;
        n += workers[i].children;
    }
    return n;
}

static void print_coins(int amount)
{
    static const int coins[] = { 500, 200, 100, 50, 20, 10, 5, 2, 1 };
    for (int i = 0; amount > 0; i++) {
        int n = amount / coins[i];
        if (n > 0)
            printf("%d x %d\n", n, coins[i]);
        amount -= n * coins[i];
    }
}

int main(void)
{
    int paid;
    print_names();
    print_hours();
    print_rates();
    printf("children: %d, %d\n", count_children(true), count_children(false));
    print_coins(1788);
    paid = get_paid(&workers[2]);
    printf("%s gets %d\n", workers[2].name, paid);
    return 0;
}
