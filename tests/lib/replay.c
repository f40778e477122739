/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz targets without a fuzzer. */

/* usage: replay_load FILE..., replay_trace FILE..., replay_xray FILE... or
   replay_wet FILE...

   Runs a fuzz target with each FILE; without arguments, with the files of the
   corpus that belongs to the program.  Prints one line of TAP for all of them.
   An error ends the program. */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void replay(const char* path)
{
   FILE*    f = fopen(path, "rb");
   uint8_t* data;
   long     size;

   if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0
       || fseek(f, 0, SEEK_SET) != 0) {
      perror(path);
      exit(1);
   }
   /* A buffer of just this length: the address sanitizer reports any read
      beyond it. */
   data = malloc((size_t)size + (size == 0));
   if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
      perror(path);
      exit(1);
   }
   fclose(f);
   LLVMFuzzerTestOneInput(data, (size_t)size);
   free(data);
}

static int replay_corpus(const char* name)
{
   char           path[4096];
   DIR*           dir;
   struct dirent* e;
   int            n = 0;

   snprintf(path, sizeof(path), SOURCE_DIR "/corpus/%s", name);
   dir = opendir(path);
   if (dir == NULL) {
      perror(path);
      exit(1);
   }
   while ((e = readdir(dir)) != NULL)
      if (e->d_name[0] != '.') {
         snprintf(path, sizeof(path), SOURCE_DIR "/corpus/%s/%s", name,
                  e->d_name);
         fprintf(stderr, "%s\n", path);
         replay(path);
         n++;
      }
   closedir(dir);
   return n;
}

int main(int argc, char** argv)
{
   const char* name = strstr(argv[0], "replay_trace") ? "trace"
                      : strstr(argv[0], "replay_xray") ? "xray"
                      : strstr(argv[0], "replay_wet") ? "wet" : "load";

   if (argc == 1)
      argc += replay_corpus(name);
   else
      for (int i = 1; i < argc; i++)
         replay(argv[i]);
   printf("%sok 1 - %s: %d files\n1..1\n", argc > 1 ? "" : "not ", name,
          argc - 1);
   return argc > 1 ? 0 : 1;
}
