/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: files that are being written, how they get their names, and the process
   that writes them for a program that may not do so any more.  Handed: names
   and text by tool/files/file.c, system calls by dcfg_main.c.

   Text goes to a temporary file beside the final one, which is renamed when it
   is complete.  Special files (/dev/null, a pipe) are written directly, and so
   is a descriptor (/dev/stdout), duplicated before the program can close it.

   The process that began a family has the names of the options; the others have
   names with their process ids.  If another process of the family wrote a file
   (tool/files/path.c), this process takes another name.  The graph and the
   trace of one name must be of one process.  So all files of a set take other
   names, or none; files with the process id in their names do so only if one of
   these is taken.

   Runs that merge: a run with %m in its name goes to the directory FILE.runs,
   beside the file that has the sum.  `dcfg merge --in-place FILE', which is a
   child like a compressor, adds all runs there to the file.  A rename puts the
   run there, so a process that is killed loses no other run.  Before an execve
   nobody knows whether the run counts: if the execve fails, the run goes on.  So
   a child waits.  The kernel closes the socket to it if the execve succeeds, or
   the process ends.

   Files of a set in a directory of their own keep their names.  If another
   process wrote the first of them, the set gets another directory.

   Compressors are children of the program, which must not notice them.

   The keeper: a program may change its root directory or its user, limit the
   size of files, or let the kernel forbid system calls.  All of this holds for
   the tool in the same process.  So before that, the process is forked: the
   copy, the keeper, never runs the program.  Requests go to it over a socket,
   which needs only read and write.  It ends when the socket is closed, and then
   removes all files without names.

   The keeper's end sends no signal, so wait() in the program does not find it.
   (If the program adopts orphans, it would find an orphaned keeper.) The keeper
   is in a session of its own, and has none of the program's descriptors. */

#include "tool/base/core.h"
#include "tool/files/delivery.h"
#include "tool/files/interrupt.h"
#include "tool/files/path.h"

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
      Bool   waits;                // a run: is it not in the file yet?
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
   DCFG_FREE_ALL(d->asked, d->path, d->temp, d->name, d);
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
   d->compressor = d->want.merges ? NULL : DCFG_(find_compressor)(d->path);
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

/*--- Programs that help                                   ---*/

static HChar** environment;
static HChar*  search_path[2];     // an environment that has PATH alone

void DCFG_(keep_environment)(void)
{
   environment = VG_(env_clone)(VG_(client_envp));
   for (HChar** e = environment; *e != NULL; e++) {
      *e = VG_(strdup)("dcfg.compress.env", *e);
      if (VG_(strncmp)(*e, "PATH=", 5) == 0)
         search_path[0] = VG_(strdup)("dcfg.compress.path", *e);
   }
   VG_(env_remove_valgrind_env_stuff)(environment, False, VG_(free));
}

/* Replace this process by the shell's COMMAND, whose $0 and $1 are ARG and
   OTHER. */
static void run_shell(const HChar* command, const HChar* arg,
                      const HChar* other, HChar** env)
{
   const HChar* argv[] = { "/bin/sh", "-c", command, arg, other, NULL };

   VG_(do_syscall3)(__NR_execve, (RegWord)(Addr)argv[0],
                    (RegWord)(Addr)argv, (RegWord)(Addr)env);
   DCFG_(exit_child)(127);
}

/* Run the COMMAND likewise, and wait for its end.  It is a grandchild: a child
   between waits for it.  So wait() in the program does not find it, and its
   status is not lost if the program ignores SIGCHLD.  Return whether it
   succeeded. */
static Bool shell_succeeds(const HChar* command, const HChar* arg,
                           const HChar* other, HChar** env)
{
   vki_sigset_t before;

   /* A signal or a limit that is meant for the program must not end the
      command. */
   DCFG_(block_signals)(&before);
   Int between = DCFG_(fork_with)(0);

   if (between == 0) {
      vki_sigaction_toK_t by_default;
      VG_(memset)(&by_default, 0, sizeof(by_default));
      VG_(sigaction)(VKI_SIGCHLD, &by_default, NULL);
      DCFG_(die_with_parent)();
      ULong limit[2];
      DCFG_(raise_file_limit)(limit);
      Int pid = DCFG_(fork_with)(VKI_SIGCHLD);
      if (pid == 0) {
         DCFG_(die_with_parent)();
         run_shell(command, arg, other, env);
      }
      DCFG_(exit_child)(pid > 0 && DCFG_(wait_for)(pid) == 0 ? 0 : 1);
   }
   DCFG_(restore_signals)(&before);
   return between > 0 && DCFG_(wait_for_child)(between) == 0;
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

static Int begin_here(const HChar* name, const Wanted* w)
{
   Int       fd;
   Delivery* d = wanted_file(name, w, &fd);

   if (set == NULL)
      set = DCFG_NEW_ARRAY("dcfg.delivery.set", Delivery*);
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

static void fill_here(const HChar* text, UInt n)
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
   HChar*       packed = DCFG_(printed)("%s%s", d->temp, suffix);

   if (shell_succeeds(d->compressor->command, d->temp, NULL, environment)) {
      VG_(free)(d->temp);
      d->temp = packed;
      return;
   }
   VG_(unlink)(packed);
   VG_(free)(packed);
   d->unpacked = True;
}

static Int end_here(Bool keep)
{
   Delivery* d = file(n_files() - 1);

   if (d->fd != -1)
      VG_(close)(d->fd);
   d->fd = -1;
   if (d->error == 0 && (!keep || DCFG_(is_abandoned)()))
      d->error = DCFG_ECANCELED;
   if (d->error == 0 && d->compressor != NULL)
      pack(d);
   if (d->error != 0)
      unlink_temporary(d);
   directory.failed = directory.failed
                      || (d->error != 0 && d->want.inside != 0);
   return d->error;
}

/*--- Runs that merge                                      ---*/

/* The run in doubt, until the execve has failed or succeeded. */
static struct {
   HChar* file;                   // NULL: there is none
   Int    socket;                 // to the child that waits
} doubt = { NULL, -1 };

/* Forget the run in doubt; in a forked child, which has only copies, it stays
   as it is.  FAILED: the execve failed, and the run does not count. */
static void end_doubt(Bool failed)
{
   if (doubt.file == NULL)
      return;
   if (failed) {
      VG_(unlink)(doubt.file);
      DCFG_(write_all)(doubt.socket, "", 1);
   }
   VG_(close)(doubt.socket);
   VG_(free)(doubt.file);
   doubt.file   = NULL;
   doubt.socket = -1;
}

/* Add the runs that wait beside FILE to it.  The command dcfg stands beside
   Valgrind's directory, or in the PATH.  Return False if it failed. */
static Bool add_waiting_runs(const HChar* file)
{
   return shell_succeeds("d=\"$1/../../bin/dcfg\"; [ -x \"$d\" ] || d=dcfg; "
                         "exec \"$d\" merge --in-place \"$0\" "
                         "</dev/null >/dev/null 2>&1",
                         file, VG_(libdir), search_path);
}

/* Close all descriptors of the program: its files, locks and pipes must not
   live longer because of a child of the tool. */
static void leave_program(void)
{
   for (Int i = 0; i <= 2; i++)
      VG_(close)(i);
   for (Int i = 0; i <= 2; i++)
      VG_(fd_open)("/dev/null", i == 0 ? VKI_O_RDONLY : VKI_O_WRONLY, 0);
   DCFG_(close_descriptors)(3, VG_(fd_hard_limit) - 1);
   DCFG_(new_session)();
}

/* In a child: wait until SOCKET is closed, and add the run IN_DOUBT, whose name
   becomes SURE, to FILE. */
static void wait_in_doubt(Int socket, const HChar* in_doubt,
                          const HChar* sure, const HChar* file)
{
   const Int n_cores = 64;        // the core has fewer descriptors
   HChar     failed;
   Int       n;

   leave_program();
   DCFG_(close_descriptors)(VG_(fd_hard_limit), socket - 1);
   DCFG_(close_descriptors)(socket + 1, VG_(fd_hard_limit) + n_cores);
   do
      n = VG_(read)(socket, &failed, 1);
   while (n == -VKI_EINTR);
   if (n == 0 && VG_(rename)(in_doubt, sure) == 0)
      add_waiting_runs(file);
   DCFG_(exit_child)(0);
}

/* Start such a child.  It is an orphan, which the program need not wait for.
   Return 0 or an errno. */
static Int start_waiting(const HChar* in_doubt, const HChar* sure,
                         const HChar* file)
{
   Int ends[2];
   Int error = DCFG_(socket_pair)(ends);

   if (error != 0)
      return error;
   ends[0] = VG_(safe_fd)(ends[0]);
   ends[1] = VG_(safe_fd)(ends[1]);
   Int pid = DCFG_(fork_with)(0);
   if (pid == 0) {
      if (DCFG_(fork_with)(0) == 0)
         wait_in_doubt(ends[1], in_doubt, sure, file);
      DCFG_(exit_child)(0);
   }
   VG_(close)(ends[1]);
   if (pid < 0) {
      VG_(close)(ends[0]);
      return -pid;
   }
   DCFG_(wait_for)(pid);
   doubt.file   = VG_(strdup)("dcfg.delivery.doubt", in_doubt);
   doubt.socket = ends[0];
   return 0;
}

/* Return the path of D's run in the directory of the runs that wait, with KIND.
   The caller frees it. */
static HChar* name_of_run(const Delivery* d, const HChar* kind)
{
   return DCFG_(printed)("%s.runs/%s-%s", d->path, kind,
                          VG_(strrchr)(d->temp, '-') + 1);
}

#define MOST_TRIES 1000

/* Rename D's run to NAME.  The directory is made if there is none: whoever adds
   the last run removes it.  Return 0 or an errno. */
static Int leave_run(const Delivery* d, const HChar* name)
{
   HChar* dir = VG_(strdup)("dcfg.delivery.runs", name);
   Int    error = VKI_ENOENT;

   *VG_(strrchr)(dir, '/') = 0;
   for (Int i = 0; i < MOST_TRIES && error == VKI_ENOENT; i++) {
      error = DCFG_(make_directory)(dir);
      if (error == 0 || error == VKI_EEXIST)
         error = DCFG_(rename2)(d->temp, name, 0);
   }
   VG_(free)(dir);
   return error;
}

/* Add D, a run, to the file of its name. */
static void merge_run(Delivery* d)
{
   HChar* sure = name_of_run(d, "run");
   HChar* name = d->want.in_doubt ? name_of_run(d, "exec") : sure;

   end_doubt(True);
   d->error = leave_run(d, name);
   if (d->error != 0) {
      unlink_temporary(d);
   } else if (d->want.in_doubt) {
      d->error = start_waiting(name, sure, d->path);
      if (d->error != 0)
         VG_(unlink)(name);
   } else {
      d->waits = !add_waiting_runs(d->path);
   }
   d->name = VG_(strdup)("dcfg.delivery.name", d->path);
   if (name != sure)
      VG_(free)(name);
   VG_(free)(sure);
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
   return d->want.inside == 0 && !d->want.merges
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
      if (is_named(d) && d->want.inside == 0 && !d->want.merges
          && d->name == NULL && DCFG_(is_anothers)(name)) {
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
      if (is_named(d) && d->want.merges && d->name == NULL)
         merge_run(d);
      else if (is_named(d) && !give_name(d, chosen_name(d, o, pid, k)))
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
   DCFG_FREE_ALL(directory.asked, directory.chosen);
   directory.asked  = directory.chosen = NULL;
   directory.made   = directory.failed = False;
}

static void name_here(Int pid, Bool claimed, Delivered* results)
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
      r->waits    = d->waits;
      r->path     = d->asked != NULL
                    ? VG_(strdup)("dcfg.delivery.path", d->asked)
                    : wanted_name(d);
      r->name     = VG_(strdup)("dcfg.delivery.name",
                                d->name != NULL ? d->name : r->path);
   }
   empty_set();
}

static void drop_here(void)
{
   for (UInt i = 0; i < n_files(); i++)
      unlink_temporary(file(i));
   empty_set();
}

void DCFG_(disown_names)(void)
{
   others = SharedOther;
   other_number = 1;
   end_doubt(False);
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

/*--- The keeper                                           ---*/

static Int  keeper     = -1;   // the socket; -1: there is no keeper
static Int  keeper_pid = -1;   // if it is a child of this process
static Int  childs     = -1;   // during a fork: the socket for the child
static Bool asked;             // is this set with the keeper?
static UInt n_asked;           // its number of files

typedef enum { AskBegin, AskFill, AskEnd, AskNames, AskDrop, AskFork } Ask;

/* Request: a message to the keeper, followed by .n_bytes of text. */
typedef
   struct {
      Ask    what;
      UInt   n_bytes;
      Wanted want;
      Bool   flag;
      Int    pid;
   }
   Request;

/* Result: the answer for a file that got a name, followed by .n_path and
   .n_name bytes. */
typedef
   struct {
      Delivered is;             // without its texts
      UInt      n_path, n_name;
   }
   Result;

static Bool receive(Int fd, void* to, SizeT n)
{
   HChar* at = to;

   while (n > 0) {
      Int done = VG_(read)(fd, at, (Int)n);
      if (done == -VKI_EINTR)
         continue;
      if (done <= 0)
         return False;
      at += done;
      n  -= done;
   }
   return True;
}

static Bool send(Int fd, const void* data, SizeT n)
{
   return DCFG_(write_all)(fd, data, n) == 0;
}

static HChar* receive_text(Int fd, UInt n)
{
   HChar* text = VG_(malloc)("dcfg.keeper.text", (SizeT)n + 1);

   text[n] = 0;
   if (receive(fd, text, n))
      return text;
   VG_(free)(text);
   return NULL;
}

/*--- In the keeper                                        ---*/

static void serve(Int fd);

static Bool answer(Int fd, Int error)
{
   return send(fd, &error, sizeof(error));
}

/* Name the files, and answer. */
static Bool answer_names(Int fd, const Request* r)
{
   UInt       n       = n_files();
   Delivered* results = VG_(calloc)("dcfg.keeper.results", n + 1,
                                    sizeof(Delivered));
   Bool       good    = True;

   name_here(r->pid, r->flag, results);
   for (UInt i = 0; i < n; i++) {
      Delivered* d = &results[i];
      Result     s = { *d, VG_(strlen)(d->path), VG_(strlen)(d->name) };
      good = good && send(fd, &s, sizeof(s)) && send(fd, d->path, s.n_path)
             && send(fd, d->name, s.n_name);
      DCFG_FREE_ALL(d->path, d->name);
   }
   VG_(free)(results);
   return good;
}

/* Make a keeper for a child of the program.  FD is the socket whose other end
   the child has. */
static Bool answer_fork(Int own, Int fd)
{
   if (fd < 0)
      return answer(own, VKI_EBADF);
   Int pid = DCFG_(fork_with)(0);
   if (pid == 0) {
      VG_(close)(own);
      DCFG_(disown_names)();
      serve(fd);
   }
   VG_(close)(fd);
   return answer(own, pid > 0 ? 0 : VKI_EAGAIN);
}

/* Do a request.  Return False if nobody receives the answer. */
static Bool do_request(Int fd, const Request* r, const HChar* text,
                       Int received)
{
   switch (r->what) {
      case AskBegin:
         return answer(fd, begin_here(text, &r->want));
      case AskFill:
         fill_here(text, r->n_bytes);
         return True;
      case AskEnd:
         return answer(fd, end_here(r->flag));
      case AskNames:
         return answer_names(fd, r);
      case AskDrop:
         drop_here();
         return True;
      case AskFork:
         return answer_fork(fd, received);
   }
   return False;
}

/* Serve requests until the socket is closed.  Does not return. */
static void serve(Int fd)
{
   Request r;
   Int     received;
   Bool    good    = True;

   while (good && DCFG_(receive_with_fd)(fd, &r, sizeof(r), &received)) {
      HChar* text = receive_text(fd, r.n_bytes);
      good = text != NULL && do_request(fd, &r, text, received);
      VG_(free)(text);
   }
   drop_here();
   DCFG_(exit_child)(0);
}

/*--- The keeper's beginning and end                       ---*/

Bool DCFG_(gives_up_rights)(UInt sysno, const UWord* args)
{
   const UWord new_namespaces = 0x10020000;   // NEWUSER, NEWNS
   const UWord pr_set_seccomp = 22;
   const UWord set_mode       = 1;            // the last mode of seccomp()

   switch (sysno) {
      case __NR_chroot:
      case __NR_pivot_root:
      case __NR_setns:
         return True;
      case __NR_setuid:
      case __NR_setreuid:
      case __NR_setresuid:
      case __NR_setfsuid:
#if defined(__NR_setuid32)          // on x86 the names without 32 are 16-bit
                                    // calls
      case __NR_setuid32:
      case __NR_setreuid32:
      case __NR_setresuid32:
      case __NR_setfsuid32:
#endif
      case __NR_capset:
         return VG_(geteuid)() == 0;
      case __NR_unshare:
      case __NR_clone:
         return (args[0] & new_namespaces) != 0;
      case __NR_prctl:
         return args[0] == pr_set_seccomp;
      case __NR_seccomp:
         return args[0] <= set_mode;
#if defined(__NR_setrlimit)
      case __NR_setrlimit:
         return args[0] == DCFG_RLIMIT_FSIZE;
#endif
      case __NR_prlimit64:
         return args[1] == DCFG_RLIMIT_FSIZE && args[2] != 0;
      case DCFG_NR_LANDLOCK_RESTRICT_SELF:
         return True;
      default:
         return False;
   }
}

void DCFG_(end_keeper)(void)
{
   if (keeper != -1)
      VG_(close)(keeper);
   keeper = -1;
   /* After files were abandoned, the keeper may itself be waiting for a
      reader. */
   if (keeper_pid > 0 && !DCFG_(is_abandoned)())
      DCFG_(wait_for)(keeper_pid);
   keeper_pid = -1;
}

/* Start the keeper.  If that fails, this process writes the files as it can. */
void DCFG_(start_keeper)(void)
{
   Int ends[2];

   if (keeper != -1 || DCFG_(socket_pair)(ends) != 0)
      return;
   ends[0] = VG_(safe_fd)(ends[0]);
   ends[1] = VG_(safe_fd)(ends[1]);
   Int pid = DCFG_(fork_with)(0);
   if (pid == 0) {
      VG_(close)(ends[0]);
      leave_program();
      if (answer(ends[1], 0))
         serve(ends[1]);
      DCFG_(exit_child)(0);
   }
   VG_(close)(ends[1]);
   keeper     = ends[0];
   keeper_pid = pid;
   /* Wait until the keeper has closed the program's descriptors. */
   Int ready;
   if (pid < 0 || !receive(keeper, &ready, sizeof(ready)))
      DCFG_(end_keeper)();
}

void DCFG_(before_fork)(void)
{
   Request r = { AskFork };
   Int     ends[2], error = -1;

   childs = -1;
   if (keeper == -1 || DCFG_(socket_pair)(ends) != 0)
      return;
   if (!DCFG_(send_with_fd)(keeper, &r, sizeof(r), ends[1])) {
      /* Not permitted: the child has no keeper. */
   } else if (!receive(keeper, &error, sizeof(error))) {
      DCFG_(end_keeper)();
   }
   VG_(close)(ends[1]);
   if (error == 0)
      childs = VG_(safe_fd)(ends[0]);
   else
      VG_(close)(ends[0]);
}

void DCFG_(after_fork)(Bool in_child)
{
   if (in_child) {
      keeper_pid = -1;              // the parent has that child
      DCFG_(end_keeper)();
      keeper = childs;
   } else if (childs != -1) {
      VG_(close)(childs);
   }
   childs = -1;
}

/*--- Files of a set, here or in the keeper                ---*/

static void ask(const Request* r, const void* text)
{
   if (keeper != -1 && !(send(keeper, r, sizeof(*r))
                         && send(keeper, text, r->n_bytes)))
      DCFG_(end_keeper)();
}

static Int answered(void)
{
   Int error;

   if (keeper != -1 && receive(keeper, &error, sizeof(error)))
      return error;
   DCFG_(end_keeper)();
   return DCFG_EOWNERDEAD;
}

Int DCFG_(begin_file)(const HChar* name, const Wanted* w)
{
   if (n_asked++ == 0)
      asked = keeper != -1;
   if (!asked)
      return begin_here(name, w);
   Request r = { AskBegin, (UInt)VG_(strlen)(name), *w };
   ask(&r, name);
   return answered();
}

void DCFG_(fill_file)(const HChar* text, UInt n)
{
   if (!asked) {
      fill_here(text, n);
      return;
   }
   Request r = { AskFill, n };
   if (!DCFG_(is_abandoned)())
      ask(&r, text);
}

Int DCFG_(end_file)(Bool keep)
{
   if (!asked)
      return end_here(keep);
   Request r = { .what = AskEnd, .flag = keep };
   ask(&r, "");
   return answered();
}

/* Receive a result.  Return False if the keeper is gone. */
static Bool receive_result(Delivered* d)
{
   Result s;

   if (keeper == -1 || !receive(keeper, &s, sizeof(s)))
      return False;
   *d      = s.is;
   d->path = receive_text(keeper, s.n_path);
   d->name = receive_text(keeper, s.n_name);
   return d->path != NULL && d->name != NULL;
}

void DCFG_(name_files)(Int pid, Bool claimed, Delivered* results, UInt n)
{
   n_asked = 0;
   if (!asked) {
      name_here(pid, claimed, results);
      return;
   }
   Request r = { .what = AskNames, .flag = claimed, .pid = pid };
   ask(&r, "");
   for (UInt i = 0; i < n; i++)
      if (!receive_result(&results[i])) {
         DCFG_(end_keeper)();
         results[i].error = DCFG_EOWNERDEAD;
      }
}

void DCFG_(drop_files)(void)
{
   n_asked = 0;
   if (!asked) {
      drop_here();
      return;
   }
   Request r = { AskDrop };
   ask(&r, "");
}
