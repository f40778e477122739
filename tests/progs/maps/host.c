/* Maps and unmaps what its arguments say, in their order.  seen() prints where things are, with their contents, to the
   file that the first argument names. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct plug { void *handle; int (*serve)(int); int *stock; const char *label; };
static struct plug last;
static int total;

__attribute__((noinline)) void seen(int *at, int n, const char *text)
{
    printf("%p %d %s\n", (void *)at, n, text);
    fflush(stdout);
}

static struct plug load(const char *path)
{
    struct plug p = { dlopen(path, RTLD_NOW), NULL, NULL, NULL };
    if (p.handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    p.serve = *(int (**)(int))dlsym(p.handle, "serve");
    p.stock = *(int **)dlsym(p.handle, "stock");
    p.label = *(const char **)dlsym(p.handle, "label");
    return p;
}

static char *page_of(void *at)
{
    return (char *)((uintptr_t)at & -(uintptr_t)4096);
}

static void use(const char *path)
{
    struct plug p = load(path);
    int got = p.serve(3) + p.stock[3];
    total += got;
    seen(p.stock, got, p.label);
    dlclose(p.handle);
    last = p;
}

/* A file where data of the last plug-in was, or is. */
static void map_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    char *at = mmap(page_of(last.stock), 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
    close(fd);
    total += at[8];
    seen(last.stock, 0, "file");
    munmap(at, 4096);
}

/* Code that is made where code of the last plug-in was: lea 42(%rdi), %eax; ret */
static void make_code(void)
{
    static const unsigned char code[] = { 0x8d, 0x47, 0x2a, 0xc3 };
    char *at = (char *)last.serve;
    mmap(page_of(at), 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy(at, code, sizeof code);
    int got = last.serve(1);
    total += got;
    seen((int *)(void *)at, got, "made");
    munmap(page_of(at), 8192);
}

int main(int argc, char **argv)
{
    if (argc < 2 || freopen(argv[1], "w", stdout) == NULL)
        return 1;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--replace") == 0) {
            if (rename(argv[i + 1], argv[i + 2]) != 0)
                return 1;
            i += 2;
        } else if (strcmp(argv[i], "--keep") == 0)
            last = load(argv[++i]);
        else if (strcmp(argv[i], "--file") == 0)
            map_file(argv[++i]);
        else if (strcmp(argv[i], "--code") == 0)
            make_code();
        else if (strcmp(argv[i], "--block") == 0)       /* the next one has to be elsewhere */
            mmap(page_of((char *)last.serve), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        else
            use(argv[i]);
    printf("%d\n", total);
    fflush(stdout);
    /* Data of a plug-in may be gone, so nothing is finished. */
    _exit(0);
}
