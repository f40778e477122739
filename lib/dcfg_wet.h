/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading whole execution traces. */

/* Reads the file that valgrind --tool=dcfg --wet=yes writes: everything that a
   program executed, instance by instance and in its order.  For each instance
   it has the addresses of memory accesses, the instances that had written what
   it used, and the branch that let it run.  For example, this prints who used
   what line 12 computed:

      DcfgWet*     w = dcfg_wet_open("wet.out.1234", NULL, &err);
      DcfgWetEvent e;
      while (w != NULL && dcfg_wet_next(w, &e, &err))
         for (uint32_t i = 0; i < e.n_ports; i++)
            for (uint32_t k = 0; k < e.ports[i].n; k++) {
               const DcfgWetDep* d = &e.deps[e.ports[i].first + k];
               if (dcfg_wet_instr(w, d->instr)->line == 12)
                  printf("0x%" PRIx64 "#%" PRIu64 "\n", e.addr, e.instance);
            }
      dcfg_wet_close(w);

   An instruction is an address in an image; other code that came to stand at
   the same address is of another image.  Its instances are its executions, from
   0, over all threads in the order of their turns.  Each iteration of an
   instruction with a repeat prefix is an instance.

   Memory is bounded by the memory that the program had written, not by how long
   it ran. dcfg.h explains files, ownership, threads of the reader, errors and
   options; all of that holds here, too. */

#ifndef DCFG_WET_H
#define DCFG_WET_H

#include "dcfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/*--- Instructions                                         ---*/

typedef struct DcfgWet DcfgWet;

/* DcfgWetPortKind: the kinds of things that an instruction may use, in the
   order of its ports. */
typedef
   enum {
      DCFG_WET_CONTROL,         // the branch, or call, that let it run
      DCFG_WET_GENERAL,         // a general register, by its encoding
      DCFG_WET_FLAGS,
      DCFG_WET_VECTOR,          // a vector register
      DCFG_WET_X87,
      DCFG_WET_MEMORY           // an operand in memory
   }
   DcfgWetPortKind;

/* DcfgWetInstr: an instruction, without its instances.  Texts are NULL and the
   line is 0 if the file does not have them. */
typedef
   struct {
      uint64_t       addr;
      uint32_t       image;
      const char*    image_name;
      uint64_t       image_load;        // load address of the image
      const char*    image_build_id;    // in hexadecimal; NULL: not told
      const char*    function;  // the symbol, not demangled
      const char*    source;    // its path
      uint32_t       line;
      uint32_t       size;      // bytes of code
      const uint8_t* code;
      uint32_t       n_ports;   // ports of each instance
      uint32_t       address_size;      // 8 bytes, or 4 in a 32-bit program
      uint32_t       machine;   // the processor, as ELF files have it
      bool           loads, stores;     // operands in memory
   }
   DcfgWetInstr;

/* Open a trace.  Return NULL and set *ERR if that cannot be done. */
DCFG_API DcfgWet* dcfg_wet_open(const char* path, const DcfgOptions* options,
                                DcfgError* err);

/* Open a trace of SIZE bytes at DATA, which must stay until W is closed. NAME
   is for errors. */
DCFG_API DcfgWet* dcfg_wet_open_memory(const void* data, size_t size,
                                       const char* name,
                                       const DcfgOptions* options,
                                       DcfgError* err);

/* Close W, which may be NULL. */
DCFG_API void dcfg_wet_close(DcfgWet* w);

/* Return the number of instructions.  They are numbered from 0, by image and
   address.  Some may never have been executed. */
DCFG_API uint32_t dcfg_wet_instrs(const DcfgWet* w);

/* Return instruction N.  The result is valid until the next call. */
DCFG_API const DcfgWetInstr* dcfg_wet_instr(DcfgWet* w, uint32_t n);

/* Return the number of threads, and the number of instructions that thread T
   executed, as the writer counted them. */
DCFG_API uint32_t dcfg_wet_threads(const DcfgWet* w);
DCFG_API uint64_t dcfg_wet_executed(const DcfgWet* w, uint32_t t);

/* Is it only the last of what was executed (--wet-ring)?  Instances have their
   numbers all the same, but what was written, or called, before the first
   event is the work of nobody. */
DCFG_API bool dcfg_wet_is_window(const DcfgWet* w);

/* Does W lack the end of what was executed, because it could not be written?
   dcfg_wet_executed() counts that, too. */
DCFG_API bool dcfg_wet_ends_early(const DcfgWet* w);

/* Was it recorded what instances computed (--wet-values)? */
DCFG_API bool dcfg_wet_has_values(const DcfgWet* w);

/*--- Events                                               ---*/

typedef
   enum {
      DCFG_WET_READ    = 2,     // the kernel read memory for a system call
      DCFG_WET_WRITTEN = 3,     // and wrote some
      DCFG_WET_FRESH   = 4,     // memory that nothing executed has written
      DCFG_WET_HANDLER = 5,     // a signal's handler is entered
      DCFG_WET_RETURN  = 6,     // and left
      DCFG_WET_MOVED   = 7,     // memory that stood elsewhere before
      DCFG_WET_CREATED = 9,     // the thread has made another one
      DCFG_WET_INSTR   = 256    // an instruction was executed
   }
   DcfgWetKind;

/* DcfgWetPort: a thing that an instance used.  Elements .first to .first + .n -
   1 of the event's .deps are the instances that had written it, each once, the
   writer of the lowest byte first.  There is none if no executed instruction
   had written it. */
typedef
   struct {
      DcfgWetPortKind kind;
      uint32_t        reg;      // the register; the access
      uint32_t        first, n;
   }
   DcfgWetPort;

/* An instance. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
   }
   DcfgWetDep;

/* DcfgWetEvent: an event.  Behind the event of a system call's instruction come
   the events READ and WRITTEN: the memory that the kernel used, which is the
   instruction's last port, and the memory that it defined. */
typedef
   struct {
      DcfgWetKind kind;
      uint32_t    thread;
      uint64_t    addr;         // address of the instruction or memory; or the
                                // number of the thread that was made
      uint64_t    size;         // bytes of memory
      uint64_t    from;         // former address of moved memory
      /* The members below are set for instructions only. */
      uint32_t    instr;
      uint32_t    image;
      uint64_t    instance;
      uint64_t    time;         // instructions that all threads executed before
      uint32_t    n_accesses;
      const uint64_t* accesses; // addresses; 0: was not made.  Valid until
                                // the next event, as these:
      uint32_t    n_ports;
      const DcfgWetPort* ports;
      const DcfgWetDep*  deps;
      /* The value that it computed, its lowest byte first, if the file has
         values and it computes one. */
      bool        has_value;
      uint32_t    value_size;   // bytes
      const uint8_t* value;
   }
   DcfgWetEvent;

/* Prepare W to find the control port; else events have none.  Call it before
   the first event: it reads the file once.  Return false and set *ERR if that
   fails.  A pipe can only be read once. */
DCFG_API bool dcfg_wet_find_control(DcfgWet* w, DcfgError* err);

/* DcfgWetFilter: selects events.  All of the file is read in any case, but
   events that are not selected are passed over three times as fast. */
typedef
   struct {
      const bool* instrs;       // by number; NULL: all
      uint32_t    thread;       // or DCFG_NONE: of all threads
      uint64_t    from, to;     // .time of the events
   }
   DcfgWetFilter;

/* Make only instances that F selects events of W.  The others are counted, and
   instances may depend on them, all the same.  Call it before the first event.
   Return false and set *ERR if that fails. */
DCFG_API bool dcfg_wet_select(DcfgWet* w, const DcfgWetFilter* f,
                              DcfgError* err);

/* Return the next event in *E.  Return false at the end, with err->status
   DCFG_OK, or after an error. */
DCFG_API bool dcfg_wet_next(DcfgWet* w, DcfgWetEvent* e, DcfgError* err);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_WET_H */
