/* A library for LD_PRELOAD: the process that has made the KILL_AT-th change of a directory, counted over all processes
   in the file KILL_COUNT, is killed, and with KILL_ALL its parent, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static void count_change(void)
{
   const char* path = getenv("KILL_COUNT");
   int         fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0666);

   flock(fd, LOCK_EX);
   (void)!write(fd, "", 1);
   if (lseek(fd, 0, SEEK_END) == atoi(getenv("KILL_AT"))) {
      if (getenv("KILL_ALL") != NULL)
         kill(0, SIGKILL);
      kill(getpid(), SIGKILL);
   }
   close(fd);
}

#define CHANGES(name, args, call)                               \
   int name args                                                \
   {                                                            \
      int (*real) args = dlsym(RTLD_NEXT, #name);               \
      int result = real call;                                   \
      count_change();                                           \
      return result;                                            \
   }

CHANGES(rename, (const char* from, const char* to), (from, to))
CHANGES(unlink, (const char* path), (path))
CHANGES(rmdir, (const char* path), (path))
