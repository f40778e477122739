/* Code without names, different for each argument, as a JIT compiler makes it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char** argv)
{
   int n = atoi(argv[1]), s = 0;
   for (int k = 0; k < 2; k++) {
      unsigned char* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      unsigned char* at = code;
      for (int i = 0; i < n % 3 + k; i++) { memcpy(at, "\x83\xc7\x05", 3); at += 3; }        /* addl $5, %edi */
      memcpy(at, "\x83\xff\x14\x7f\x03\x83\xc7\x07\x89\xf8\xc3", 11);   /* cmpl; jg; addl $7, %edi; movl %edi, %eax; ret */
      for (int i = 0; i < n; i++)
         s += ((int (*)(int))code)(i * argc);
   }
   return s == 0;
}
