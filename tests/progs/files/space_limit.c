/* Sets its own RLIMIT_AS and reads it back, also from memory that it cannot write, and calls an execve that fails.  With an
   argument, it does so as another user.  Returns the number of differences. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct rlimit fixed = { 1 << 20, 1 << 21 };

static int reads(rlim_t cur, rlim_t max)
{
   struct rlimit r;
   return getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur == cur && r.rlim_max == max;
}

int main(int argc, char** argv)
{
   struct rlimit half = { 1 << 19, 1 << 20 }, wrong = { 3, 2 }, old;

   if (argc > 1 && (setgid(65534) != 0 || setuid(65534) != 0))
      return 1;
   if (setrlimit(RLIMIT_AS, &fixed) != 0 || !reads(1 << 20, 1 << 21))
      return 2;
   if (prlimit(0, RLIMIT_AS, &half, &old) != 0 || old.rlim_cur != 1 << 20 || old.rlim_max != 1 << 21)
      return 3;
   if (half.rlim_cur != 1 << 19 || !reads(1 << 19, 1 << 20))
      return 4;
   if (argc > 1 && setrlimit(RLIMIT_AS, &fixed) == 0)
      return 5;
   if (setrlimit(RLIMIT_AS, &wrong) == 0 || errno != EINVAL || !reads(1 << 19, 1 << 20))
      return 6;
   execl("/etc/passwd", "passwd", (char*)0);
   return 0;
}
