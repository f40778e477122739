/* Readings that another process sends through a pipe: what is read lands in the wrong place.

   right: warmest 31
   wrong: warmest 27 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READINGS 6

struct reading {
    int hour;
    int degrees;
};

static const struct reading measured[READINGS] = {
    { 6, 12 }, { 9, 18 }, { 12, 31 }, { 15, 24 }, { 18, 21 }, { 21, 27 },
};

static struct reading readings[READINGS];

/* The other process. */
static void send_all(int fd)
{
    for (int i = 0; i < READINGS; i++)
        if (write(fd, &measured[i], sizeof measured[i]) != (ssize_t)sizeof measured[i])
            _exit(1);
    _exit(0);
}

static int start(pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    *child = fork();
    if (*child == 0) {
        close(ends[0]);
        send_all(ends[1]);
    }
    close(ends[1]);
    return ends[0];
}

/* In two steps, as the device does. */
static int receive(int fd)
{
    char *at = (char *)readings;
    int half = (int)sizeof readings / 2;
    int have = (int)read(fd, at, half);
    have += (int)read(fd, at, half);            /* BUG: at + have */
    return have / (int)sizeof(struct reading);
}

static int warmest(int n)
{
    int best = 0;
    for (int i = 0; i < n; i++)
        if (readings[i].degrees > best)
            best = readings[i].degrees;
    return best;
}

static void print_expected(void)
{
    int sum = 0, least = 100;
    for (int i = 0; i < READINGS; i++) {
        sum += measured[i].degrees;
        if (measured[i].degrees < least)
            least = measured[i].degrees;
    }
    printf("mean %d.%d, least %d\n", sum / READINGS, sum * 10 / READINGS % 10, least);
}

static void print_hours(void)
{
    char line[25];
    memset(line, '.', 24);
    line[24] = 0;
    for (int i = 0; i < READINGS; i++)
        line[measured[i].hour] = 'x';
    printf("%s\n", line);
}

static int fahrenheit(int degrees)
{
    int tenths = degrees * 18 + 320;
    if (tenths < 0)
        return (tenths - 5) / 10;
    return (tenths + 5) / 10;
}

static void print_table(void)
{
    for (int degrees = 0; degrees <= 30; degrees += 10) {
        char bar[32];
        int width = fahrenheit(degrees) / 4;
        for (int i = 0; i < width; i++)
            bar[i] = '#';
        bar[width] = 0;
        printf("%2d C %3d F %s\n", degrees, fahrenheit(degrees), bar);
    }
}

static int steepest(void)
{
    int most = 0;
    for (int i = 1; i < READINGS; i++) {
        int change = measured[i].degrees - measured[i - 1].degrees;
        if (change < 0)
            change = -change;
        if (change > most)
            most = change;
    }
    return most;
}

int main(void)
{
    pid_t child;
    int fd = start(&child), n;
    waitpid(child, NULL, 0);
    print_expected();
    print_hours();
    print_table();
    printf("steepest %d\n", steepest());
    n = receive(fd);
    close(fd);
    printf("warmest %d\n", warmest(n));
    return 0;
}
