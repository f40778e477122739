/* Dates: off by one.

   right: 2024-03-01 is a Friday
   wrong: 2024-03-01 is a Sunday */
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

struct date {
    int year, month, day;
};

static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_length(const struct date *d)
{
    if (d->month == 2 && is_leap(d->year))
        return 29;
    return lengths[d->month - 1];
}

static bool is_valid(const struct date *d)
{
    if (d->month < 1 || d->month > 12)
        return false;
    return d->day >= 1 && d->day <= month_length(d);
}

static bool parse(const char *text, struct date *d)
{
    if (sscanf(text, "%d-%d-%d", &d->year, &d->month, &d->day) != 3)
        return false;
    return is_valid(d);
}

static struct date tomorrow(struct date d)
{
    if (++d.day > month_length(&d)) {
        d.day = 1;
        if (++d.month > 12) {
            d.month = 1;
            d.year++;
        }
    }
    return d;
}

/* Days since the first of January of the year 1, which was a Monday. */
static int number(const struct date *d)
{
    int years = d->year;                        /* BUG: those that have ended are one less */
    int n = years * 365 + years / 4 - years / 100 + years / 400;
    for (int m = 0; m < d->month - 1; m++)
        n += lengths[m];
    if (d->month > 2 && is_leap(d->year))
        n++;
    return n + d->day - 1;
}

static int count_thirteenths(int year)
{
    int n = 0;
    for (int m = 1; m <= 12; m++) {
        struct date d = { year, m, 13 };
        if (is_valid(&d) && m % 2 == 0)
            n++;
    }
    return n;
}

static void print_calendar(struct date d)
{
    int length = month_length(&d);
    for (int day = 1; day <= length; day++)
        printf("%3d%s", day, day % 7 == 0 || day == length ? "\n" : "");
}

static int compare(const struct date *a, const struct date *b)
{
    if (a->year != b->year)
        return a->year < b->year ? -1 : 1;
    if (a->month != b->month)
        return a->month < b->month ? -1 : 1;
    return (a->day > b->day) - (a->day < b->day);
}

static void check_texts(void)
{
    static const char *const texts[] = { "2023-02-29", "2000-12-31", "1999-13-01", "yesterday" };
    struct date last = { 1, 1, 1 };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct date d = { 0, 0, 0 };
        if (!parse(texts[i], &d)) {
            printf("%s is no date\n", texts[i]);
            continue;
        }
        d = tomorrow(d);
        printf("after %s comes %04d-%02d-%02d%s\n", texts[i], d.year, d.month, d.day,
               compare(&last, &d) < 0 ? ", later" : "");
        last = d;
    }
}

static void print_weekday(struct date d)
{
    printf("%04d-%02d-%02d is a %s\n", d.year, d.month, d.day, days[(number(&d) + 1) % 7]);
}

int main(void)
{
    struct date d = { 2024, 3, 1 };
    check_texts();
    print_calendar(d);
    printf("%d of 12\n", count_thirteenths(d.year));
    print_weekday(d);
    return 0;
}
