/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading whole execution traces. */

/* Reads the file that valgrind --tool=dcfg --wet=yes writes: everything that a
   program executed, instance by instance, in order.  Each instance has the
   addresses of its memory accesses, the instances that wrote what it used, and
   the branch that let it run.  For example, this prints the instances that used
   what line 12 computed:

      DcfgWet*       w = dcfg_wet_open("wet.out.1234", NULL, &err);
      DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
      DcfgWetEvent   e;

      while (v != NULL && dcfg_wet_next(v, &e, &err))
         for (uint32_t i = 0; i < e.n_ports; i++)
            for (uint32_t k = 0; k < e.ports[i].n; k++) {
               const DcfgWetDep* d = &e.deps[e.ports[i].first + k];
               if (dcfg_wet_instr(w, d->instr)->line == 12)
                  printf("0x%" PRIx64 "#%" PRIu64 "\n", e.addr, e.instance);
            }
      dcfg_wet_events_free(v);
      dcfg_wet_close(w);

   DcfgWet is the file: what it says of instructions, threads and the process.
   It does not change once it is open.  Any number of DcfgWetEvents, slices
   (dcfg_slice.h) and cursors (dcfg_cursor.h) read it at the same time.  Each
   has its own memory, which DcfgOptions.max_memory limits by itself.

   An instruction is an address in an image.  Other code that came to stand at
   the same address belongs to another image.  Its instances are its executions,
   numbered from 0 over all threads, in the order of their turns.  Each
   iteration of an instruction with a repeat prefix is an instance.

   Memory is bounded by the memory that the program had written, not by the
   length of the run.  The rules of dcfg.h on files, ownership, threads of the
   reader, errors and options hold here, too. */

#ifndef DCFG_WET_H
#define DCFG_WET_H

#include "dcfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/*--- Instructions                                         ---*/

typedef struct DcfgWet DcfgWet;

/* DcfgWetPortKind: the kinds of things that an instruction may use, in the
   order of ports. */
typedef
   enum {
      DCFG_WET_CONTROL,         // the branch or call that let it run
      DCFG_WET_GENERAL,         // a general register, by its encoding
      DCFG_WET_FLAGS,
      DCFG_WET_VECTOR,          // a vector register
      DCFG_WET_X87,
      DCFG_WET_MEMORY           // an operand in memory
   }
   DcfgWetPortKind;

/* DcfgWetTransfer: how an instruction transfers control. */
typedef
   enum {
      DCFG_WET_FALLS,           // the next instruction follows
      DCFG_WET_BRANCH,          // a conditional branch, always direct
      DCFG_WET_JUMP,            // a direct jump
      DCFG_WET_INDIRECT_JUMP,
      DCFG_WET_CALL,            // a direct call
      DCFG_WET_INDIRECT_CALL,
      DCFG_WET_RET,
      DCFG_WET_SYSCALL,
      DCFG_WET_REP              // one iteration of an instruction with a repeat
                                // prefix
   }
   DcfgWetTransfer;

/* DcfgWetAccess: an access to memory that each instance of an instruction
   makes.  An instruction that changes an operand makes two accesses, or one
   that does both. */
typedef
   struct {
      uint32_t size;            // bytes
      bool     reads, writes;
      bool     perhaps;         // some instances do not make it
      uint32_t same;            // one more than the number of an earlier access
                                // that has the same address; 0: there is none
   }
   DcfgWetAccess;

/* DcfgWetRegisterId: a register that an instruction uses or defines, at least
   in part. */
typedef
   struct {
      DcfgWetPortKind kind;     // DCFG_WET_GENERAL, _FLAGS, _VECTOR or _X87
      uint32_t        reg;      // by its encoding; 0 for flags and for x87,
                                // each of which is one register here
      uint64_t        bytes;    // the bytes of it, a bit for each; of flags: 1,
                                // C; 2, the others; 4, D
   }
   DcfgWetRegisterId;

/* DcfgWetInstr: an instruction, without its instances.  Texts are NULL and the
   line is 0 if the file does not have them. */
typedef
   struct {
      uint64_t       addr;
      uint32_t       image;
      const char*    image_name;
      uint64_t       image_load;        // load address of the image
      const char*    image_build_id;    // in hexadecimal; NULL: not in the file
      const char*    function;  // the symbol, not demangled
      uint64_t       function_addr;     // its address; .addr without one
      const char*    source;    // path
      uint32_t       line;
      uint32_t       size;      // bytes of code
      const uint8_t* code;
      uint32_t       n_ports;   // ports of each instance
      uint32_t       address_size;      // 8 bytes, or 4 in a 32-bit program
      uint32_t       machine;   // the processor: e_machine of ELF
      bool           loads, stores;     // has operands in memory
      bool           loads_stack;       // may load the stack pointer: see
                                        // DcfgWetEvent.stack_before
      DcfgWetTransfer transfer;
      /* Accesses, in the order in which each instance makes them. */
      uint32_t       n_accesses;
      const DcfgWetAccess* accesses;
      /* Registers that it uses, in the order of its ports, and those that it
         defines. */
      uint32_t       n_uses, n_defines;
      const DcfgWetRegisterId* uses;
      const DcfgWetRegisterId* defines;
   }
   DcfgWetInstr;

/* Open a trace.  Return NULL, and set *ERR, on errors. */
DCFG_API DcfgWet* dcfg_wet_open(const char* path, const DcfgOptions* options,
                                DcfgError* err);

/* Open a trace of SIZE bytes at DATA, which must stay until W is closed. NAME
   is for errors. */
DCFG_API DcfgWet* dcfg_wet_open_memory(const void* data, size_t size,
                                       const char* name,
                                       const DcfgOptions* options,
                                       DcfgError* err);

/* Close W, which may be NULL.  What reads it must be freed before. */
DCFG_API void dcfg_wet_close(DcfgWet* w);

/* Return the number of instructions.  They are numbered from 0, by image and
   address.  Some may never have been executed. */
DCFG_API uint32_t dcfg_wet_instrs(const DcfgWet* w);

/* Return instruction N.  The result, with all that it refers to, is W's.  It is
   valid until the next call; texts are valid until W is closed. */
DCFG_API const DcfgWetInstr* dcfg_wet_instr(DcfgWet* w, uint32_t n);

/* Return the number of threads, and the number of instructions that thread T
   executed, as the writer counted them. */
DCFG_API uint32_t dcfg_wet_threads(const DcfgWet* w);
DCFG_API uint64_t dcfg_wet_executed(const DcfgWet* w, uint32_t t);

/* Return whether W has only the last part of the run (--wet-ring).  Instances
   have their numbers all the same.  Writes and calls before the first event
   have no instance. */
DCFG_API bool dcfg_wet_is_window(const DcfgWet* w);

/* Return how many instructions that were executed and recorded W lacks at its
   begin: 0 but for --wet-ring.  A region (--start) lacks none: it was recorded
   from its begin on. */
DCFG_API uint64_t dcfg_wet_before(const DcfgWet* w);

/* Return whether the end of the run is missing, because it could not be
   written.  dcfg_wet_executed() counts that part, too. */
DCFG_API bool dcfg_wet_ends_early(const DcfgWet* w);

/* Tell which instructions' recorded values begin with the bytes that they load:
   LOADS has an element for each instruction of W, which copies them.  With that,
   an index made from now on, slices and DcfgCursor know which bytes somebody
   else wrote: loads that find other bytes than the trace told
   before tell it (an unseen write).  Without, the last store counts.  Return
   false if memory is short. */
DCFG_API bool dcfg_wet_tell_loads(DcfgWet* w, const bool* loads);

/*--- The process                                          ---*/

/* DcfgWetRegisterKind: a register, or a group of registers with numbers. */
typedef
   enum {
      DCFG_WET_REG_GENERAL,     // by encoding; of arm64 31 is SP
      DCFG_WET_REG_VECTOR,
      DCFG_WET_REG_X87,         // as MMX numbers them, in the 8 bytes that
                                // Valgrind computes with
      DCFG_WET_REG_IP,
      DCFG_WET_REG_FLAGS,       // EFLAGS; of arm64 NZCV in bits 31 to 28
      DCFG_WET_REG_THREAD_BASE, // FS's base, of x86 GS's; TPIDR_EL0
      DCFG_WET_REG_GS_BASE,     // amd64 only
      DCFG_WET_REG_X87_CONTROL,
      DCFG_WET_REG_X87_STATUS,  // with the top of the stack in bits 11 to 13
      DCFG_WET_REG_X87_TAGS,    // a bit for each register in use
      DCFG_WET_REG_VECTOR_CONTROL,      // MXCSR; FPCR
      DCFG_WET_REG_VECTOR_STATUS,       // FPSR
      DCFG_WET_REG_SEGMENT      // selectors of x86: CS SS DS ES FS GS
   }
   DcfgWetRegisterKind;

/* DcfgWetRegister: a register's contents, the lowest byte first.  A general
   register of x86 has 4 bytes. */
typedef
   struct {
      DcfgWetRegisterKind kind;
      uint32_t       reg;       // number in its group, else 0
      uint32_t       size;      // bytes
      const uint8_t* bytes;
   }
   DcfgWetRegister;

/* DcfgWetMapping: how a range of memory is mapped. */
typedef
   struct {
      uint64_t    addr, size;
      bool        there;        // false: nothing is mapped
      bool        readable, writable, executable;
      bool        shared;       // System V shared memory
      bool        from_file;
      bool        is_new;       // events only: the contents are new, those of the
                                // file, or zeros; else they stay
      uint64_t    room_below;   // if not 0, this is the first thread's stack: the
                                // bytes that it may still grow downward
      const char* file;         // if .from_file: its path, perhaps empty, and
      uint64_t    offset;       // the offset of the range in it
   }
   DcfgWetMapping;

/* DcfgWetThread: a thread at the begin. */
typedef
   struct {
      uint32_t thread;          // its number in the trace
      uint64_t tid;             // and the kernel's
      uint32_t n_registers;
      const DcfgWetRegister* registers;
   }
   DcfgWetThread;

/* DcfgWetContents: bytes in memory. */
typedef
   struct {
      uint64_t       addr, size;
      const uint8_t* bytes;
   }
   DcfgWetContents;

/* DcfgWetAux: an entry of the auxiliary vector; see getauxval(3). */
typedef
   struct {
      uint64_t type, value;
   }
   DcfgWetAux;

typedef
   enum {
      DCFG_WET_END_OPEN,        // the run went on, or nobody knows
      DCFG_WET_END_EXIT,        // the process exited with .status
      DCFG_WET_END_SIGNAL,      // signal .status killed it
      DCFG_WET_END_EXEC         // the process was about to execute another
                                // program
   }
   DcfgWetEnd;

/* DcfgWetState: the process before the first event, and its end.  The program's
   begin is that, or a region's, a forked child's, a ring's oldest event. */
typedef
   struct {
      DcfgWetEnd end;
      uint32_t   status;        // exit status or signal
      bool       known;         // are the members below known?
      bool       at_start;      // the program begins: all memory that is not in
                                // .contents has the bytes of mapped files, or
                                // zeros
      uint64_t   pid;
      uint32_t   program;       // image of the program; DCFG_NONE: none of its
                                // code was executed
      uint64_t   load_bias;     // how far it is from the addresses in its file
      uint32_t   n_aux;
      const DcfgWetAux*      aux;
      uint32_t   n_mappings;    // by address
      const DcfgWetMapping*  mappings;
      uint32_t   n_threads;
      const DcfgWetThread*   threads;
      /* Each thread's stack: the bytes from the stack pointer on, and below it
         those that its functions may use.  If it is not the program's begin, only
         the nearest 64 KB. */
      uint32_t   n_contents;
      const DcfgWetContents* contents;
   }
   DcfgWetState;

/* Return the version of W's file. */
DCFG_API uint32_t dcfg_wet_version(const DcfgWet* w);

/* Return which run W is of, which is W's; NULL: it is not told. */
DCFG_API const DcfgRun* dcfg_wet_run(const DcfgWet* w);

/* Return the state of the process, which is W's. */
DCFG_API const DcfgWetState* dcfg_wet_state(const DcfgWet* w);

/*--- Events                                               ---*/

/* DcfgWetKind: the kinds of events. */
typedef
   enum {
      DCFG_WET_READ    = 2,     // the kernel read memory for a system call
      DCFG_WET_WRITTEN = 3,     // the kernel wrote memory for a system call
      DCFG_WET_FRESH   = 4,     // memory that no executed instruction wrote
      DCFG_WET_HANDLER = 5,     // a signal's handler begins
      DCFG_WET_RETURN  = 6,     // a signal's handler returns
      DCFG_WET_MOVED   = 7,     // memory was moved to another address
      DCFG_WET_CREATED = 9,     // the thread created another one
      DCFG_WET_CONTENTS = 10,   // the kernel wrote these bytes
      DCFG_WET_RESULT  = 11,    // the thread's system call has returned
      DCFG_WET_MAPPED  = 12,    // memory is mapped in another way from now on
      DCFG_WET_SIGNAL  = 13,    // a signal came; HANDLER follows
      DCFG_WET_REGISTERS = 14,  // registers of the thread have been set: by the kernel,
                                // for a handler, behind it, for a new thread;
                                // or by a client request
      DCFG_WET_IDENTITY = 15,   // a thread's number in the kernel
      DCFG_WET_ENDED   = 16,    // a thread has ended
      DCFG_WET_CALLED  = 18,    // the handler that returned has let the function that it
                                // had interrupted call another one
      DCFG_WET_INSTR   = 256    // an instruction was executed
   }
   DcfgWetKind;

/* DcfgWetPort: a thing that an instance used.  Elements .first to .first + .n -
   1 of the event's .deps are the instances that wrote it, each once, the writer
   of the lowest byte first.  .n is 0 if no executed instruction wrote it. */
typedef
   struct {
      DcfgWetPortKind kind;
      uint32_t        reg;      // register, or index of the access
      uint32_t        first, n;
   }
   DcfgWetPort;

/* DcfgWetDep: an instance. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
   }
   DcfgWetDep;

/* DcfgWetTaken: the way on which an instance went. */
typedef
   enum {
      DCFG_WET_NOT_TAKEN,       // to the next instruction
      DCFG_WET_TAKEN,           // to the branch's target
      DCFG_WET_UNCLEAR          // a conditional branch of which W does not tell
   }
   DcfgWetTaken;

/* DcfgWetEvent: an event.  The event of a system call's instruction is followed
   by the events READ and WRITTEN.  READ: memory that the kernel read, the
   instruction's last port.  WRITTEN: memory that the kernel wrote. */
typedef
   struct {
      DcfgWetKind kind;
      uint32_t    thread;
      uint64_t    addr;         // address of the instruction or memory; number
                                // of the thread that is new, that has the
                                // kernel's number, or that has ended; stack
                                // pointer of CALLED
      uint64_t    size;         // bytes of memory
      uint64_t    from;         // former address of moved memory
      /* The members below are set for instructions only. */
      uint32_t    instr;
      uint32_t    image;
      uint64_t    instance;
      uint64_t    time;         // instructions that all threads executed before
      uint32_t    n_accesses;
      const uint64_t* accesses; // addresses of the instruction's accesses, in
                                // their order; 0: not made.  If there are
                                // fewer, the last ones were not made.  Valid
                                // until the next event, as these:
      uint32_t    n_ports;
      const DcfgWetPort* ports;
      const DcfgWetDep*  deps;
      /* The value that it computed, the lowest byte first, if the file has
         values and the instruction computes one. */
      bool        has_value;
      uint32_t    value_size;   // bytes
      const uint8_t* value;
      /* Jumps, calls and returns are always taken.  A conditional branch is
         unclear if nothing that its thread executed follows, or a signal's
         handler does, and no other instance has shown the way. */
      DcfgWetTaken taken;
      uint64_t    stack;        // the stack pointer behind an indirect jump, on
                                // arm64 also behind a call or return, and
                                // behind a load of it; else 0
      uint64_t    stack_before; // the stack pointer before an instruction that
                                // loads it: that puts there what it has not
                                // computed from it; else 0
      /* Each of these is set for one kind only, and valid until the next
         event. */
      const uint8_t* bytes;     // CONTENTS: .size of them
      uint64_t    result;       // RESULT: errors are negative, as the register
                                // has them
      uint32_t    signal;       // SIGNAL
      uint64_t    tid;          // IDENTITY: the kernel's number
      const DcfgWetMapping*  mapping;   // MAPPED
      uint32_t    n_registers;  // REGISTERS
      const DcfgWetRegister* registers;
   }
   DcfgWetEvent;

typedef struct DcfgWetEvents DcfgWetEvents;

/* Return the events of W, from the first one on; NULL, with *ERR set, on errors.
   A pipe can be read only once. */
DCFG_API DcfgWetEvents* dcfg_wet_events_new(DcfgWet* w, DcfgError* err);

/* Free V, which may be NULL. */
DCFG_API void dcfg_wet_events_free(DcfgWetEvents* v);

/* Prepare V to find the control port, which events lack otherwise.  Call it
   before the first event: it reads the file once, which cannot be a pipe.
   Return false, and set *ERR, on errors. */
DCFG_API bool dcfg_wet_find_control(DcfgWetEvents* v, DcfgError* err);

/* DcfgWetFilter: selects events.  The library reads the whole file all the
   same, but passes over other events three times as fast. */
typedef
   struct {
      const bool* instrs;       // by number; NULL: all
      uint32_t    thread;       // or DCFG_NONE: of all threads
      uint64_t    from, to;     // .time of the events
   }
   DcfgWetFilter;

/* Return only those instances as events of V that F selects.  The others are
   counted, and instances may depend on them.  Call it before the first event.
   Return false, and set *ERR, on errors. */
DCFG_API bool dcfg_wet_select(DcfgWetEvents* v, const DcfgWetFilter* f,
                              DcfgError* err);

/* Return the next event in *E.  Return false at the end, with err->status
   DCFG_OK, or after an error. */
DCFG_API bool dcfg_wet_next(DcfgWetEvents* v, DcfgWetEvent* e,
                            DcfgError* err);

/*--- Paths                                                ---*/

/* DcfgWetPiece: instructions that a thread executed one behind the other, before
   its next piece. */
typedef
   struct {
      uint64_t        time;     // instructions that all threads executed before
      uint32_t        n;
      uint32_t        way;      // pieces with one number have the same
                                // instructions; DCFG_NONE: it has no number
      const uint32_t* instrs;   // their numbers, valid as long as W
   }
   DcfgWetPiece;

typedef struct DcfgWetPath DcfgWetPath;

/* Return the path of THREAD in W, from its begin on: which instructions it
   executed, without addresses and values.  That is many times as fast as events.
   Return NULL, and set *ERR, on errors. */
DCFG_API DcfgWetPath* dcfg_wet_path_new(DcfgWet* w, uint32_t thread,
                                        DcfgError* err);

/* Free P, which may be NULL. */
DCFG_API void dcfg_wet_path_free(DcfgWetPath* p);

/* Set *PIECES to the next pieces, valid until the next call, and return how many
   there are.  Return 0 at the end, with err->status DCFG_OK, or after an error. */
DCFG_API size_t dcfg_wet_path_next(DcfgWetPath* p, const DcfgWetPiece** pieces,
                                   DcfgError* err);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_WET_H */
