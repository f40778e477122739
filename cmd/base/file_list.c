/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The names of files. */

/* Owns: lists of many files, and which of these belong together.  Handed:
   command lines by cmd_merge.c and cmd_export.c. */

#include "cmd/base/file_list.h"

#include "cmd/base/result.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void add_file_name(FileNames* names, const char* name)
{
   GROW(names->all, names->n, names->room);
   names->all[names->n++] = name;
}

void free_file_names(FileNames* names)
{
   free(names->all);
   free(names->stems);
   free(names->text);
   *names = (FileNames){ 0 };
}

/*--- Lists                                                ---*/

/* Return all bytes of F, with a NUL character behind them; *N is their
   number. */
static char* read_all(FILE* f, const char* path, size_t* n)
{
   char*  text = NULL;
   size_t room = 0, got;

   *n = 0;
   do {
      if (room - *n < 2) {
         room = room == 0 ? 4096 : 2 * room;
         text = need(realloc(text, room));
      }
      got = fread(text + *n, 1, room - *n - 1, f);
      *n += got;
   } while (got > 0);
   if (ferror(f))
      die("%s: %s", path, strerror(errno));
   text[*n] = 0;
   return text;
}

void read_file_names(FileNames* names, const char* list, bool nul_ended)
{
   bool   is_input = strcmp(list, "-") == 0;
   FILE*  f = is_input ? stdin : fopen(list, "r");
   char   end = nul_ended ? 0 : '\n';
   size_t n;
   char*  text;

   if (f == NULL)
      die("%s: %s", list, strerror(errno));
   text = names->text = read_all(f, list, &n);
   if (!nul_ended && strlen(text) < n)
      die("%s: there are NUL characters in it; -0 reads names that end with "
          "these", is_input ? "standard input" : list);
   for (size_t i = 0, next; i < n; i = next) {
      const char* behind = memchr(text + i, end, n - i);
      next = behind == NULL ? n + 1 : (size_t)(behind - text) + 1;
      text[next - 1] = 0;
      if (text[i] != 0)
         add_file_name(names, text + i);
   }
   if (!is_input)
      fclose(f);
}

/*--- Files that belong together                           ---*/

size_t plain_length(const char* name)
{
   size_t n = (size_t)(compressed_suffix(name) - name);

   return n > 5 && strncmp(name + n - 5, ".json", 5) == 0 ? n - 5 : n;
}

/* Return the length of NAME, PLAIN bytes long, without a number behind a
   dot. */
static size_t cut_length(const char* name, size_t plain)
{
   size_t n = plain;

   while (n > 0 && isdigit((unsigned char)name[n - 1]))
      n--;
   return n < plain && n > 1 && name[n - 1] == '.' && name[n - 2] != '/'
          ? n - 1 : plain;
}

typedef
   struct {
      const char* name;
      size_t      length;       // the part of the name that counts
      uint64_t    size;         // file size in bytes
      uint32_t    number;
   }
   Stem;

static int by_text(const Stem* x, const Stem* y)
{
   int order = strncmp(x->name, y->name, x->length < y->length ? x->length
                                                               : y->length);

   return order != 0 ? order : x->length < y->length ? -1
                               : x->length > y->length;
}

static int by_stem(const void* a, const void* b)
{
   const Stem* x = a;
   const Stem* y = b;

   return by_text(x, y) ?: x->number < y->number ? -1 : x->number > y->number;
}

static bool has_plain(const Stem* plain, uint32_t n, const Stem* cut)
{
   uint32_t low = 0;

   BISECT(low, n, middle, by_text(&plain[middle], cut) < 0);
   return low < n && by_text(&plain[low], cut) == 0;
}

/* Return the end of the stems with the same text as the one at FIRST. */
static uint32_t family_end(const Stem* all, uint32_t n, uint32_t first)
{
   uint32_t end = first + 1;

   while (end < n && by_text(&all[end], &all[first]) == 0)
      end++;
   return end;
}

void find_stems(FileNames* names, bool (*is_part)(const char* name))
{
   Stem*    plain = zalloc(names->n, sizeof(*plain));
   Stem*    cut = zalloc(names->n, sizeof(*cut));
   uint32_t n = 0;

   names->stems = zalloc(names->n, sizeof(*names->stems));
   for (uint32_t i = 0; i < names->n; i++) {
      const char* name = names->all[i];
      size_t      length = plain_length(name);
      plain[i] = (Stem){ name, length, 0, i };
      names->stems[i] = length;
      if (cut_length(name, length) < length)
         cut[n++] = (Stem){ name, cut_length(name, length), 0, i };
   }
   qsort(plain, names->n, sizeof(*plain), by_stem);
   qsort(cut, n, sizeof(*cut), by_stem);
   for (uint32_t first = 0, end; first < n; first = end) {
      end = family_end(cut, n, first);
      if (!has_plain(plain, names->n, &cut[first])
          && (end - first == 1 || !is_part(cut[first].name)))
         continue;
      for (uint32_t k = first; k < end; k++)
         names->stems[cut[k].number] = cut[k].length;
   }
   free(plain);
   free(cut);
}

/*--- Shards                                               ---*/

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t stem_hash(const char* name, size_t length)
{
   uint64_t h = 0xcbf29ce484222325u;

   for (size_t i = 0; i < length; i++)
      h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
   return h ^ h >> 32;
}

static uint64_t read_number(const char* shard, const char* text,
                            const char** end)
{
   char*    behind;
   uint64_t n;

   errno = 0;
   n = strtoull(text, &behind, 10);
   if (!isdigit((unsigned char)text[0]) || errno != 0 || n > UINT32_MAX)
      die("--shard=I/N needs the number of a shard, from 0, and how many "
          "shards there are, not `%s'", shard);
   *end = behind;
   return n;
}

void keep_shard(FileNames* names, const char* shard)
{
   const char* end;
   uint64_t    i = read_number(shard, shard, &end), n;
   uint32_t    kept = 0;

   n = read_number(shard, *end == '/' ? end + 1 : "", &end);
   if (*end != 0 || i >= n)
      die("--shard=I/N needs a number from 0 to N - 1, and how many shards "
          "there are, not `%s'", shard);
   for (uint32_t k = 0; k < names->n; k++) {
      if (strcmp(names->all[k], "-") == 0)
         die("--shard needs names of files; the standard input has none");
      if (stem_hash(names->all[k], names->stems[k]) % n != i)
         continue;
      names->stems[kept] = names->stems[k];
      names->all[kept++] = names->all[k];
   }
   names->n = kept;
}

/*--- Lists of equal sizes                                 ---*/

/* Files of one stem: FIRST to END - 1. */
typedef
   struct {
      uint32_t first, end;
      uint64_t size;
   }
   Family;

COMPARE(by_size, Family, DOWN(size) ?: UP(first))

uint32_t divide_files(const FileNames* names, uint32_t n, FileNames* lists)
{
   Stem*     all = zalloc(names->n, sizeof(*all));
   Family*   families = zalloc(names->n, sizeof(*families));
   uint64_t* sums = zalloc(n, sizeof(*sums));
   uint32_t  n_families = 0, used = 0;

   for (uint32_t i = 0; i < names->n; i++) {
      struct stat st;
      all[i] = (Stem){ names->all[i], names->stems[i], 0, i };
      if (stat(names->all[i], &st) == 0 && S_ISREG(st.st_mode))
         all[i].size = (uint64_t)st.st_size;
   }
   qsort(all, names->n, sizeof(*all), by_stem);
   for (uint32_t i = 0; i < names->n; i = families[n_families++].end) {
      Family* f = &families[n_families];
      *f = (Family){ i, family_end(all, names->n, i), 0 };
      for (uint32_t k = i; k < f->end; k++)
         f->size += all[k].size;
   }
   qsort(families, n_families, sizeof(*families), by_size);
   /* The largest first, always to the list that has least. */
   for (uint32_t i = 0; i < n_families; i++) {
      uint32_t least = 0;
      for (uint32_t k = 1; k < n; k++)
         if (sums[k] < sums[least])
            least = k;
      for (uint32_t k = families[i].first; k < families[i].end; k++)
         add_file_name(&lists[least], all[k].name);
      sums[least] += families[i].size + 1;
   }
   for (uint32_t k = 0; k < n; k++)
      if (lists[k].n > 0)
         lists[used++] = lists[k];
   free(all);
   free(families);
   free(sums);
   return used;
}
