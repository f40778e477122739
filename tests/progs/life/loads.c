/* loads OBJECT [CONTENT CALLS LOADS]...: overwrites OBJECT, which stays the same file, with the contents of file CONTENT.
   "-": leaves OBJECT as it is; "+": replaces it by a new file with the same contents.  Then LOADS times: loads OBJECT,
   calls its plugin() CALLS times, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void overwrite(const char *object, const char *content)
{
   char  bytes[4096];
   size_t n;
   FILE *from = fopen(content, "rb"), *to = fopen(object, "wb");

   if (from == NULL || to == NULL) {
      perror(from == NULL ? content : object);
      exit(1);
   }
   while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0)
      fwrite(bytes, 1, n, to);
   fclose(from);
   fclose(to);
}

static void replace(const char *object)
{
   char new[4096];

   snprintf(new, sizeof(new), "%s.new", object);
   overwrite(new, object);
   rename(new, object);
}

static void load(const char *path, int calls)
{
   void *object = dlopen(path, RTLD_NOW);
   int (*plugin)(int);

   if (object == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      exit(1);
   }
   *(void **)&plugin = dlsym(object, "plugin");
   while (calls-- > 0)
      plugin(calls);
   dlclose(object);
}

int main(int argc, char **argv)
{
   int i, k;

   for (i = 2; i + 2 < argc; i += 3) {
      if (strcmp(argv[i], "+") == 0)
         replace(argv[1]);
      else if (strcmp(argv[i], "-") != 0)
         overwrite(argv[1], argv[i]);
      for (k = atoi(argv[i + 2]); k > 0; k--)
         load(argv[1], atoi(argv[i + 1]));
   }
   return 0;
}
