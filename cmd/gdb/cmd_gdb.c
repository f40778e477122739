/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg gdb: runs a recording in gdb. */

/* Owns: the subcommand gdb: its command line, the choice between the installed
   gdbs, the start of gdb, the port that it listens on.  Handed: a command line.

   Without --serve and --listen the command replaces itself by gdb.  A script
   tells gdb to run the command again, with --serve, at the other end of a
   pipe. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/format.h"
#include "cmd/gdb/gdb_session.h"
#include "cmd/machine/processor.h"
#include "cmd/state/state_rules.h"
#include "cmd/program/mapping.h"
#include "cmd/program/recording.h"
#include "cmd/replayed/pack_file.h"
#include "cmd/replayed/window.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Blocks of memory, in bytes, that are large. */
#define BIG_BLOCK (1u << 20)

typedef
   struct {
      const char* file;
      const char* root;
      const char* at;
      const char* index;
      const char* window;
      bool        serve;
      uint64_t    port;         // or NOT_GIVEN
      char**      more;         // arguments for gdb
      int         n_more;
   }
   GdbOptions;

/*--- The trace                                            ---*/

/* OPEN_FILE begins the name of a file that the starting process has open: its
   index without a name. */
#define OPEN_FILE "/proc/self/fd/"

/* Return the trace of the command line with its index, which is made if it is
   missing.  *UNNAMED becomes a descriptor of a new index without a name, or -1.
   Die if dcfg gdb cannot go through the trace. */
static DcfgWet* open_trace(const GdbOptions* o, int* unnamed)
{
   DcfgWet*    w;
   bool*       foreign;
   const char* why;

   refuse_other_kind(o->file, KIND_WET);
   w = load_wet(o->file);
   if (dcfg_wet_instrs(w) == 0)
      die("%s: nothing was executed", o->file);
   if (state_rules_of(processor_of(w)) == NULL)
      die("%s: dcfg gdb knows only programs for amd64, x86 and arm64",
          o->file);
   *unnamed = -1;
   if (o->serve && o->index != NULL
       && begins(o->index, OPEN_FILE)
       && use_index_at(w, o->index))
      return w;
   tell_loads(w);
   foreign = zalloc(dcfg_wet_instrs(w) + (size_t)1, sizeof(bool));
   mark_foreign(w, NULL, foreign);
   why = index_missing(w, o->file,
                       index_use(o->index, INDEX_UNNAMED), foreign,
                       unnamed);
   if (why != NULL)
      die("%s: no index can be made, and dcfg gdb needs one: %s", o->file, why);
   free(foreign);
   return w;
}

/*--- A port                                               ---*/

/* Return the connection with the first client on PORT of localhost; PORT is 0
   for any free one.  Print the port. */
static int accept_client(uint64_t port)
{
   struct sockaddr_in a = { .sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr = { htonl(INADDR_LOOPBACK) } };
   socklen_t size = sizeof(a);
   int       fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
   int       on = 1;

   if (fd < 0
       || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0
       || bind(fd, (struct sockaddr*)&a, size) != 0 || listen(fd, 1) != 0
       || getsockname(fd, (struct sockaddr*)&a, &size) != 0)
      die("--listen=%" PRIu64 ": %s", port, strerror(errno));
   fprintf(stderr, "dcfg gdb: listening on localhost:%u\n",
           ntohs(a.sin_port));
   do
      client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
   while (client < 0 && errno == EINTR);
   if (client < 0)
      die("--listen=%" PRIu64 ": %s", port, strerror(errno));
   close(fd);
   setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
   return client;
}

static void serve(const GdbOptions* o, DcfgWet* w)
{
   GdbSession* g;

   /* Decoded parts of the trace get mappings of their own, and go back to the
      system when they are freed. */
   mallopt(M_MMAP_THRESHOLD, BIG_BLOCK);
   g = gdb_session(w, o->file, o->root, o->at);
   signal(SIGPIPE, SIG_IGN);
   if (o->port == NOT_GIVEN) {
      /* A terminal interrupts gdb, which is in the same process group. */
      signal(SIGINT, SIG_IGN);
      gdb_serve(g, STDIN_FILENO, STDOUT_FILENO);
   } else {
      int client;
      gdb_say_missing(w, o->root);
      client = accept_client(o->port);
      gdb_serve(g, client, client);
      close(client);
   }
   gdb_session_free(g);
}

/*--- The gdb that knows the processor                     ---*/

/* Execute gdb NAME with COMMAND, and nothing else.  Return whether it could. */
static bool executes(const char* name, const char* command)
{
   int   status = -1;
   pid_t child = fork();

   if (child == 0) {
      int none = open("/dev/null", O_RDWR);
      if (none >= 0) {
         dup2(none, STDIN_FILENO);
         dup2(none, STDOUT_FILENO);
         dup2(none, STDERR_FILENO);
         execlp(name, name, "-nx", "-batch", "-ex", command, (char*)NULL);
      }
      _exit(127);
   }
   status = wait_for(child);
   return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Return the name of an installed gdb that knows P, which must have
   StateRules: gdb's, or that of the gdb for many processors.  Return NULL if there is none.
   A gdb for this machine's processor is not looked for. */
static const char* debugger_of(const Processor* p)
{
   static const char* const names[] = { "gdb", "gdb-multiarch" };
   char                     command[64];

   if (p->seccomp == seccomp_arch_native())
      return names[0];
   snprintf(command, sizeof(command), "set architecture %s",
            state_rules_of(p)->architecture);
   for (unsigned i = 0; i < 2; i++)
      if (executes(names[i], command))
         return names[i];
   return NULL;
}

/*--- Starting gdb                                         ---*/

/* Append S, quoted as one word for the shell. */
static void put_word(FILE* f, const char* s)
{
   fputs(" '", f);
   for (; *s != 0; s++)
      if (*s == '\'')
         fputs("'\\''", f);
      else
         fputc(*s, f);
   fputc('\'', f);
}

/* Write the script with which gdb starts, to a file without a name.  Return the
   file's descriptor, which gdb inherits.  The session begins at time BEGIN.
   UNNAMED is the descriptor of an index without a name, which the server inherits
   through gdb, or -1. */
static int write_script(const GdbOptions* o, DcfgWet* w, uint64_t begin,
                        int unnamed)
{
   int         fd = memfd_create("dcfg-gdb", 0);
   FILE*       f = fd < 0 ? NULL : fdopen(dup(fd), "w");
   char*       self = realpath("/proc/self/exe", NULL);
   const char* program = gdb_program(w);
   bool        missing = gdb_say_missing(w, o->root);

   if (f == NULL || self == NULL)
      die("gdb cannot be started: %s", strerror(errno));
   fprintf(f, "set sysroot %s\n", o->root == NULL ? "" : o->root);
   if (program != NULL && !missing && program[0] == '/'
       && strchr(program, '\n') == NULL
       && access(image_path_below(o->root, program), R_OK) == 0)
      fprintf(f, "file \"%s\"\n", image_path_below(o->root, program));
   fputs("define dcfg-goto\n"
         "monitor goto $arg0\n"
         "stepi\n"
         "end\n"
         "document dcfg-goto\n"
         "Go to a time of the recording: dcfg-goto WHERE.\n"
         "WHERE is a time, FILE:LINE, ADDRESS#N, begin or end.\n"
         "end\n"
         "define hookpost-record\n"
         "record stop\n"
         "echo The trace runs backward without `record'.\\n\n"
         "end\n"
         /* By default, gdb waits for two seconds: that is not enough where
            other processes run, or a large trace is read. */
         "set remotetimeout 3600\n"
         /* Libraries may be loaded later. */
         "set breakpoint pending on\n"
         "target remote | exec", f);
   put_word(f, self);
   fprintf(f, " gdb --serve --at=%" PRIu64, begin);
   if (o->root != NULL)
      put_word(f, text_format("--root=%s", o->root));
   if (unnamed >= 0)
      put_word(f, text_format("--index=" OPEN_FILE "%d", unnamed));
   put_word(f, o->file[0] == '-' ? text_format("./%s", o->file) : o->file);
   fputc('\n', f);
   /* Without a program, gdb reads no symbols of libraries by itself. */
   if (missing)
      fputs("sharedlibrary\n", f);
   if (fclose(f) != 0)
      die("gdb cannot be started: %s", strerror(errno));
   free(self);
   return fd;
}

static _Noreturn void start_gdb(const GdbOptions* o, DcfgWet* w, int unnamed)
{
   uint64_t    t = 0;
   const char* debugger = debugger_of(processor_of(w));
   const StateRules* rules = state_rules_of(processor_of(w));
   const char* args[8] = { debugger, "-q", "-x" };
   char**      all = zalloc((size_t)o->n_more + 8, sizeof(char*));
   int         n = 0;

   if (debugger == NULL)
      die("%s: the program is for %s, which no installed gdb knows: install "
          "gdb-multiarch", o->file, rules->architecture);
   /* Look for the place here: gdb would only say that its target has ended, and
      wait for the server. */
   if (o->at != NULL) {
      DcfgError     err;
      ProgramState* s = state_new(w, rules, o->root, &err);
      const char*   why = s == NULL ? unreadable(&err, KIND_WET)
                          : gdb_where(s, o->at, &t);
      if (why != NULL)
         die("--at: %s", why);
      state_free(s);
   }
   args[3] = text_copy(text_format("/proc/self/fd/%d",
                                   write_script(o, w, t, unnamed)));
   for (; args[n] != NULL; n++)
      all[n] = text_copy(args[n]);
   for (int i = 0; i < o->n_more; i++)
      all[n++] = o->more[i];
   dcfg_wet_close(w);
   execvp(debugger, all);
   die("gdb cannot be started: %s", errno == ENOENT ? "it is not installed"
       : strerror(errno));
}

/*--- The command                                          ---*/

/* Cut ARGV off at "--": the arguments behind are for gdb. */
static void split_arguments(int* argc, char** argv, GdbOptions* o)
{
   for (int i = 1; i < *argc; i++)
      if (strcmp(argv[i], "--") == 0) {
         o->more   = argv + i + 1;
         o->n_more = *argc - i - 1;
         *argc     = i;
         return;
      }
}

static int run(int argc, char** argv)
{
   GdbOptions o = { .port = NOT_GIVEN };
   const Opt  opts[] = {
      { "at", OPT_TEXT, &o.at, "WHERE",
        "begin at FILE:LINE[#N], ADDRESS[#N], a time, or end" },
      { "serve", OPT_FLAG, &o.serve, NULL,
        "do not start gdb: speak its protocol on stdin and stdout" },
      { "listen", OPT_COUNT, &o.port, "PORT",
        "or on that port of localhost; 0: one that is free" },
      OPT_INDEX(&o.index, "keep the trace's index; no: for this session only [yes]"),
      OPT_WINDOW(&o.window),
      OPT_ROOT(&o.root)
   };
   const char* args[1];
   const char* asked;
   DcfgWet*    w;
   int         unnamed;

   split_arguments(&argc, argv, &o);
   o.file = parse_args(&gdb_command, OPTS(opts), argc, argv, args, 0, 1) == 1
            ? args[0] : default_trace(&gdb_command);
   if (o.port != NOT_GIVEN && o.port > 65535)
      die("--listen=%" PRIu64 ": there is no such port; ports go from 0 to "
          "65535", o.port);
   if (o.serve && o.port != NOT_GIVEN)
      die("--serve and --listen: give only one of them");
   if (o.n_more > 0 && (o.serve || o.port != NOT_GIVEN))
      die("`%s' is for gdb, which --serve and --listen do not start",
          o.more[0]);
   asked  = o.file = pack_opened(o.file, &o.root);
   o.file = window_trace(asked, &(Window){ .asked = o.window });
   w = open_trace(&o, &unnamed);
   /* A window ends with the run, and begins anywhere. */
   if (o.file != asked && o.at == NULL && wet_begins_late(w))
      o.at = "end";
   if (!o.serve && o.port == NOT_GIVEN)
      start_gdb(&o, w, unnamed);
   if (unnamed >= 0)
      close(unnamed);
   serve(&o, w);
   dcfg_wet_close(w);
   return STATUS_OK;
}

const Command gdb_command = {
   "gdb", "[FILE] [-- ARG...]", "run a recording in gdb, backward too",
   "Starts gdb on a whole execution trace, which --wet=yes writes.  Nothing\n"
   "is executed again: gdb's commands go through the recording, forward and\n"
   "backward, as reverse-continue, reverse-step and watch do.  Arguments\n"
   "behind -- are gdb's.  In gdb, monitor help lists more commands, and\n"
   "dcfg-goto WHERE goes to a time.\n",
   "\n"
   "examples:\n"
   "  dcfg gdb wet.out.4711\n"
   "  dcfg gdb --at=price.c:21 wet.out.4711 -- -ex bt\n"
   "  dcfg gdb --listen=3333 wet.out.4711\n"
   "  dcfg gdb run.out.4711.rec\n",
   run
};
