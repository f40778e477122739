/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Facts about a whole execution trace. */

/* Owns: the text of dcfg wet --info.  Handed: a trace. */

#include "cmd/wet/wet_info.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <inttypes.h>
#include <string.h>

/* Put a line. */
static void put(Outfile* out, const char* what, const char* text)
{
   out_text(out, text_format("%-10s  %s\n", what, text));
   text_forget();
}

static const char* image_name(DcfgWet* w, uint32_t image)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image == image && in->image_name != NULL)
         return text_clean(in->image_name);
   }
   return "not known";
}

/* Return which image is the program, and where it was loaded. */
static const char* program_text(DcfgWet* w, const DcfgWetState* s)
{
   const char* name;

   if (s->program == DCFG_NONE)
      return "not executed";
   name = image_name(w, s->program);
   return s->load_bias == 0
          ? text_format("%s, at the addresses in its file", name)
          : text_format("%s, 0x%" PRIx64 " above the addresses in its file",
                        name, s->load_bias);
}

/* Return the number and the name of SIGNAL. */
static const char* signal_text(uint32_t signal)
{
   const char* name = signal < 65 ? strsignal((int)signal) : NULL;

   return text_format("%" PRIu32 "%s%s%s", signal, name == NULL ? "" : " (",
                      name == NULL ? "" : name, name == NULL ? "" : ")");
}

static const char* end_text(const DcfgWet* w, const DcfgWetState* s)
{
   if (dcfg_wet_ends_early(w))
      return "the file ends early";
   switch (s->end) {
      case DCFG_WET_END_EXIT:
         return text_format("exit status %" PRIu32, s->status);
      case DCFG_WET_END_SIGNAL:
         return text_format("signal %s", signal_text(s->status));
      case DCFG_WET_END_EXEC:
         return "before execve";
      default:
         return "the run went on";
   }
}

static uint64_t size_of_contents(const DcfgWetState* s)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < s->n_contents; i++)
      n += s->contents[i].size;
   return n;
}

static void put_state(DcfgWet* w, const DcfgWetState* s, Outfile* out)
{
   put(out, "end", end_text(w, s));
   if (!s->known) {
      put(out, "begin", "not known");
      return;
   }
   put(out, "process", text_format("%" PRIu64, s->pid));
   put(out, "program", program_text(w, s));
   for (uint32_t i = 0; i < s->n_threads; i++)
      put(out, "begin", text_format("thread %" PRIu32 " (%" PRIu64
                                    "): %" PRIu32 " registers",
                                    s->threads[i].thread, s->threads[i].tid,
                                    s->threads[i].n_registers));
   put(out, "mappings", text_count(s->n_mappings));
   put(out, "stacks", text_format("%s bytes",
                                  text_count(size_of_contents(s))));
}

void wet_info(DcfgWet* w, Outfile* out)
{
   const DcfgWetState* s = dcfg_wet_state(w);
   uint64_t            n = 0;

   for (uint32_t t = 0; t < dcfg_wet_threads(w); t++)
      n += dcfg_wet_executed(w, t);
   put(out, "version", text_format("%" PRIu32 ", %s values",
                                   dcfg_wet_version(w),
                                   dcfg_wet_has_values(w) ? "with"
                                                          : "without"));
   put(out, "executed", text_format("%s instructions, %" PRIu32 " thread%s%s",
                                    text_count(n), dcfg_wet_threads(w),
                                    dcfg_wet_threads(w) == 1 ? "" : "s",
                                    dcfg_wet_is_window(w)
                                    ? "; the run's begin is not in the file"
                                    : ""));
   if (s != NULL)
      put_state(w, s, out);
   else
      put(out, "begin", "not known, for this takes version 4");
}
