/* Reads Lackey's instruction trace from standard input.  Only lines for instructions matter, "I  ADDR,LEN": one for
   each execution.  A line with another form is a data access, or a message of Valgrind.

   A program defines PROGRAM, its name, and includes this file before anything else; it has a function executed().  The
   input may be copied to another reader of the same run. */

#define _GNU_SOURCE             /* F_SETPIPE_SZ */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void executed(uint64_t addr, uint32_t len);

static void fail(const char *what)
{
    fprintf(stderr, PROGRAM ": %s\n", what);
    exit(2);
}

static void *need(void *p)
{
    if (!p)
        fail("out of memory");
    return p;
}

static unsigned char hexval[256];       /* values of lower-case digits; 0xff ends a number */

/* Handle one line, ended by a newline; the buffer has at least one byte behind it. */
static void line(const unsigned char *p)
{
    if (p[0] != 'I' || p[1] != ' ' || p[2] != ' ')
        return;
    uint64_t addr = 0;
    uint32_t len = 0;
    unsigned char d;
    for (p += 3; (d = hexval[*p]) != 0xff; p++)
        addr = addr << 4 | d;
    if (*p++ != ',')
        return;
    for (; *p >= '0' && *p <= '9'; p++)
        len = len * 10 + (uint32_t)(*p - '0');
    if (*p == '\n' && len)
        executed(addr, len);
}

static int copy_to = -1;                /* -1: no other reader, or it has enough */

static void copy(const unsigned char *p, size_t n)
{
    while (copy_to >= 0 && n) {
        ssize_t put = write(copy_to, p, n);
        if (put < 0) {
            close(copy_to);
            copy_to = -1;
        } else {
            p += put;
            n -= (size_t)put;
        }
    }
}

static void copy_trace_to(const char *path)
{
    signal(SIGPIPE, SIG_IGN);
    copy_to = open(path, O_WRONLY);
    if (copy_to < 0)
        fail("the copy cannot be opened");
}

static void read_trace(void)
{
    enum { BUF = 1 << 20 };
    static unsigned char buf[BUF + 4];
    size_t have = 0;

    memset(hexval, 0xff, sizeof hexval);
    for (int i = 0; i < 16; i++)
        hexval[(unsigned char)"0123456789abcdef"[i]] = (unsigned char)i;

    /* Lackey writes every line with a system call.  Each would wake a reader that waits in read(), which costs more
       than all the rest.  So make the pipe large and look at it seldom.  If it is not a pipe, this fails and is not
       needed. */
    int pipe_size = fcntl(0, F_SETPIPE_SZ, BUF);

    for (;;) {
        ssize_t got = read(0, buf + have, BUF - have);
        if (got < 0) {
            perror(PROGRAM ": read");
            exit(2);
        }
        if (got == 0)
            break;
        if (pipe_size > 0 && got < pipe_size / 2)
            usleep(5000);
        copy(buf + have, (size_t)got);
        have += (size_t)got;
        unsigned char *p = buf, *end = buf + have, *nl;
        while ((nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
            line(p);
            p = nl + 1;
        }
        have = (size_t)(end - p);
        if (have == BUF)
            fail("a line without end");
        memmove(buf, p, have);
    }
}
