/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compression of files. */

/* Owns: the compressors, and how they run without the notice of the program,
   whose children they are.  Handed: names of files. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vkiscnums.h"

#include "tool/files/compress.h"
#include "tool/base/core.h"
#include "tool/files/interrupt.h"
#include "tool/files/writeall.h"

static const Compressor compressors[] = {
   { ".gz",  "gzip",  "exec gzip -n -f \"$0\""         },
   { ".bz2", "bzip2", "exec bzip2 -f \"$0\""           },
   { ".xz",  "xz",    "exec xz -f \"$0\""              },
   { ".zst", "zstd",  "exec zstd -q -f --rm \"$0\""    },
};

static HChar** environment;

const Compressor* DCFG_(find_compressor)(const HChar* name)
{
   for (UInt i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++) {
      SizeT n = VG_(strlen)(name);
      SizeT m = VG_(strlen)(compressors[i].suffix);
      if (n > m && VG_(strcmp)(name + n - m, compressors[i].suffix) == 0)
         return &compressors[i];
   }
   return NULL;
}

SizeT DCFG_(plain_length)(const HChar* name)
{
   const Compressor* c = DCFG_(find_compressor)(name);

   return VG_(strlen)(name) - (c != NULL ? VG_(strlen)(c->suffix) : 0);
}

void DCFG_(keep_environment)(void)
{
   environment = VG_(env_clone)(VG_(client_envp));
   for (HChar** e = environment; *e != NULL; e++)
      *e = VG_(strdup)("dcfg.compress.env", *e);
   VG_(env_remove_valgrind_env_stuff)(environment, False, VG_(free));
}

/* Replace this process by the compressor.  The shell finds it in the PATH. */
static void run_compressor(const Compressor* c, const HChar* file)
{
   const HChar* argv[] = { "/bin/sh", "-c", c->command, file, NULL };

   VG_(do_syscall3)(__NR_execve, (RegWord)(Addr)argv[0],
                    (RegWord)(Addr)argv, (RegWord)(Addr)environment);
   DCFG_(exit_child)(127);
}

/* The compressor is a grandchild: a child between waits for it.  So wait() in
   the program does not find the compressor, and its status is not lost if the
   program ignores SIGCHLD. */
Bool DCFG_(compress)(const Compressor* c, const HChar* file)
{
   vki_sigset_t before;

   /* A signal or a limit that is meant for the program must not end the
      compressor. */
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
         run_compressor(c, file);
      }
      DCFG_(exit_child)(pid > 0 && DCFG_(wait_for)(pid) == 0 ? 0 : 1);
   }
   DCFG_(restore_signals)(&before);
   return between > 0 && DCFG_(wait_for_child)(between) == 0;
}
