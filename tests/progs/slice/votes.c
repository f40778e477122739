/* An election: swapped arguments.

   right: turnout 62 %
   wrong: turnout 161 % */
#include <stdio.h>
#include <string.h>

#define PARTIES 4

struct district {
    const char *name;
    int voters;
    int votes[PARTIES];
};

static const char *const parties[PARTIES] = { "red", "green", "blue", "white" };

static const struct district districts[] = {
    { "north", 4000, { 1010, 702, 390, 211 } },
    { "east", 3200, { 420, 911, 505, 100 } },
    { "south", 5100, { 1300, 640, 1111, 317 } },
    { "west", 2700, { 333, 480, 702, 210 } },
};
#define DISTRICTS (int)(sizeof districts / sizeof districts[0])

static int percent(int part, int whole)
{
    if (whole == 0)
        return 0;
    return (100 * part + whole / 2) / whole;
}

static int cast_in(const struct district *d)
{
    int n = 0;
    for (int p = 0; p < PARTIES; p++)
        n += d->votes[p];
    return n;
}

static int winner_in(const struct district *d)
{
    int best = 0;
    for (int p = 1; p < PARTIES; p++)
        if (d->votes[p] > d->votes[best])
            best = p;
    return best;
}

static void print_districts(void)
{
    for (int i = 0; i < DISTRICTS; i++) {
        const struct district *d = &districts[i];
        int winner = winner_in(d);
        printf("%-6s %5d  %s with %d %%\n", d->name, cast_in(d), parties[winner],
               percent(d->votes[winner], cast_in(d)));
    }
}

static void print_seats(int seats)
{
    int sums[PARTIES] = { 0 }, won[PARTIES] = { 0 };
    for (int i = 0; i < DISTRICTS; i++)
        for (int p = 0; p < PARTIES; p++)
            sums[p] += districts[i].votes[p];
    while (seats-- > 0) {
        int best = 0;
        for (int p = 1; p < PARTIES; p++)
            if (sums[p] * (won[best] + 1) > sums[best] * (won[p] + 1))
                best = p;
        won[best]++;
    }
    for (int p = 0; p < PARTIES; p++) {
        char bar[32] = "";
        for (int s = 0; s < won[p]; s++)
            strcat(bar, "#");
        printf("%-6s %2d %s\n", parties[p], won[p], bar);
    }
}

static void print_strongholds(void)
{
    for (int p = 0; p < PARTIES; p++) {
        const struct district *best = &districts[0];
        for (int i = 1; i < DISTRICTS; i++)
            if (percent(districts[i].votes[p], cast_in(&districts[i]))
                > percent(best->votes[p], cast_in(best)))
                best = &districts[i];
        printf("%s is strong in the %s\n", parties[p], best->name);
    }
}

static void print_turnout(void)
{
    int voters = 0, votes = 0;
    for (int i = 0; i < DISTRICTS; i++) {
        voters += districts[i].voters;
        votes += cast_in(&districts[i]);
    }
    printf("turnout %d %%\n", percent(voters, votes));         /* BUG: the votes are the part */
}

int main(void)
{
    print_districts();
    print_seats(15);
    print_strongholds();
    print_turnout();
    return 0;
}
