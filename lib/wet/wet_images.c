/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: symbols and source lines of images.  Handed: two sections by
   wet_load.c. */

#include "lib/wet/wet_images.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Symbol: a function or object; its name is an offset in .texts. */
typedef
   struct {
      uint64_t addr, size;
      uint64_t reach;           // the end of all up to here in the image
      uint32_t name;
   }
   Symbol;

typedef
   struct {
      uint64_t addr;
      uint32_t file, line;
   }
   Line;

typedef
   struct {
      uint32_t name;
      uint32_t build_id;        // 0: none
      uint64_t load, size;
      Span     symbols, lines;
   }
   Image;

struct WetImages {
   Array texts;                 // char: names, each with a zero byte
   Array sources;               // uint32_t: index in .texts
   Array images;                // Image
   Array symbols;               // Symbol
   Array lines;                 // Line
};

static bool wrong(DcfgWet* w, const char* place)
{
   return job_fail(&w->job, DCFG_ERROR_FORMAT, place,
                   "it does not have the form of a whole execution trace");
}

static bool get_text(DcfgWet* w, ByteReader* b, uint32_t* at)
{
   uint64_t n = get_varint(b);
   char*    to;

   if (b->failed || n > (uint64_t)(b->end - b->at))
      return wrong(w, "names");
   *at = (uint32_t)w->images->texts.n;
   to  = array_add_n(&w->job, &w->images->texts, 1, n + 1);
   if (to == NULL)
      return false;
   memcpy(to, b->at, n);
   to[n]  = 0;
   bytes_skip(b, n);
   return true;
}

bool wet_get_sources(DcfgWet* w, ByteReader* b)
{
   w->images = job_calloc(&w->job, 1, sizeof(WetImages));
   if (w->images == NULL)
      return false;
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      uint32_t* name = array_add(&w->job, &w->images->sources, sizeof(*name));
      if (name == NULL || !get_text(w, b, name))
         return false;
   }
   return !b->failed || wrong(w, "source files");
}

static bool get_image(DcfgWet* w, ByteReader* b)
{
   WetImages* s = w->images;
   Image*     image = array_add(&w->job, &s->images, sizeof(*image));
   uint64_t   addr = 0, reach = 0;

   if (image == NULL || !get_text(w, b, &image->name))
      return false;
   image->load = get_varint(b);
   image->size = get_varint(b);
   image->symbols = (Span){ (uint32_t)s->symbols.n, 0 };
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      Symbol* symbol = array_add(&w->job, &s->symbols, sizeof(*symbol));
      if (symbol == NULL)
         return false;
      symbol->addr = addr += get_varint(b);
      symbol->size = get_varint(b);
      symbol->reach = add_capped(addr, symbol->size == 0 ? 1 : symbol->size);
      if (symbol->reach < reach)
         symbol->reach = reach;
      reach = symbol->reach;
      if (!get_text(w, b, &symbol->name))
         return false;
      image->symbols.n++;
   }
   image->lines = (Span){ (uint32_t)s->lines.n, 0 };
   addr = 0;
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--) {
      Line* line = array_add(&w->job, &s->lines, sizeof(*line));
      if (line == NULL)
         return false;
      line->addr = addr += get_varint(b);
      line->file = get_up_to(b, s->sources.n - 1);
      line->line = get_up_to(b, UINT32_MAX);
      image->lines.n++;
   }
   return true;
}

bool wet_get_images(DcfgWet* w, ByteReader* b)
{
   for (uint64_t n = get_varint(b); n > 0 && !b->failed; n--)
      if (!get_image(w, b))
         return false;
   for (size_t i = 0; i < w->images->images.n && !b->failed; i++)
      if (!get_text(w, b, &ELEM(w->images->images, Image, i).build_id))
         return false;
   return !b->failed || wrong(w, "images");
}

void wet_free_images(DcfgWet* w)
{
   WetImages* s = w->images;

   if (s == NULL)
      return;
   array_free(&w->job, &s->texts, 1);
   array_free(&w->job, &s->sources, sizeof(uint32_t));
   array_free(&w->job, &s->images, sizeof(Image));
   array_free(&w->job, &s->symbols, sizeof(Symbol));
   array_free(&w->job, &s->lines, sizeof(Line));
   free(s);
}

/*--- Answers                                              ---*/

static const char* text_at(const WetImages* s, uint32_t at)
{
   return &ELEM(s->texts, char, at);
}

/* Return how many of N elements at ALL have addresses up to ADDR.  Each has SIZE
   bytes, of which the first 8 are its address.  *GUESS becomes the result.  Most
   questions come in the order of addresses, so it or one of the next is right:
   a search in a large table misses the cache at each step. */
static inline uint32_t count_up_to(const void* all, size_t size, uint32_t n,
                                   uint64_t addr, uint32_t* guess)
{
#define ADDR_OF(i) (*(const uint64_t*)((const char*)all + (i) * size))
   uint32_t low = *guess, end;

   if (low > n || (low > 0 && ADDR_OF(low - 1) > addr))
      low = 0;
   end = low + 4;
   while (low < end && low < n && ADDR_OF(low) <= addr)
      low++;
   if (low == end)
      BISECT(low, n, middle, ADDR_OF(middle) <= addr);
#undef ADDR_OF
   *guess = low;
   return low;
}

/* Return the last symbol that begins at ADDR or before and extends over it; the
   first one of several at one address.  NEAR is as for wet_function_at(). */
static const Symbol* symbol_at(const DcfgWet* w, const Image* image,
                               uint64_t addr, uint32_t* near)
{
   const Symbol* all = w->images->symbols.data;
   const Symbol* found = NULL;
   uint32_t      low;

   if (image->symbols.n == 0)
      return NULL;
   all += image->symbols.first;
   low = count_up_to(all, sizeof(*all), image->symbols.n, addr, near);
   for (uint32_t i = low, looked = 0;
        i-- > 0 && looked < 64 && all[i].reach > addr; looked++) {
      if (found != NULL && all[i].addr != found->addr)
         break;
      if (addr - all[i].addr < all[i].size
          || (addr == all[i].addr && all[i].size == 0))
         found = &all[i];
   }
   return found;
}

uint32_t wet_image_at(const DcfgWet* w, uint64_t addr)
{
   for (uint32_t i = 0; i < w->images->images.n; i++) {
      const Image* image = &ELEM(w->images->images, Image, i);
      if (addr >= image->load && addr - image->load < image->size)
         return i;
   }
   return DCFG_NONE;
}

uint64_t wet_function_at(const DcfgWet* w, uint32_t image, uint64_t addr,
                         uint32_t* near)
{
   const Symbol* symbol = image >= w->images->images.n ? NULL
                          : symbol_at(w, &ELEM(w->images->images, Image, image),
                                      addr, near);

   return symbol == NULL ? UINT64_MAX : symbol->addr;
}

const char* wet_function_name(const DcfgWet* w, uint32_t n, uint32_t* near)
{
   const WetInstr*  in = &ELEM(w->instrs, WetInstr, n);
   const WetImages* s = w->images;
   const Symbol*    symbol = in->image >= s->images.n ? NULL
                             : symbol_at(w, &ELEM(s->images, Image, in->image),
                                         in->addr, near);

   return symbol == NULL ? NULL : text_at(s, symbol->name);
}

static const Line* line_at(DcfgWet* w, const Image* image, uint64_t addr)
{
   const Line* all = w->images->lines.data;
   uint32_t    low;

   if (image->lines.n == 0)
      return NULL;
   all += image->lines.first;
   low = count_up_to(all, sizeof(*all), image->lines.n, addr,
                     &w->told.near_line);
   return low > 0 && all[low - 1].addr == addr ? &all[low - 1] : NULL;
}

uint32_t dcfg_wet_instrs(const DcfgWet* w)
{
   return (uint32_t)w->instrs.n;
}

const DcfgWetInstr* dcfg_wet_instr(DcfgWet* w, uint32_t n)
{
   const WetInstr*  in = &ELEM(w->instrs, WetInstr, n);
   const WetImages* s = w->images;
   DcfgWetInstr*    i = &w->told.instr;

   /* Users often ask for one instruction's members one by one. */
   if (w->told.of == n + 1)
      return i;
   w->told.of = n + 1;
   *i = (DcfgWetInstr){ .addr = in->addr, .image = in->image,
                        .address_size = w->machine->address_size,
                        .machine = w->machine->number,
                        .size = in->len, .n_ports = w->plans[n].n_ports,
                        .loads_stack = w->plans[n].loads_sp,
                        .code = &ELEM(w->code, uint8_t, in->code) };
   wet_tell_plan(w, n, &w->told);
   if (in->image >= s->images.n)
      return i;
   const Image*  image  = &ELEM(s->images, Image, in->image);
   const Symbol* symbol = symbol_at(w, image, in->addr,
                                    &w->told.near_symbol);
   const Line*   line   = line_at(w, image, in->addr);
   i->image_name = text_at(s, image->name);
   i->image_load = image->load;
   if (image->build_id != 0 && text_at(s, image->build_id)[0] != 0)
      i->image_build_id = text_at(s, image->build_id);
   i->function   = symbol == NULL ? NULL : text_at(s, symbol->name);
   i->function_addr = symbol == NULL ? in->addr : symbol->addr;
   if (line != NULL && line->file < s->sources.n) {
      i->source = text_at(s, ELEM(s->sources, uint32_t, line->file));
      i->line   = line->line;
   }
   return i;
}
