/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The names of generated code. */

#ifndef __DCFG_GENERATED_H
#define __DCFG_GENERATED_H

#include "pub_tool_basics.h"

/* GeneratedLine: the source line of the code from an offset on. */
typedef
   struct {
      UInt         offset;
      UInt         line;
      const HChar* file;
   }
   GeneratedLine;

/* Generated: a function that a compiler in the program has generated.  Never
   freed. */
typedef
   struct {
      Addr         start;
      Addr         last;       // address of the last byte
      const HChar* name;
      const GeneratedLine* lines;
      UInt         n_lines;
   }
   Generated;

/* Begin, before the program runs.  RENAMED is called while no code runs when the
   function of LEN bytes at A has got another name. */
void DCFG_(start_generated)(void (*renamed)(Addr a, SizeT len));

/* Ask for the function of the code at A, as it is now.  Code is TRANSLATED there, or
   control is about to go there.  LAST is the question before in a list of
   questions, or 0.  Return the question's number, from 1; or 0, if nothing but the
   last name of the address will ever be known. */
UInt DCFG_(ask_generated)(Addr a, UInt last, Bool translated);

/* Return the answer to question Q as far as it is known, or NULL. */
const Generated* DCFG_(generated)(UInt q);

/* Return the function at A that was told last, or NULL; whether any was told. */
const Generated* DCFG_(last_generated)(Addr a);
Bool             DCFG_(knows_generated)(void);

/* Return whether the answers come late, so that two questions about one address may
   have different ones. */
Bool DCFG_(is_named_late)(void);

/* Return the source file of the code at A, in function G, and set *LINE; or return
   NULL.  Known when all has been read. */
const HChar* DCFG_(line_of_generated)(const Generated* g, Addr a,
                                      /*OUT*/UInt* line);

/* Return whether any lines were told. */
Bool DCFG_(knows_generated_lines)(void);

/* Read all that the program has written so far: an output needs the answers. */
void DCFG_(read_generated)(void);

/* The program has made the system call SYSNO.  It has mapped an executable file
   at A.  It is about to lose rights: no file is looked for any more.  This
   process is the child of a fork. */
void DCFG_(look_at_generated)(UInt sysno);
void DCFG_(note_executable_file)(Addr a);
void DCFG_(close_generated)(void);
void DCFG_(forked_generated)(void);

/* In a replay of process PID: the program has made a system call, without an
   error.  What it writes to its map is read there, since no file is written. */
void DCFG_(hear_generated)(Int pid, UInt sysno, const UWord* args, UWord result);

/*--- Ranges                                               ---*/

/* Ranges: which function has which addresses.  The one that was added last has
   them. */
typedef struct _Ranges Ranges;
Ranges* DCFG_(new_ranges)(void);
void    DCFG_(delete_ranges)(Ranges* r);
void    DCFG_(add_range)(Ranges* r, const Generated* g);
const Generated* DCFG_(range_at)(const Ranges* r, Addr a);

/* Add to R the functions that answer question Q and those before it in its list.  Of
   two at one address it is the later one. */
void    DCFG_(add_answers)(Ranges* r, UInt q);

/* Call DO_IT for each range, ascending. */
void    DCFG_(each_range)(Ranges* r,
                          void (*do_it)(void* arg, Addr from, Addr last,
                                        const HChar* name), void* arg);

#endif /* __DCFG_GENERATED_H */
