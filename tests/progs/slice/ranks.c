/* A race's results: an error in what qsort() calls.

   right: 1. Finn 59:58
   wrong: 1. Emma 61:05 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct runner {
    char name[12];
    int minutes, seconds;
    int club;
};

static const char *const clubs[] = { "Rovers", "Harriers" };

static struct runner runners[] = {
    { "Anna", 64, 12, 0 }, { "Bill", 61, 40, 1 }, { "Carl", 75, 31, 1 }, { "Dora", 62, 55, 0 },
    { "Emma", 61, 5, 0 }, { "Finn", 59, 58, 1 }, { "Gwen", 68, 20, 0 },
};
#define RUNNERS (int)(sizeof runners / sizeof runners[0])

static int by_time(const void *x, const void *y)
{
    const struct runner *a = x, *b = y;
    int difference = a->seconds - b->seconds;   /* BUG: and 60 for each minute */
    return difference;
}

static int by_name(const void *x, const void *y)
{
    const struct runner *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static int total(const struct runner *r)
{
    return 60 * r->minutes + r->seconds;
}

static void print_mean(void)
{
    int sum = 0;
    for (int i = 0; i < RUNNERS; i++)
        sum += total(&runners[i]);
    sum /= RUNNERS;
    printf("mean %d:%02d\n", sum / 60, sum % 60);
}

static void print_clubs(void)
{
    for (int club = 0; club < 2; club++) {
        int n = 0, best = 0;
        for (int i = 0; i < RUNNERS; i++) {
            if (runners[i].club != club)
                continue;
            n++;
            if (best == 0 || total(&runners[i]) < best)
                best = total(&runners[i]);
        }
        printf("%s: %d runners, best %d:%02d\n", clubs[club], n, best / 60, best % 60);
    }
}

static void print_gaps(void)
{
    int widest = 0;
    for (int i = 1; i < RUNNERS; i++) {
        int gap = abs(total(&runners[i]) - total(&runners[i - 1]));
        if (gap > widest)
            widest = gap;
    }
    printf("widest gap %d s\n", widest);
}

static const struct runner *find(const char *name)
{
    struct runner key = { .minutes = 0 };
    strncpy(key.name, name, sizeof key.name - 1);
    return bsearch(&key, runners, RUNNERS, sizeof key, by_name);
}

static void print_pace(const char *name, int metres)
{
    const struct runner *r = find(name);
    if (r != NULL) {
        int pace = total(r) * 1000 / metres;
        printf("%s needs %d:%02d for a kilometre\n", r->name, pace / 60, pace % 60);
    }
}

static void print_bars(void)
{
    for (int i = 0; i < RUNNERS; i++) {
        char bar[40];
        int width = runners[i].minutes - 55;
        if (width > 30)
            width = 30;
        memset(bar, '=', width);
        bar[width] = 0;
        printf("%-6s|%s\n", runners[i].name, bar);
    }
}

static void print_first(int n)
{
    for (int i = 0; i < n; i++) {
        const struct runner *r = &runners[i];
        printf("%d. %s %d:%02d\n", i + 1, r->name, r->minutes, r->seconds);
    }
}

int main(void)
{
    print_mean();
    print_clubs();
    print_gaps();
    print_pace("Carl", 15000);
    print_pace("Zoe", 15000);
    print_bars();
    qsort(runners, RUNNERS, sizeof runners[0], by_time);
    print_first(3);
    return 0;
}
