/* mapped FILE [PAGES]...: makes FILE that many pages long, each page a function, maps the same three pages of it, runs the
   last function that it has, and unmaps them.  What is behind the end of the file is mapped, but cannot be read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

int main(int argc, char **argv)
{
   void *place = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int fd = open(argv[1], O_RDWR | O_CREAT, 0755);
   int i, k;

   for (i = 2; i < argc; i++) {
      int pages = atoi(argv[i]);
      void *object;
      void (*run)(void);

      if (ftruncate(fd, 0) != 0 || ftruncate(fd, pages * PAGE) != 0)
         return 1;
      for (k = 0; k < pages; k++)
         if (pwrite(fd, "\xc3", 1, k * PAGE) != 1)      /* ret */
            return 1;
      object = mmap(place, 3 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
      if (object != place)
         return 1;
      *(void **)&run = (char *)place + (pages - 1) * PAGE;
      run();
      munmap(place, 3 * PAGE);
   }
   return 0;
}
