#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
   char a[8], b[8], big[6000], sink[6000];
   int fds[2], pair[2], n = argc * 26;
   int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
   sprintf(a, "%d", n);
   sprintf(b, "%d", n + 1);
   write(1, "total ", 6);
   write(1, a, 2);
   struct iovec v[3] = { { "both ", 5 }, { a, 2 }, { b, 2 } };
   writev(1, v, 3);
   write(1, "=end", 4);
   dup2(1, 30);
   write(30, a, 2);
   write(dup(30), "dup", 3);
   write(1, "on", 2);
   write(file, "one", 3);
   pwrite(file, "two", 3, 100);
   write(file, "three", 5);
   lseek(file, 0, SEEK_CUR);
   write(file, "four", 4);
   lseek(file, 0, SEEK_SET);
   write(file, "five", 4);
   socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
   send(pair[0], "sent ", 5, 0);
   struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
   sendmsg(pair[0], &m, 0);
   pipe(fds);
   fcntl(fds[1], F_SETPIPE_SZ, 4096);
   fcntl(fds[1], F_SETFL, O_NONBLOCK);
   for (int i = 0; i < 6000; i++)
      big[i] = 'A' + i / 500 + argc - 1;
   int k = write(fds[1], big, 6000);
   read(fds[0], sink, k);
   write(fds[1], big + k, 6000 - k);
   return k != 4096;
}
