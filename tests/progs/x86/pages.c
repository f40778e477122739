/* Arguments of system calls with more than three of them, and memory that one
   writes. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv)
{
   char  text[4];
   int   pages = argc * 3;
   int   other = argc * 5;
   off_t offset = pages - 2;
   int   file = open(argv[0], O_RDONLY);

   if (pread(file, text, 3, offset) != 3)
      return 1;
   if (mmap(NULL, 4096 * pages, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
      return 2;
   printf("%c%c other %d\n", text[0], text[1], other);
   return 0;
}
