/* A program that maps a file of the system, and asks the kernel for a number. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int lines_of(const char* text, int n)
{
   int lines = 0;

   for (int i = 0; i < n; i++)
      if (text[i] == '\n')
         lines = lines + 1;
   return lines;
}

int main(int argc, char** argv)
{
   char* text = mmap(NULL, 100, PROT_READ, MAP_PRIVATE,
                     open("/usr/lib/os-release", O_RDONLY), 0);
   int   lines = text == MAP_FAILED ? 0 : lines_of(text, 100);

   lines = lines * 2;
   printf("%d lines, process %d\n", lines, (int)getpid());
   return argc + (argv[0][0] == 'x');
}
