/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information of a trace's images. */

/* Owns: opening files of images, once each, and whether they are the builds
   that were executed.  Handed: a whole execution trace.

   libdwfl of elfutils gets each image's address in the run, so that all
   addresses are the run's. */

#include "cmd/program/debug_image.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/debug_file.h"
#include "cmd/program/image_times.h"
#include "cmd/program/same_build.h"
#include "cmd/program/stubs.h"
#include "cmd/program/wet_place.h"

#include <stdlib.h>

/* Slot: an image, whose file is opened when it is needed, and its debug
   information later: libraries may have much that nobody asks for. */
typedef
   struct {
      bool       opened;        // the file was opened, or could not be
      bool       checked;       // the debug information is the build's, or it was
                                // closed again
      DebugImage image;         // .module is NULL if it could not be opened
      char*      why;
      uint32_t   first;         // first instruction of the image
   }
   Slot;

struct DebugImages {
   DcfgWet*    w;
   const char* root;
   ImageTimes* times;
   Slot*       slots;           // by number of the image
   uint32_t    n;
};

DebugImages* debug_images_new(DcfgWet* w, const char* root)
{
   DebugImages* d = zalloc(1, sizeof(*d));
   uint32_t     n = dcfg_wet_instrs(w);

   d->w     = w;
   d->root  = root;
   d->times = image_times_new(w, NULL, root);
   d->n     = n == 0 ? 0 : dcfg_wet_instr(w, n - 1)->image + 1;
   d->slots = zalloc(d->n + (size_t)1, sizeof(*d->slots));
   for (uint32_t i = n; i-- > 0; )
      d->slots[dcfg_wet_instr(w, i)->image].first = i;
   return d;
}

void debug_images_free(DebugImages* d, void (*forget)(DebugImage* m))
{
   for (uint32_t i = 0; i < d->n; i++) {
      forget(&d->slots[i].image);
      free(d->slots[i].image.code);
      stubs_free(d->slots[i].image.stubs);
      if (d->slots[i].image.dwfl != NULL)
         dwfl_end(d->slots[i].image.dwfl);
      free(d->slots[i].why);
   }
   free(d->slots);
   image_times_free(d->times);
   free(d);
}

/* Open the file of the image, without its debug information.  Return why that
   cannot be done; NULL if it was. */
static const char* open_file(DebugImages* d, Slot* s)
{
   const DcfgWetInstr in = *dcfg_wet_instr(d->w, s->first);
   DebugImage*  m = &s->image;
   const char*  path;
   const char*  why;
   Dwarf_Addr   low, high;
   uint64_t     offset;

   if (in.image_name == NULL)
      return "the code is of no file";
   why = image_place(d->w, s->first, d->root, &offset);
   if (why != NULL)
      return why;
   path    = image_path_below(d->root, in.image_name);
   m->dwfl = debug_file_begin(path, &in.image_load, &m->module, &why);
   if (m->dwfl == NULL) {
      m->module = NULL;
      return text_format("%s: %s", text_clean(path), why);
   }
   dwfl_module_info(m->module, NULL, &low, &high, NULL, NULL, NULL, NULL);
   m->low  = low;
   m->high = high;
   return NULL;
}

/* Return the image with its range of addresses; NULL if there is no file. */
static DebugImage* open_slot(DebugImages* d, Slot* s)
{
   if (!s->opened) {
      const char* why = open_file(d, s);
      s->opened = true;
      s->why    = why == NULL ? NULL : text_copy(why);
   }
   return s->image.module == NULL ? NULL : &s->image;
}

static DebugImage* image_of_slot(DebugImages* d, Slot* s)
{
   DebugImage* m = open_slot(d, s);

   if (m != NULL && !s->checked) {
      const DcfgWetInstr in = *dcfg_wet_instr(d->w, s->first);
      const char* why = debug_difference(m->module, in.image_build_id);
      s->checked = true;
      if (why != NULL) {
         const char* path = image_path_below(d->root, in.image_name);
         s->why = text_copy(text_format("%s: %s", text_clean(path), why));
         dwfl_end(m->dwfl);
         m->dwfl   = NULL;
         m->module = NULL;
      }
   }
   return m == NULL || m->module == NULL ? NULL : m;
}

DebugImage* debug_image(DebugImages* d, uint32_t instr, const char** why)
{
   Slot*       s = &d->slots[dcfg_wet_instr(d->w, instr)->image];
   DebugImage* m = image_of_slot(d, s);

   if (m == NULL && why != NULL)
      *why = s->why;
   return m;
}

DebugImage* debug_image_at(DebugImages* d, uint64_t addr, uint64_t t)
{
   uint32_t first = image_at(d->times, addr, t);

   return first == DCFG_NONE ? NULL : debug_image(d, first, NULL);
}

uint32_t debug_images_n(const DebugImages* d)
{
   return d->n;
}

DebugImage* debug_image_numbered(DebugImages* d, uint32_t k)
{
   return image_of_slot(d, &d->slots[k]);
}

bool debug_image_is_there(DebugImages* d, uint32_t k, uint64_t t)
{
   return image_is_mapped(d->times, d->slots[k].first, t);
}

const char* debug_image_name(DebugImages* d, uint32_t k)
{
   const char* name = dcfg_wet_instr(d->w, d->slots[k].first)->image_name;

   return name == NULL ? "no file" : text_clean(name);
}

/*--- Units                                                ---*/

/* UnitCode: the code of a unit, in the run's addresses.  Some compilers write
   no table of these. */
typedef
   struct UnitCode {
      uint64_t   low, high;
      Dwarf_Die* unit;
      Dwarf_Addr bias;
   }
   UnitCode;

COMPARE(by_code, UnitCode, UP(low))

static void find_code(DebugImage* m)
{
   Dwarf_Die* unit = NULL;
   Dwarf_Addr bias, base, low, high;
   size_t     room = 0;

   while ((unit = dwfl_module_nextcu(m->module, unit, &bias)) != NULL)
      for (ptrdiff_t at = 0;
           (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0; ) {
         GROW(m->code, m->n_code, room);
         m->code[m->n_code++] = (UnitCode){ low + bias, high + bias, unit,
                                            bias };
      }
   if (m->code == NULL)
      GROW(m->code, m->n_code, room);
   qsort(m->code, m->n_code, sizeof(*m->code), by_code);
}

Dwarf_Die* debug_unit(DebugImage* m, uint64_t addr, Dwarf_Addr* bias)
{
   size_t low = 0, high;

   if (m->code == NULL)
      find_code(m);
   high = m->n_code;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (m->code[middle].low <= addr)
         low = middle + 1;
      else
         high = middle;
   }
   if (low == 0 || addr >= m->code[low - 1].high)
      return NULL;
   *bias = m->code[low - 1].bias;
   return m->code[low - 1].unit;
}
