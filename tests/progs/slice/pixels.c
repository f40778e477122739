/* A picture in strips, a thread for each: an error in another thread.

   right: brightness 116
   wrong: brightness 78 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 16
#define HEIGHT 12
#define THREADS 4

struct strip {
    int from, to;               /* rows */
    long sum;
    pthread_t thread;
};

static unsigned char picture[HEIGHT][WIDTH];
static struct strip strips[THREADS];

static void paint(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            picture[y][x] = 13 * y + 6 * x;
}

static void *add_up(void *arg)
{
    struct strip *s = arg;
    for (int y = s->from; y < s->to; y++)
        for (int x = 0; x < WIDTH - 4; x++)     /* BUG: all of them */
            s->sum += picture[y][x];
    return NULL;
}

static void start(void)
{
    for (int i = 0; i < THREADS; i++) {
        strips[i].from = i * HEIGHT / THREADS;
        strips[i].to = (i + 1) * HEIGHT / THREADS;
        if (pthread_create(&strips[i].thread, NULL, add_up, &strips[i]) != 0)
            exit(1);
    }
}

static int finish(void)
{
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(strips[i].thread, NULL);
        sum += strips[i].sum;
    }
    return (int)(sum / (WIDTH * HEIGHT));
}

static void flip(void)
{
    for (int y = 0; y < HEIGHT / 2; y++) {
        unsigned char row[WIDTH];
        memcpy(row, picture[y], WIDTH);
        memcpy(picture[y], picture[HEIGHT - 1 - y], WIDTH);
        memcpy(picture[HEIGHT - 1 - y], row, WIDTH);
    }
}

static int brightest_row(void)
{
    int best = 0, most = -1;
    for (int y = 0; y < HEIGHT; y++) {
        int sum = 0;
        for (int x = 0; x < WIDTH; x++)
            sum += picture[y][x];
        if (sum > most) {
            most = sum;
            best = y;
        }
    }
    return best;
}

static void print_picture(void)
{
    static const char shades[] = " .:-=+*#%@";
    for (int y = 0; y < HEIGHT; y++) {
        char line[WIDTH + 1];
        for (int x = 0; x < WIDTH; x++)
            line[x] = shades[picture[y][x] * 10 / 256];
        line[WIDTH] = 0;
        puts(line);
    }
}

static void print_histogram(void)
{
    int counts[8] = { 0 };
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            counts[picture[y][x] / 32]++;
    for (int i = 0; i < 8; i++)
        if (counts[i] > 0)
            printf("%3d-%3d: %d\n", 32 * i, 32 * i + 31, counts[i]);
}

static int edges(void)
{
    int n = 0;
    for (int y = 1; y < HEIGHT; y++)
        for (int x = 1; x < WIDTH; x++) {
            int down = abs(picture[y][x] - picture[y - 1][x]);
            int right = abs(picture[y][x] - picture[y][x - 1]);
            if (down + right > 18)
                n++;
        }
    return n;
}

int main(void)
{
    paint();
    start();
    printf("brightness %d\n", finish());
    print_histogram();
    print_picture();
    flip();
    printf("row %d is the brightest\n", brightest_row());
    printf("%d edges\n", edges());
    return 0;
}
