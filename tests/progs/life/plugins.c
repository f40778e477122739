/* Loads the two objects in its arguments in turn, and unloads them; each round calls plugin() as often as said behind
   them.  The second one comes to lie where the first one did.  A number below 0: a child goes on, and the parent waits
   for it and then goes on, too. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
   int i, k;

   for (i = 3; i < argc; i++) {
      void *object = dlopen(argv[1 + (i + 1) % 2], RTLD_NOW);
      int (*plugin)(int);
      if (object == NULL) {
         fprintf(stderr, "%s\n", dlerror());
         return 1;
      }
      *(void **)&plugin = dlsym(object, "plugin");
      k = atoi(argv[i]);
      if (k < 0 && fork() != 0)
         wait(NULL);
      for (k = abs(k); k > 0; k--)
         plugin(k);
      dlclose(object);
   }
   return 0;
}
