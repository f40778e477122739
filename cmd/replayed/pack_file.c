/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A recording with the files that its replay needs: the archive. */

/* Owns: the archive's format, and its unpacked copy.  Handed: files to pack; the
   path of an archive.

   A pack is a tar file of POSIX's format ustar, compressed or not, with
   - recording.rec, the recording;
   - builds, a text: for each file below its build and its path;
   - root/PATH, the files that a replay maps, and their debug information.

   It is unpacked beside itself: crash.tar.zst to crash.unpacked/.  An archive may
   have been made to do harm.  So only regular files with these names are taken,
   each once, and no links; they go to a new directory, which only the user may
   enter, and which gets its name when all is there.  Sizes are not believed: bytes
   are copied as they come, up to the limit that the library has for unpacked
   files.

   The loader reads the dynamic linker under the name that the program has for it,
   which mostly is a link.  That link is made here, from the program's file. */

#include "cmd/replayed/pack_file.h"

#include "cmd/base/format.h"
#include "cmd/base/result.h"
#include "cmd/program/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 512

/* UstarHead: what stands before each file.  Numbers are octal texts. */
typedef
   struct {
      char name[100], mode[8], uid[8], gid[8], size[12], time[12], sum[8];
      char type, link[100], magic[8], user[32], group[32], major[8], minor[8];
      char prefix[155], rest[12];
   }
   UstarHead;

_Static_assert(sizeof(UstarHead) == BLOCK, "as POSIX says");

#define MAGIC "ustar\00000"             // with the version behind it

/* The most bytes of a file: 11 octal digits. */
#define MOST_SIZE ((UINT64_C(1) << 33) - 1)

/* Return the sum of the bytes of H, that of its own field as if there were
   spaces. */
static unsigned head_sum(const UstarHead* h)
{
   const unsigned char* at = (const unsigned char*)h;
   unsigned             sum = 0;

   for (size_t i = 0; i < BLOCK; i++)
      sum += i - offsetof(UstarHead, sum) < sizeof(h->sum) ? ' ' : at[i];
   return sum;
}

/*--- Packing                                              ---*/

/* Set the name of H: a long one is divided at a slash.  Return false if it has no
   room. */
static bool set_name(UstarHead* h, const char* name)
{
   size_t n = strlen(name), k = 0;

   if (n > sizeof(h->name)) {
      while (k < n && (name[k] != '/' || n - k - 1 > sizeof(h->name)))
         k++;
      if (k == n || k > sizeof(h->prefix))
         return false;
      memcpy(h->prefix, name, k);
      k++;
   }
   memcpy(h->name, name + k, n - k);
   return true;
}

static void put_head(FILE* to, const char* name, uint64_t size)
{
   UstarHead h = { .type = '0', .mode = "0000700", .uid = "0000000",
                   .gid = "0000000", .time = "00000000000" };
   char      text[sizeof(h.size) + 1];

   if (size > MOST_SIZE || !set_name(&h, name))
      die("%s cannot be packed: its %s too long", name,
          size > MOST_SIZE ? "contents are" : "name is");
   snprintf(text, sizeof(text), "%011" PRIo64, size);
   memcpy(h.size, text, sizeof(h.size));
   memcpy(h.magic, MAGIC, sizeof(h.magic));
   snprintf(h.sum, sizeof(h.sum), "%06o", head_sum(&h));
   h.sum[7] = ' ';
   fwrite(&h, 1, sizeof(h), to);
}

/* Fill the last block of a file of SIZE bytes. */
static void put_rest(FILE* to, uint64_t size)
{
   static const char zeros[BLOCK];

   fwrite(zeros, 1, (size_t)(-size % BLOCK), to);
}

void pack_file(FILE* to, const char* name, int fd)
{
   char        part[65536];
   struct stat st;
   uint64_t    left;

   if (fstat(fd, &st) != 0)
      die("%s: %s", name, strerror(errno));
   put_head(to, name, left = (uint64_t)st.st_size);
   while (left > 0) {
      ssize_t n = read(fd, part, left < sizeof(part) ? left : sizeof(part));
      if (n <= 0)
         die("%s: %s", name, n < 0 ? strerror(errno)
             : "it has become shorter while it was read");
      fwrite(part, 1, (size_t)n, to);
      left -= (uint64_t)n;
   }
   put_rest(to, (uint64_t)st.st_size);
}

void pack_text(FILE* to, const char* name, const char* text, size_t size)
{
   put_head(to, name, size);
   fwrite(text, 1, size, to);
   put_rest(to, size);
}

void pack_end(FILE* to)
{
   static const char zeros[2 * BLOCK];

   fwrite(zeros, 1, sizeof(zeros), to);
}

/*--- Names                                                ---*/

/* Return whether NAME is a relative path that leads downwards only. */
static bool leads_down(const char* name)
{
   for (size_t n;; name += n + 1) {
      n = strcspn(name, "/");
      if (n == 0 || (n == 1 && name[0] == '.')
          || (n == 2 && memcmp(name, "..", 2) == 0))
         return false;
      if (name[n] == 0)
         return true;
   }
}

static bool is_in_root(const char* name)
{
   return strncmp(name, PACK_ROOT "/", strlen(PACK_ROOT "/")) == 0
          && leads_down(name);
}

/* Return the directory to which the pack FILE is unpacked. */
static char* folder_of(const char* file)
{
   size_t n = (size_t)(compressed_suffix(file) - file);

   if (n > 4 && strncmp(file + n - 4, ".tar", 4) == 0)
      n -= 4;
   return text_copy(text_format("%.*s.unpacked", (int)n, file));
}

/*--- Unpacking                                            ---*/

/* Unpacking: the pack that is read.  .temporary is the directory's name until all
   is there. */
typedef
   struct {
      const char* file;
      DcfgText*   text;
      char*       temporary;
      uint64_t    room;         // bytes that files may still take
   }
   Unpacking;

static char* unfinished;        // the directory that is removed at the end

static int remove_one(const char* path, const struct stat* st, int type,
                      struct FTW* at)
{
   (void)st, (void)type, (void)at;
   return remove(path);
}

static void remove_unfinished(void)
{
   if (unfinished != NULL)
      nftw(unfinished, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static _Noreturn void refuse(const Unpacking* u, const char* why)
{
   die("%s is damaged, or no pack of dcfg record: %s", u->file, why);
}

/* Read SIZE bytes to TO.  Die if there are not as many. */
static void take(Unpacking* u, void* to, size_t size)
{
   DcfgError err;

   for (size_t n, got = 0; got < size; got += n) {
      n = dcfg_text_read(u->text, (char*)to + got, size - got, &err);
      need_file(n > 0 || err.status == DCFG_OK, &err, KIND_OTHER);
      if (n == 0)
         refuse(u, "it ends too early");
   }
}

/* Return the number that the octal text of 12 bytes at AT is. */
static uint64_t octal(const Unpacking* u, const char* at)
{
   uint64_t n = 0;
   size_t   i = 0;

   for (; i < 11 && at[i] >= '0' && at[i] <= '7'; i++)
      n = n << 3 | (uint64_t)(at[i] - '0');
   if (i == 0 || (at[i] != 0 && at[i] != ' '))
      refuse(u, "a size is no number");
   return n;
}

/* Create the file NAME in the new directory, and the directories to it. */
static int create(const Unpacking* u, const char* name)
{
   char* path = text_copy(text_format("%s/%s", u->temporary, name));
   int   fd;

   for (char* at = path + strlen(u->temporary) + 1;
        (at = strchr(at, '/')) != NULL; *at++ = '/') {
      *at = 0;
      if (mkdir(path, 0700) != 0 && errno != EEXIST)
         die("%s: %s", path, strerror(errno));
   }
   fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
             strncmp(name, PACK_ROOT "/", 5) == 0 ? 0700 : 0600);
   if (fd < 0 && errno == EEXIST)
      refuse(u, text_format("%s is there twice", text_clean(name)));
   if (fd < 0)
      die("%s: %s", path, strerror(errno));
   free(path);
   return fd;
}

/* Copy the next SIZE bytes to the file FD. */
static void copy_to(Unpacking* u, int fd, const char* name, uint64_t size)
{
   char part[16 * BLOCK];

   if (size > u->room || u->room - size < BLOCK)
      die("%s would take too much disk space, unpacked: allow more with --disk",
          u->file);
   u->room -= size + BLOCK;
   for (uint64_t left = size; left > 0;) {
      uint64_t whole = (left + BLOCK - 1) / BLOCK * BLOCK;
      size_t   n = whole < sizeof(part) ? (size_t)whole : sizeof(part);
      size_t   used = left < n ? (size_t)left : n;
      take(u, part, n);
      if (write(fd, part, used) != (ssize_t)used)
         die("%s/%s: %s", u->temporary, name, strerror(errno));
      left -= used;
   }
   if (close(fd) != 0)
      die("%s/%s: %s", u->temporary, name, strerror(errno));
}

/* Unpack the next file.  Return false if there is none. */
static bool unpack_next(Unpacking* u)
{
   static const UstarHead none;
   UstarHead h;
   char      name[sizeof(h.prefix) + sizeof(h.name) + 2];
   uint64_t  size;

   take(u, &h, sizeof(h));
   if (memcmp(&h, &none, sizeof(h)) == 0)
      return false;
   if (memcmp(h.magic, "ustar", 5) != 0
       || strtoul(text_format("%.8s", h.sum), NULL, 8) != head_sum(&h))
      refuse(u, "a check sum is wrong");
   snprintf(name, sizeof(name), "%.155s%s%.100s", h.prefix,
            h.prefix[0] == 0 ? "" : "/", h.name);
   if (strcmp(name, PACK_REC) != 0 && strcmp(name, PACK_LIST) != 0
       && !is_in_root(name))
      refuse(u, text_format("it has a file `%s'", text_clean(name)));
   if (h.type != '0' && h.type != 0)
      refuse(u, text_format("%s is no regular file", text_clean(name)));
   size = octal(u, h.size);
   copy_to(u, create(u, name), name, size);
   return true;
}

/* Set PATH to the file of the dynamic linker as the program at FILE names it.
   Return false if it names none. */
static bool find_interpreter(const char* file, char path[4096])
{
   int       fd = open_regular(file);
   Elf*      elf;
   bool      found = false;
   GElf_Phdr h;

   elf_version(EV_CURRENT);
   elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
   for (size_t i = 0; !found && next_header(elf, PT_INTERP, &i, &h); )
      if (h.p_filesz > 1 && h.p_filesz <= 4096)
         found = pread(fd, path, h.p_filesz, (off_t)h.p_offset)
                 == (ssize_t)h.p_filesz && path[h.p_filesz - 1] == 0;
   elf_end(elf);
   if (fd >= 0)
      close(fd);
   return found;
}

/* Make the link to the dynamic linker, the recording's second image. */
static void link_interpreter(const Unpacking* u)
{
   DcfgRec* rec = load_rec(text_format("%s/" PACK_REC, u->temporary));
   char     name[4096], *path;
   char*    to = NULL;

   path = text_copy(text_format(PACK_ROOT "%s", rec->program));
   if (rec->n_images > 1 && is_in_root(path)
       && find_interpreter(text_format("%s/%s", u->temporary, path), name)) {
      free(path);
      path = text_copy(text_format(PACK_ROOT "%s", name));
      to = text_copy(rec->images[1].path[0] == '/'
                     ? rec->images[1].path + 1 : "");
   }
   if (to != NULL && is_in_root(path) && leads_down(to)
       && access(text_format("%s/%s", u->temporary, path), F_OK) != 0) {
      for (const char* at = name + 1; (at = strchr(at, '/')) != NULL; at++) {
         char* up = text_copy(text_format("../%s", to));
         free(to);
         to = up;
      }
      close(create(u, path));
      unlink(text_format("%s/%s", u->temporary, path));
      if (symlink(to, text_format("%s/%s", u->temporary, path)) != 0)
         die("%s: %s", path, strerror(errno));
   }
   FREE_ALL(path, to);
   dcfg_rec_free(rec);
}

/* The disk space that a pack may take, as for the library's files. */
static uint64_t allowed_disk(const char* file)
{
   struct stat st;

   return max_disk > 0 ? max_disk
          : (1ULL << 30) + (stat(file, &st) == 0 ? 64 * (uint64_t)st.st_size : 0);
}

static void unpack(const char* file, const char* folder)
{
   DcfgError   err;
   Unpacking   u = { .file = file, .room = allowed_disk(file) };

   u.text = dcfg_text_open(file, plain_options(), &err);
   need_file(u.text != NULL, &err, KIND_OTHER);
   u.temporary = text_copy(text_format("%s.tmp-%ld", folder, (long)getpid()));
   if (mkdir(u.temporary, 0700) != 0)
      die("%s: %s", u.temporary, strerror(errno));
   unfinished = u.temporary;
   atexit(remove_unfinished);
   while (unpack_next(&u))
      ;
   dcfg_text_close(u.text);
   link_interpreter(&u);
   if (rename(u.temporary, folder) != 0)
      die("%s: %s", folder, strerror(errno));
   unfinished = NULL;
   free(u.temporary);
   complain("unpacked %s to %s", text_clean(file), text_clean(folder));
}

/*--- Recordings in packs                                  ---*/

/* Return the recording in the unpacked pack FILE. */
static const char* opened(const char* file)
{
   static char* rec;            // valid until the command ends
   char*        folder = folder_of(file);
   struct stat  pack, st;

   free(rec);
   rec = text_copy(text_format("%s/" PACK_REC, folder));
   if (stat(rec, &st) != 0)
      unpack(file, folder);
   else if (stat(file, &pack) == 0 && pack.st_mtime > st.st_mtime)
      die("%s is older than %s, which it was unpacked from: remove it", folder,
          file);
   free(folder);
   return rec;
}

const char* pack_opened(const char* file, const char** root)
{
   static char* beside;         // likewise
   const char*  base = text_base(file);
   const char*  folder;
   struct stat  st;

   if (file_kind(file) == KIND_PACK) {
      file = opened(file);
      base = text_base(file);
   }
   if (*root == NULL && strcmp(base, PACK_REC) == 0) {
      folder = text_format("%.*s" PACK_ROOT, (int)(base - file), file);
      if (beside == NULL || strcmp(beside, folder) != 0) {
         free(beside);
         beside = text_copy(folder);
      }
      if (stat(beside, &st) == 0 && S_ISDIR(st.st_mode))
         *root = beside;
   }
   return file;
}
