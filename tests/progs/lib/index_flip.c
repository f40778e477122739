#include <dcfg_slice.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv)
{
   DcfgError err;
   DcfgWet*  w = argc == 4 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   int       fd = argc == 4 ? open(argv[2], O_RDWR) : -1;
   off_t     size = lseek(fd, 0, SEEK_END);
   long      taken = 0, tried = 0, step = argc == 4 ? atol(argv[3]) : 0;
   if (w == NULL || fd < 0 || !dcfg_slice_use_index(w, dup(fd), &err))
      return 2;
   for (off_t at = 0; at < size; at += at < 1000 || at >= size - 1000 - step ? 1 : step) {
      unsigned char byte, other;
      tried++;
      if (pread(fd, &byte, 1, at) != 1)
         return 2;
      other = byte ^ (unsigned char)(1 + at % 255);
      if (pwrite(fd, &other, 1, at) != 1)
         return 2;
      if (dcfg_slice_use_index(w, dup(fd), &err) && ++taken < 10)
         printf("byte %ld\n", (long)at);
      if (pwrite(fd, &byte, 1, at) != 1)
         return 2;
   }
   printf("%ld of %ld\n", taken, tried);
   return taken > 0 || !dcfg_slice_use_index(w, dup(fd), &err);
}
