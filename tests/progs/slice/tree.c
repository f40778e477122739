/* The sizes of files in folders: an integer overflow.

   right: /video has 5100 MB
   wrong: /video has 805 MB */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct folder {
    const char *name;
    int32_t bytes;
    int files;
    struct folder *next;
};

static const char *const listing[] = {
    "/music/a.flac 31000000", "/music/b.flac 28500000", "/text/notes 1200", "/video/one.mkv 1700000000",
    "/text/todo 340", "/video/two.mkv 1700000000", "/music/c.mp3 4100000", "/video/three.mkv 1700000000",
    "/text/empty 0",
};
#define FILES (int)(sizeof listing / sizeof listing[0])

static struct folder *folders;

static struct folder *find(const char *name, size_t length)
{
    struct folder *f;
    char *copy;
    for (f = folders; f != NULL; f = f->next)
        if (strlen(f->name) == length && memcmp(f->name, name, length) == 0)
            return f;
    f = calloc(1, sizeof *f);
    copy = malloc(length + 1);
    if (f == NULL || copy == NULL)
        exit(1);
    memcpy(copy, name, length);
    copy[length] = 0;
    f->name = copy;
    f->next = folders;
    folders = f;
    return f;
}

static void add(struct folder *f, int bytes)
{
    f->bytes += bytes;                          /* BUG: 32 bits */
    f->files++;
}

static const char *suffix(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot == NULL || strchr(dot, '/') != NULL ? "" : dot + 1;
}

static void count_suffixes(void)
{
    static const char *const known[] = { "flac", "mp3", "mkv" };
    int counts[4] = { 0 };
    for (int i = 0; i < FILES; i++) {
        char path[64];
        int k = 0;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(listing[i], " "), listing[i]);
        while (k < 3 && strcmp(suffix(path), known[k]) != 0)
            k++;
        counts[k]++;
    }
    for (int k = 0; k < 4; k++)
        printf("%-6s %d\n", k < 3 ? known[k] : "other", counts[k]);
}

static void read_listing(void)
{
    for (int i = 0; i < FILES; i++) {
        const char *slash = strchr(listing[i] + 1, '/');
        const char *blank = strchr(listing[i], ' ');
        add(find(listing[i], slash - listing[i]), atoi(blank));
    }
}

static void print_tree(void)
{
    int files = 0, longest = 0;
    for (const struct folder *f = folders; f != NULL; f = f->next) {
        int length = strlen(f->name);
        files += f->files;
        if (length > longest)
            longest = length;
    }
    printf("%d files\n", files);
    for (const struct folder *f = folders; f != NULL; f = f->next)
        printf("%*s %d\n", longest, f->name, f->files);
}

static void print_size(const char *name)
{
    const struct folder *f = find(name, strlen(name));
    int mega = f->bytes / 1000000;
    printf("%s has %d MB\n", name, mega);
}

int main(void)
{
    count_suffixes();
    read_listing();
    print_tree();
    print_size("/video");
    return 0;
}
