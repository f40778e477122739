/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers in the state of a process: registers, mappings, its end. */

#ifndef DCFG_FORMAT_WET_PROCESS_H
#define DCFG_FORMAT_WET_PROCESS_H

/* Registers are pieces, each of which is a location (format/wet_code.h), a
   number of bytes, and the bytes.  These registers have no locations; their
   numbers stand in place of one. */
enum {
   RegisterFirst = 1024,
   RegisterIp = RegisterFirst,
   RegisterFlags,        // EFLAGS; of arm64 NZCV in bits 31 to 28
   RegisterThread,       // the base of thread-local storage: that of FS, of x86
                         // that of GS; TPIDR_EL0
   RegisterGsBase,
   RegisterFpuControl,   // the words of x87
   RegisterFpuStatus,
   RegisterFpuTags,      // a bit for each register that is in use
   RegisterVectorControl,// MXCSR; FPCR
   RegisterVectorStatus, // FPSR
   RegisterSegment,      // the selectors CS SS DS ES FS GS of x86
   RegisterEnd = RegisterSegment + 6
};

/* The most bytes of a piece's register. */
#define WET_MAX_REGISTER 32u

/* How memory is mapped. */
enum {
   MappedRead    = 1,
   MappedWrite   = 2,
   MappedExecute = 4,
   MappedThere   = 8,    // else there is no mapping
   MappedFile    = 16,   // an offset in a file, and the file, follow
   MappedShared  = 32,   // System V shared memory
   MappedStack   = 64,   // the first thread's stack, which grows downward:
                         // how far it may grow follows
   MappedNew     = 128,  // the contents are new: the file's, or zeros
   MappedAll     = 255
};

/* The end of what was recorded. */
enum {
   EndOpen,              // the run goes on, or what became of it is not known
   EndExit,              // the process exited with this status
   EndSignal,            // this signal killed it
   EndExec,              // the process was about to execute
                         // another program
   N_RUN_ENDS
};

#endif /* DCFG_FORMAT_WET_PROCESS_H */
