/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Delivery: how files get their names. */
/* Owns: files that are being written, and how they get their names.  Handed:
   names and text by tool/files/file.c, directly or through tool/files/keeper.c.

   Text goes to a temporary file beside the final one, which is renamed when it
   is complete.  Special files (/dev/null, a pipe) are written directly, and so
   is a descriptor (/dev/stdout), duplicated before the program can close it.

   The process that began a family has the names of the options; the others have
   names with their process ids.  If another process of the family wrote a file
   (tool/files/family.c), this process takes another name.  The graph and the
   trace of one name must be of one process.  So all files of a set take other
   names, or none; files with the process id in their names do so only if one of
   these is taken.

   Files of a set in a directory of their own keep their names.  If another
   process wrote the first of them, the set gets another directory. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "tool/files/compress.h"
#include "tool/base/core.h"
#include "tool/files/delivery.h"
#include "tool/files/interrupt.h"
#include "tool/files/newfile.h"
#include "tool/files/outpath.h"
#include "tool/files/writeall.h"

/* Kind: the kind of file that a name leads to. */
typedef
   enum {
      IsFile,        // a regular file, or none yet
      IsSpecial,     // a device, a FIFO, ...
      IsDescriptor
   }
   Kind;

typedef
   struct {
      Wanted want;
      HChar* asked;                // the option's name, if the directory has
                                   // another
      HChar* path;                 // the path with links followed
      Kind   kind;
      HChar* temp;                 // IsFile: the temporary file, renamed later
      const Compressor* compressor;
      Bool   unpacked;             // did the compressor fail?
      Int    fd;                   // or -1
      Int    error;                // errno of the first error, or 0
      HChar* name;                 // the final name, when there is one
      Bool   taken;
   }
   Delivery;

/* Bytes that a pipe surely takes if poll() says that it can be written. */
#define SURE_TO_BE_TAKEN 4096u

static XArray* set;                // Delivery*; the last one is being written

/* The directory for the set's files with .inside. */
static struct {
   HChar* asked;
   HChar* chosen;
   Bool   taken;               // did another process write in .asked?
   Bool   made;                // was it made for this set?
   Bool   failed;              // set if one of its files failed: all go
} directory;

/* Others: which files of options get other names than the wanted ones. */
typedef enum { NoneOther, SharedOther, AllOther } Others;
static Others others;
static UInt   other_number = 1;    // the number in these other names

/*--- Opening                                              ---*/

/* Duplicate descriptor NUMBER for writing.  Return a negative errno if it
   cannot be written to. */
static Int duplicate(Int number)
{
   Int flags = VG_(fcntl)(number, VKI_F_GETFL, 0);

   if (flags < 0 || (flags & VKI_O_ACCMODE) == VKI_O_RDONLY)
      return -VKI_EBADF;
   SysRes sres = VG_(dup)(number);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}

/* Open a special file without blocking: a FIFO may have no reader. */
static Int open_special(const HChar* path)
{
   SysRes sres = VG_(open)(path, VKI_O_WRONLY | VKI_O_NONBLOCK, 0);

   if (sr_isError(sres))
      return -(Int)sr_Err(sres);
   Int fd = sr_Res(sres);
   VG_(fcntl)(fd, VKI_F_SETFL, VKI_O_WRONLY);
   return fd;
}

/* Return a file for NAME, not opened.  .error says what is wrong with the name.
   *FD is the descriptor that NAME stands for, or -1. */
static Delivery* named_file(const HChar* name, Int* fd)
{
   Delivery*      d = VG_(calloc)("dcfg.delivery", 1, sizeof(Delivery));
   struct vg_stat st;

   d->fd   = -1;
   d->path = DCFG_(follow_links)(name, fd);
   if (*fd != -1) {
      d->kind = IsDescriptor;
      return d;
   }
   SysRes sres = VG_(stat)(d->path, &st);
   if (sr_isError(sres)) {
      if (sr_Err(sres) != VKI_ENOENT)
         d->error = sr_Err(sres);
   } else if (!VKI_S_ISREG(st.mode)) {
      d->kind = IsSpecial;
      if (VKI_S_ISDIR(st.mode))
         d->error = VKI_EISDIR;
   }
   return d;
}

static void delete(Delivery* d)
{
   if (d->fd != -1)
      VG_(close)(d->fd);
   VG_(free)(d->asked);
   VG_(free)(d->path);
   VG_(free)(d->temp);
   VG_(free)(d->name);
   VG_(free)(d);
}

/* Return whether another process has written FILE in DIR. */
static Bool is_anothers_inside(const HChar* dir, const HChar* file)
{
   HChar* name = DCFG_(join_path)(dir, file);
   Bool   res  = DCFG_(is_anothers)(name);

   VG_(free)(name);
   return res;
}

/* Choose the set's directory: DIR, or another one if W's process may not take
   DIR.  FIRST is the first file in it.  Return 0 or an errno. */
static Int choose_directory(const HChar* dir, const HChar* first,
                            const Wanted* w)
{
   UInt k     = 1;
   Bool other = others != NoneOther && !w->has_pid;

   directory.asked  = VG_(strdup)("dcfg.delivery.asked", dir);
   directory.chosen = VG_(strdup)("dcfg.delivery.chosen", dir);
   directory.taken  = False;
   while (other || is_anothers_inside(directory.chosen, first)) {
      directory.taken = directory.taken || !other;
      other = False;
      VG_(free)(directory.chosen);
      directory.chosen = DCFG_(name_with_pid)(dir, w->inside, k++);
   }
   Int error = DCFG_(make_directory)(directory.chosen);
   directory.made = error == 0;
   return error == VKI_EEXIST ? 0 : error;
}

/* Return the path of NAME, a file for the directory of W's process, in the
   chosen directory.  The caller frees it. */
static HChar* name_inside(const HChar* name, const Wanted* w, Int* error)
{
   const HChar* base = VG_(strrchr)(name, '/') + 1;
   HChar*       dir  = VG_(strdup)("dcfg.delivery.dir", name);

   *error = 0;
   dir[base - name - 1] = 0;
   if (directory.asked == NULL)
      *error = choose_directory(dir, base, w);
   tl_assert(VG_STREQ(dir, directory.asked));
   VG_(free)(dir);
   return DCFG_(join_path)(directory.chosen, base);
}

static Int open_temporary(Delivery* d)
{
   SizeT  n     = DCFG_(plain_length)(d->path);
   HChar* plain = VG_(strdup)("dcfg.delivery.plain", d->path);
   Int    mode  = VKI_S_IRUSR | VKI_S_IWUSR
                  | (d->want.is_private ? 0 : VKI_S_IRGRP | VKI_S_IROTH);

   plain[n]      = 0;
   d->compressor = DCFG_(find_compressor)(d->path);
   Int fd = DCFG_(new_file)(plain, ".tmp-", VKI_O_WRONLY, mode, &d->temp);
   VG_(free)(plain);
   if (fd < 0) {
      VG_(free)(d->temp);
      d->temp = NULL;
   }
   return fd;
}

/* Store FD, the descriptor of D's file, or a negative errno. */
static void opened(Delivery* d, Int fd)
{
   if (fd < 0)
      d->error = -fd;
   else
      d->fd = fd;
}

static void unlink_temporary(Delivery* d)
{
   if (d->temp != NULL)
      VG_(unlink)(d->temp);
}

/*--- Writing                                              ---*/

static Delivery* file(UInt i)
{
   return *(Delivery**)VG_(indexXA)(set, i);
}

static UInt n_files(void)
{
   return set == NULL ? 0 : VG_(sizeXA)(set);
}

/* Like named_file(), for a file that W describes. */
static Delivery* wanted_file(const HChar* name, const Wanted* w, Int* fd)
{
   Delivery* d;
   Int       error;

   if (w->inside == 0)
      return named_file(name, fd);
   HChar* inside = name_inside(name, w, &error);
   d = named_file(inside, fd);
   if (error != 0)
      d->error = error;
   if (!VG_STREQ(inside, name)) {
      d->asked = VG_(strdup)("dcfg.delivery.asked", name);
      d->taken = directory.taken;
   }
   VG_(free)(inside);
   return d;
}

Int DCFG_(begin_file)(const HChar* name, const Wanted* w)
{
   Int       fd;
   Delivery* d = wanted_file(name, w, &fd);

   if (set == NULL)
      set = VG_(newXA)(VG_(malloc), "dcfg.delivery.set", VG_(free),
                       sizeof(Delivery*));
   VG_(addToXA)(set, &d);
   d->want = *w;
   if (d->error == 0 && DCFG_(is_abandoned)())
      d->error = DCFG_ECANCELED;
   if (d->error != 0)
      return d->error;
   if (d->kind == IsDescriptor)
      opened(d, duplicate(w->fd != -1 ? w->fd : fd));
   else if (d->kind == IsSpecial)
      opened(d, open_special(d->path));
   else
      opened(d, open_temporary(d));
   return d->error;
}

void DCFG_(fill_file)(const HChar* text, UInt n)
{
   Delivery*  d    = file(n_files() - 1);
   const UInt most = d->kind == IsFile ? n : SURE_TO_BE_TAKEN;

   while (n > 0 && d->error == 0) {
      UInt some = n < most ? n : most;
      if (d->kind != IsFile)
         DCFG_(wait_to_write)(d->fd);
      d->error = DCFG_(is_abandoned)() ? DCFG_ECANCELED
                                       : DCFG_(write_all)(d->fd, text, some);
      text += some;
      n    -= some;
   }
}

/* Compress the temporary file. */
static void pack(Delivery* d)
{
   const HChar* suffix = d->compressor->suffix;
   HChar*       packed = VG_(malloc)("dcfg.delivery.packed",
                                     VG_(strlen)(d->temp)
                                     + VG_(strlen)(suffix) + 1);

   VG_(strcpy)(packed, d->temp);
   VG_(strcat)(packed, suffix);
   if (DCFG_(compress)(d->compressor, d->temp)) {
      VG_(free)(d->temp);
      d->temp = packed;
      return;
   }
   VG_(unlink)(packed);
   VG_(free)(packed);
   d->unpacked = True;
}

Int DCFG_(end_file)(Bool keep)
{
   Delivery* d = file(n_files() - 1);

   if (d->fd != -1)
      VG_(close)(d->fd);
   d->fd = -1;
   if (d->error == 0 && DCFG_(is_abandoned)())
      d->error = DCFG_ECANCELED;
   if (!keep && d->error == 0)
      d->error = DCFG_ECANCELED;
   if (d->error == 0 && d->compressor != NULL)
      pack(d);
   if (d->error != 0)
      unlink_temporary(d);
   directory.failed = directory.failed
                      || (d->error != 0 && d->want.inside != 0);
   return d->error;
}

/*--- Names                                                ---*/

static Bool is_named(const Delivery* d)
{
   return d->kind == IsFile && d->error == 0;
}

/* Return the name that D should have, without the suffix of a compressor that
   failed. */
static HChar* wanted_name(const Delivery* d)
{
   HChar* name = VG_(strdup)("dcfg.delivery.name", d->path);

   if (d->unpacked)
      name[DCFG_(plain_length)(name)] = 0;
   return name;
}

/* Return whether D gets another name than the wanted one, for these others. */
static Bool is_other(const Delivery* d, Others o)
{
   return d->want.inside == 0
          && (o == AllOther || (o == SharedOther && !d->want.has_pid));
}

/* Return the name that D gets in process PID, for these others and number K. */
static HChar* chosen_name(const Delivery* d, Others o, Int pid, UInt k)
{
   HChar* name = wanted_name(d);

   if (!is_other(d, o))
      return name;
   HChar* other = DCFG_(name_with_pid)(name, pid, k);
   VG_(free)(name);
   return other;
}

/* Find out which wanted names of the set belong to other processes.  Return O
   or more. */
static Others look_around(Others o)
{
   for (UInt i = 0; i < n_files(); i++) {
      Delivery* d    = file(i);
      HChar*    name = wanted_name(d);
      if (is_named(d) && d->want.inside == 0 && d->name == NULL
          && DCFG_(is_anothers)(name)) {
         d->taken = True;
         if (d->want.has_pid)
            o = AllOther;
         else if (o == NoneOther)
            o = SharedOther;
      }
      VG_(free)(name);
   }
   return o;
}

/* Return the first number from K up with all names free. */
static UInt find_number(Others o, Int pid, UInt k)
{
   Bool all_free;

   do {
      all_free = True;
      for (UInt i = 0; i < n_files() && all_free; i++) {
         const Delivery* d    = file(i);
         HChar*          name = chosen_name(d, o, pid, k);
         if (is_named(d) && (d->name == NULL || !VG_STREQ(name, d->name))
             && is_other(d, o))
            all_free = DCFG_(is_free)(name);
         VG_(free)(name);
      }
      if (!all_free)
         k++;
   } while (!all_free);
   return k;
}

/* Rename FROM to NAME, unless NAME is another process's file.  Return 0 or an
   errno, which is EEXIST in that case.

   Two processes may do this at the same time, and neither may overwrite the
   other's new file.  So an old file trades places with the new one, and is
   examined again when nobody can replace it any more.  On file systems that
   cannot exchange files, the risk remains. */
static Int take_name(const HChar* from, const HChar* name)
{
   for (;;) {
      Int err = DCFG_(rename2)(from, name, DCFG_RENAME_NOREPLACE);
      if (err != VKI_EEXIST && err != VKI_EINVAL && err != VKI_ENOSYS)
         return err;
      if (DCFG_(is_anothers)(name))
         return VKI_EEXIST;
      if (err == VKI_EEXIST)
         err = DCFG_(rename2)(from, name, DCFG_RENAME_EXCHANGE);
      if (err == VKI_EINVAL || err == VKI_ENOSYS)
         return VG_(rename)(from, name) == 0 ? 0 : VKI_EACCES;
      if (err == VKI_ENOENT)
         continue;
      if (err != 0)
         return err;
      if (!DCFG_(is_anothers)(from)) {
         VG_(unlink)(from);
         return 0;
      }
      DCFG_(rename2)(from, name, DCFG_RENAME_EXCHANGE);
   }
}

/* Give D its NAME, which is freed or kept.  Return False if another process
   owns it. */
static Bool give_name(Delivery* d, HChar* name)
{
   if (d->name != NULL && VG_STREQ(d->name, name)) {
      VG_(free)(name);
      return True;
   }
   Int err = take_name(d->name != NULL ? d->name : d->temp, name);
   if (err == VKI_EEXIST && d->want.inside == 0) {
      VG_(free)(name);
      return False;
   }
   if (err != 0) {
      VG_(free)(name);
      if (d->name != NULL)
         return True;              // the file keeps its old name
      d->error = err;
      unlink_temporary(d);
      return True;
   }
   VG_(free)(d->name);
   d->name = name;
   DCFG_(note_own_file)(name);
   return True;
}

/* Return whether a file that D needs is missing.  Files in a directory need
   each other. */
static Bool is_alone(const Delivery* d)
{
   return (d->want.needs != -1 && file(d->want.needs)->error != 0)
          || (d->want.inside != 0 && directory.failed);
}

/* Give all files their names.  Return False if one name is another process's
   now: then all files get other names. */
static Bool give_names(Others o, Int pid, UInt k)
{
   for (UInt i = 0; i < n_files(); i++) {
      Delivery* d = file(i);
      if (d->error == 0 && is_alone(d)) {
         d->error = DCFG_ECANCELED;
         unlink_temporary(d);
      }
      if (is_named(d) && !give_name(d, chosen_name(d, o, pid, k)))
         return False;
   }
   return True;
}

static void empty_set(void)
{
   if (directory.made)
      DCFG_(remove_directory)(directory.chosen);    // fails if it has files
   for (UInt i = 0; i < n_files(); i++)
      delete(file(i));
   if (set != NULL)
      VG_(deleteXA)(set);
   set = NULL;
   VG_(free)(directory.asked);
   VG_(free)(directory.chosen);
   directory.asked  = directory.chosen = NULL;
   directory.made   = directory.failed = False;
}

void DCFG_(name_files)(Int pid, Bool claimed, Delivered* results)
{
   Others o = claimed ? others : NoneOther;
   UInt   k = other_number;

   do {
      o = look_around(o);
      if (o != NoneOther)
         k = find_number(o, pid, k);
   } while (!give_names(o, pid, k));
   if (claimed) {
      others = o;
      other_number = k;
   }
   for (UInt i = 0; i < n_files(); i++) {
      Delivery*  d = file(i);
      Delivered* r = &results[i];
      r->error    = d->error;
      r->unpacked = d->unpacked;
      r->taken    = d->taken;
      r->path     = d->asked != NULL
                    ? VG_(strdup)("dcfg.delivery.path", d->asked)
                    : wanted_name(d);
      r->name     = VG_(strdup)("dcfg.delivery.name",
                                d->name != NULL ? d->name : r->path);
   }
   empty_set();
}

void DCFG_(drop_files)(void)
{
   for (UInt i = 0; i < n_files(); i++)
      unlink_temporary(file(i));
   empty_set();
}

void DCFG_(disown_names)(void)
{
   others = SharedOther;
   other_number = 1;
   DCFG_(disown_files)();
}

/*--- Before the program runs                              ---*/

HChar* DCFG_(path_of_name)(const HChar* name)
{
   Int       fd;
   Delivery* d    = named_file(name, &fd);
   HChar*    path = NULL;

   if (d->kind == IsFile) {
      path    = d->path;
      d->path = NULL;
   }
   delete(d);
   return path;
}

/* Check whether D's file can be written.  A FIFO is not opened, because its
   reader would see the end when it is closed again. */
static Int check(Delivery* d, Int number, Int* fd)
{
   if (d->error != 0)
      return d->error;
   if (d->kind == IsSpecial)
      return VG_(access)(d->path, False, True, False) == 0 ? 0 : VKI_EACCES;
   opened(d, d->kind == IsDescriptor ? duplicate(number)
                                     : open_temporary(d));
   unlink_temporary(d);
   if (d->error == 0 && d->kind == IsDescriptor) {
      *fd   = VG_(safe_fd)(d->fd);
      d->fd = -1;
   }
   return d->error;
}

Int DCFG_(check_name)(const HChar* name, Int* fd)
{
   Int       number;
   Delivery* d = named_file(name, &number);

   *fd = -1;
   Int error = check(d, number, fd);
   delete(d);
   return error;
}
