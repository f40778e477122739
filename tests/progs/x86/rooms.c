/* Memory that a system call reads, or leaves changed, in place of what the program had there: each is read once, by the
   instruction behind a label. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* All of its bytes; of sets the first word. */
#define READ(label, where, size) \
   for (unsigned i_ = 0; i_ < (size); i_++) \
      asm volatile(label ": movb (%0), %%al" : : "r"((char *)&(where) + i_) : "eax", "memory")

int main(void)
{
   int                fds[2], server, client, tcp, other, buffer, at;
   socklen_t          len;
   char               text[8], more[64];
   fd_set             readers;
   loff_t             from = 3, to = 1;
   struct sockaddr_in addr = { .sin_family = AF_INET };
   struct iovec       iov = { text, 4 };
   struct msghdr      message = { &addr, sizeof addr, &iov, 1, more, sizeof more, 0 };
   struct timespec    wait = { 1, 0 };
   struct pollfd      poll_fd;
   struct epoll_event event = { EPOLLIN, { .u32 = 7 } };

   addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
   server = socket(AF_INET, SOCK_STREAM, 0);
   tcp    = socket(AF_INET, SOCK_STREAM, 0);
   other  = socket(AF_INET, SOCK_DGRAM, 0);
   client = socket(AF_INET, SOCK_DGRAM, 0);
   if (bind(server, (void *)&addr, sizeof addr) || bind(other, (void *)&addr, sizeof addr) || listen(server, 1))
      return 1;
   len = sizeof addr;
   if (getsockname(server, (void *)&addr, &len))
      return 2;
   READ("at_getsockname", len, 4);
   if (connect(tcp, (void *)&addr, sizeof addr))
      return 3;
   len = sizeof addr;
   at = accept(server, (void *)&addr, &len);
   READ("at_accept", len, 4);
   len = sizeof addr;
   if (getsockname(other, (void *)&addr, &len) || sendto(client, "abc", 3, 0, (void *)&addr, len) != 3)
      return 4;
   if (recvfrom(other, text, 3, 0, (void *)&addr, &len) != 3)
      return 5;
   READ("at_recvfrom", len, 4);
   len = sizeof buffer;
   if (getsockopt(other, SOL_SOCKET, SO_TYPE, &buffer, &len))
      return 6;
   READ("at_getsockopt", len, 4);
   len = sizeof addr;
   if (getsockname(other, (void *)&addr, &len) || sendto(client, "abc", 3, 0, (void *)&addr, len) != 3)
      return 7;

   FD_ZERO(&readers);
   FD_SET(other, &readers);
   if (select(other + 1, &readers, NULL, NULL, NULL) != 1)
      return 8;
   READ("at_select", readers, sizeof(long));
   poll_fd = (struct pollfd){ other, POLLIN, 0 };
   if (ppoll(&poll_fd, 1, &wait, NULL) != 1)
      return 9;
   if (recvmsg(other, &message, 0) != 3)
      return 10;
   READ("at_recvmsg_name", message.msg_namelen, 4);
   READ("at_recvmsg_control", message.msg_controllen, 4);

   if (pipe(fds) || (buffer = open("/proc/self/exe", O_RDONLY)) < 0)
      return 11;
   if (splice(buffer, &from, fds[1], NULL, 4, 0) != 4)
      return 12;
   READ("at_splice", from, 8);
   at = epoll_create1(0);
   if (epoll_ctl(at, EPOLL_CTL_ADD, fds[0], &event))
      return 13;
   return 0;
}
