/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The keeper: a process that keeps rights. */

/* Owns: the process that writes files for a program that may not do so any
   more.  Handed: names and text by tool/files/file.c, system calls by
   dcfg_main.c.

   A program may change its root directory or its user, limit the size of
   files, or let the kernel forbid system calls.  All of this holds for the
   tool in the same process.  So before that, the process is forked: the
   copy, the keeper, never runs the program.  Requests go to it over a
   socket, which needs only read and write.  It ends when the socket is
   closed, and then removes all files without names.

   The keeper's end sends no signal, so wait() in the program does not find
   it. (If the program adopts orphans, it would find an orphaned keeper.)
   The keeper is in a session of its own, and has none of the program's
   descriptors. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "tool/base/core.h"
#include "tool/files/interrupt.h"
#include "tool/files/keeper.h"
#include "tool/files/writeall.h"

static Int  keeper     = -1;   // the socket; -1: there is no keeper
static Int  keeper_pid = -1;   // if it is a child of this process
static Int  childs     = -1;   // during a fork: the socket for the child
static Bool asked;             // is this set with the keeper?
static UInt n_asked;           // its number of files

/* --- Messages                                             --- */

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
      Int  error;
      Bool unpacked, taken;
      UInt n_path, n_name;
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

/* Name the N files, and answer. */
static Bool answer_names(Int fd, const Request* r, UInt n)
{
   Delivered* results = VG_(calloc)("dcfg.keeper.results", n + 1,
                                    sizeof(Delivered));
   Bool       good    = True;

   DCFG_(name_files)(r->pid, r->flag, results);
   for (UInt i = 0; i < n; i++) {
      Delivered* d = &results[i];
      Result     s = { d->error, d->unpacked, d->taken,
                       (UInt)VG_(strlen)(d->path),
                       (UInt)VG_(strlen)(d->name) };
      good = good && send(fd, &s, sizeof(s)) && send(fd, d->path, s.n_path)
             && send(fd, d->name, s.n_name);
      VG_(free)(d->path);
      VG_(free)(d->name);
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
                       Int received, UInt* n_files)
{
   switch (r->what) {
      case AskBegin:
         (*n_files)++;
         return answer(fd, DCFG_(begin_file)(text, &r->want));
      case AskFill:
         DCFG_(fill_file)(text, r->n_bytes);
         return True;
      case AskEnd:
         return answer(fd, DCFG_(end_file)(r->flag));
      case AskNames: {
         UInt n = *n_files;
         *n_files = 0;
         return answer_names(fd, r, n);
      }
      case AskDrop:
         *n_files = 0;
         DCFG_(drop_files)();
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
   UInt    n_files = 0;
   Int     received;
   Bool    good    = True;

   while (good && DCFG_(receive_with_fd)(fd, &r, sizeof(r), &received)) {
      HChar* text = receive_text(fd, r.n_bytes);
      good = text != NULL && do_request(fd, &r, text, received, &n_files);
      VG_(free)(text);
   }
   DCFG_(drop_files)();
   DCFG_(exit_child)(0);
}

/* Close all descriptors of the program: its files, locks and pipes must not
   live longer because of the keeper. */
static void leave_program(void)
{
   for (Int i = 0; i <= 2; i++)
      VG_(close)(i);
   for (Int i = 0; i <= 2; i++)
      VG_(fd_open)("/dev/null", i == 0 ? VKI_O_RDONLY : VKI_O_WRONLY, 0);
   DCFG_(close_descriptors)(3, VG_(fd_hard_limit) - 1);
   DCFG_(new_session)();
}

/*--- Beginning                                            ---*/

Bool DCFG_(gives_up_rights)(UInt sysno, const UWord* args)
{
   const UWord new_namespaces = 0x10020000;   // NEWUSER, NEWNS
   const UWord pr_set_seccomp = 22;
   const UWord set_mode       = 1;            // the last mode of seccomp()

   switch (sysno) {
      case __NR_chroot:
#if defined(__NR_pivot_root)
      case __NR_pivot_root:
#endif
#if defined(__NR_setns)
      case __NR_setns:
#endif
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
#if defined(__NR_seccomp)
      case __NR_seccomp:
         return args[0] <= set_mode;
#endif
#if defined(__NR_setrlimit)
      case __NR_setrlimit:
         return args[0] == DCFG_RLIMIT_FSIZE;
#endif
#if defined(__NR_prlimit64)
      case __NR_prlimit64:
         return args[1] == DCFG_RLIMIT_FSIZE && args[2] != 0;
#endif
      case DCFG_NR_LANDLOCK_RESTRICT_SELF:
         return True;
      default:
         return False;
   }
}

static void lose_keeper(void)
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
      lose_keeper();
}

void DCFG_(end_keeper)(void)
{
   lose_keeper();
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
      lose_keeper();
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
      lose_keeper();
      keeper = childs;
   } else if (childs != -1) {
      VG_(close)(childs);
   }
   childs = -1;
}

/* --- In the program's process                             --- */

static void ask(const Request* r, const void* text)
{
   if (keeper != -1 && !(send(keeper, r, sizeof(*r))
                         && send(keeper, text, r->n_bytes)))
      lose_keeper();
}

static Int answered(void)
{
   Int error;

   if (keeper != -1 && receive(keeper, &error, sizeof(error)))
      return error;
   lose_keeper();
   return DCFG_EOWNERDEAD;
}

Int DCFG_(kept_begin_file)(const HChar* name, const Wanted* w)
{
   if (n_asked++ == 0)
      asked = keeper != -1;
   if (!asked)
      return DCFG_(begin_file)(name, w);
   Request r = { AskBegin, (UInt)VG_(strlen)(name), *w };
   ask(&r, name);
   return answered();
}

void DCFG_(kept_fill_file)(const HChar* text, UInt n)
{
   if (!asked) {
      DCFG_(fill_file)(text, n);
      return;
   }
   Request r = { AskFill, n };
   if (!DCFG_(is_abandoned)())
      ask(&r, text);
}

Int DCFG_(kept_end_file)(Bool keep)
{
   if (!asked)
      return DCFG_(end_file)(keep);
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
   d->error    = s.error;
   d->unpacked = s.unpacked;
   d->taken    = s.taken;
   d->path     = receive_text(keeper, s.n_path);
   d->name     = receive_text(keeper, s.n_name);
   return d->path != NULL && d->name != NULL;
}

void DCFG_(kept_name_files)(Int pid, Bool claimed, Delivered* results, UInt n)
{
   n_asked = 0;
   if (!asked) {
      DCFG_(name_files)(pid, claimed, results);
      return;
   }
   Request r = { .what = AskNames, .flag = claimed, .pid = pid };
   ask(&r, "");
   for (UInt i = 0; i < n; i++)
      if (!receive_result(&results[i])) {
         lose_keeper();
         results[i].error = DCFG_EOWNERDEAD;
      }
}

void DCFG_(kept_drop_files)(void)
{
   n_asked = 0;
   if (!asked) {
      DCFG_(drop_files)();
      return;
   }
   Request r = { AskDrop };
   ask(&r, "");
}
