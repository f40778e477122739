/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   libdcfg: reader of XRay logs. */

/* An XRay log tells in which order a program's functions were entered and left,
   thread by thread, with a tick at each.  In logs of valgrind --tool=dcfg, a
   tick is 1 plus the instructions that the thread had executed: a thread begins
   at tick 1.  So the difference of two ticks of a thread is a cost.  What all other
   threads had executed is told where it has changed; a tick and that are a time, and
   times of all threads have one order.  The log is in the format of LLVM's flight data recorder, version
   1 or 5.  The map beside it is an ELF file that names the functions.  For
   example:

      DcfgXray*      x = dcfg_xray_open("xray-log.1234", NULL, &err);
      DcfgXrayRecord r[256];
      size_t         n;

      while (x != NULL && (n = dcfg_xray_next(x, r, 256, &err)) > 0)
         for (size_t i = 0; i < n; i++)
            if (r[i].kind == DCFG_XRAY_ENTER)
               printf("%" PRIu32 " at %" PRIu64 "\n", r[i].function,
                      r[i].tick);
      dcfg_xray_close(x);

   The rules of dcfg.h on files, ownership, threads of the reader, errors and
   options hold here, too. */

#ifndef DCFG_XRAY_H
#define DCFG_XRAY_H

#include "dcfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/*--- Logs                                                 ---*/

/* With DcfgOptions.problem, reading continues where it can.  The rules are what
   llvm-xray needs to read a log, and what this tool promises:

      header-flags      not both flags of ticks that never stop or change
      header-frequency  not 1,000,000 ticks a second
      header-size       a size of buffers that is no multiple of 8
      header-reserved   the header's last field is not 0
      empty             no buffer
      buffer-head       a buffer does not begin with the required records
      buffer-extents    (version 5) a buffer that ends inside a record
      buffer-end        version 1: no EndOfBuffer; 5: there is one
      buffer-padding    bytes behind EndOfBuffer that are not 0
      thread            a thread's number below 1
      process           (version 5) no process, or not the same in all buffers
      others-order      other threads have executed less than at the record before
      cpu               a processor's number that is not 0
      reserved          bytes of a record without meaning that are not 0
      wall-clock        a thread's buffer is not later than the one before,
                        in both fields
      first-tick        a thread's first tick is 0 or differs from the others'
      tick-order        a tick below one before it
      record            a record that does not exist, or not here
      function-id       function 0
      argument          an argument that follows no entry with arguments
      cut               the file ends within a buffer */

typedef struct DcfgXray DcfgXray;

typedef
   struct {
      uint32_t version;         // 1 or 5
      uint64_t frequency;       // ticks a second
      uint64_t buffer_size;     // in bytes
   }
   DcfgXrayHeader;

typedef
   enum {
      DCFG_XRAY_ENTER, DCFG_XRAY_EXIT, DCFG_XRAY_TAIL_EXIT,
      DCFG_XRAY_ENTER_ARGS,     // followed by ARGUMENT records
      DCFG_XRAY_ARGUMENT,
      DCFG_XRAY_EVENT,          // data of the program
      DCFG_XRAY_OTHERS          // other threads have run before the next record
   }
   DcfgXrayKind;

typedef
   struct {
      DcfgXrayKind kind;
      uint32_t     function;    // id, from 1; for ENTER to ENTER_ARGS
      uint32_t     thread;      // by first occurrence, from 0
      int32_t      thread_id;   // as in the file
      uint64_t     tick;        // absolute
      uint64_t     value;       // ARGUMENT: its value; EVENT: size in bytes;
                                // OTHERS: instructions of all other threads
      const void*  data;        // EVENT: valid until the next call
      uint64_t     buffer;      // number of its buffer, from 0
      uint64_t     number;      // in the buffer, from 0
      uint64_t     offset;      // bytes into the uncompressed file
   }
   DcfgXrayRecord;

/* Open a log and read its header.  Return NULL with *ERR set if it is no
   log. */
DCFG_API DcfgXray* dcfg_xray_open(const char* path,
                                  const DcfgOptions* options,
                                  DcfgError* err);

/* Open a log in memory, which the caller keeps until it is closed. */
DCFG_API DcfgXray* dcfg_xray_open_memory(const void* data, size_t size,
                                         const char* name,
                                         const DcfgOptions* options,
                                         DcfgError* err);

/* Close X, which may be NULL; return its header. */
DCFG_API void dcfg_xray_close(DcfgXray* x);

DCFG_API const DcfgXrayHeader* dcfg_xray_header(const DcfgXray* x);

/* Get the next records, at most MAX and at least one, in the file's order:
   those of a thread in order, those of several threads by buffers.  Return how
   many: 0 at the end, with err->status DCFG_OK, or after an error; then there
   is nothing more. */
DCFG_API size_t dcfg_xray_next(DcfgXray* x, DcfgXrayRecord* records,
                               size_t max, DcfgError* err);

/* Return facts about what was read so far: the number of threads, the number of
   buffers, and the process, or 0 if a log of version 1 does not have it. */
DCFG_API uint32_t dcfg_xray_threads(const DcfgXray* x);
DCFG_API uint64_t dcfg_xray_buffers(const DcfgXray* x);
DCFG_API int32_t  dcfg_xray_process(const DcfgXray* x);

/*--- Maps                                                 ---*/

/* Rules of maps:

      map-text          .text does not have the functions' addresses
      map-sled          a sled that is not its function's
      map-symbol        not one local symbol of size 16 for each function
      map-image         a symbol without an object's name before it
      map-name          a name that is no string of JSON as it is, or none
      map-line          not one row of source lines for each function */

typedef
   struct {
      const char* name;         // "" if not known
      const char* image;        // its object; "" if not known
      const char* file;         // source file; "" if not known
      uint32_t    line;         // 0 if not known
      uint64_t    addr;         // in the map, not in the program
   }
   DcfgXrayFunction;

/* DcfgXrayMap: the function with id N has index N - 1. */
typedef
   struct {
      uint32_t                n_functions;
      const DcfgXrayFunction* functions;
   }
   DcfgXrayMap;

DCFG_API DcfgXrayMap* dcfg_xray_map_load(const char* path,
                                         const DcfgOptions* options,
                                         DcfgError* err);
DCFG_API DcfgXrayMap* dcfg_xray_map_load_memory(const void* data, size_t size,
                                                const char* name,
                                                const DcfgOptions* options,
                                                DcfgError* err);

/* Free M, which may be NULL. */
DCFG_API void dcfg_xray_map_free(DcfgXrayMap* m);

/* Return the function with this id; NULL if M is NULL or does not have it. */
DCFG_API const DcfgXrayFunction* dcfg_xray_function(const DcfgXrayMap* m,
                                                    uint32_t id);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_XRAY_H */
