/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's images, in the formats that gdb requests. */

/* Owns: the auxiliary vector, the list of libraries.  Handed: images of a
   whole execution trace, and their files.

   From these two objects gdb learns where a position-independent program and
   its libraries were loaded.  gdb_libraries.c chooses the libraries of a
   time. */

#include "cmd/gdb/gdb_images.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/machine/wet_place.h"
#include "cmd/shared/wet_program.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Vector: values of an auxiliary vector that is made from the program's file,
   for traces that do not have the vector. */
typedef
   struct {
      uint64_t headers, n_headers, entry, base;
      char*    interpreter;     // the program's, or NULL
   }
   Vector;

/* Set *H to the first program header of TYPE.  Return false if there is
   none. */
static bool find_header(Elf* elf, uint32_t type, GElf_Phdr* h)
{
   size_t n;

   if (elf_getphdrnum(elf, &n) != 0)
      return false;
   for (size_t i = 0; i < n; i++)
      if (gelf_getphdr(elf, (int)i, h) != NULL && h->p_type == type)
         return true;
   return false;
}

/* Return the path of the dynamic linker that the file names, to be freed; NULL
   if it names none. */
static char* interpreter_of(Elf* elf)
{
   GElf_Phdr   h;
   size_t      size;
   const char* bytes = elf_rawfile(elf, &size);

   if (bytes == NULL || !find_header(elf, PT_INTERP, &h) || h.p_offset > size
       || h.p_filesz > size - h.p_offset || h.p_filesz == 0
       || bytes[h.p_offset + h.p_filesz - 1] != 0)
      return NULL;
   return text_copy(bytes + h.p_offset);
}

static void take_program(Vector* v, const ImageElf* e)
{
   GElf_Ehdr h;
   size_t    n;
   uint64_t  headers = 0;

   if (gelf_getehdr(e->elf, &h) == NULL || elf_getphdrnum(e->elf, &n) != 0)
      return;
   elf_address(e->elf, h.e_phoff, &headers);
   v->headers     = headers + e->moved;
   v->n_headers   = n;
   v->entry       = h.e_entry + e->moved;
   v->interpreter = interpreter_of(e->elf);
}

/* Add image FIRST, whose file is E, to the libraries. */
static void add_library(GdbImages* g, uint32_t first, const char* name,
                        const ImageElf* e)
{
   GElf_Phdr h;
   GdbText*  t;

   if (!find_header(e->elf, PT_DYNAMIC, &h))
      return;
   GROW(g->libraries, g->n_libraries, g->libraries_room);
   g->libraries[g->n_libraries] = (GdbLibrary){ .image = first };
   t = &g->libraries[g->n_libraries++].row;
   gdb_put(t, "<library name=\"");
   gdb_put_xml(t, name);
   gdb_put(t, "\" lm=\"0x%" PRIx64 "\" lmid=\"0x0\" l_addr=\"0x%" PRIx64
           "\" l_ld=\"0x%" PRIx64 "\"/>\n", gdb_module_id(g->n_modules), e->moved,
           h.p_vaddr + e->moved);
}

/* Append the image to the modules. */
static void add_module(GdbImages* g, const ImageElf* e)
{
   GElf_Phdr h;
   GdbModule m = { .dynamic = 0 };

   if (find_header(e->elf, PT_TLS, &h)) {
      m.storage    = true;
      m.image      = h.p_vaddr + e->moved;
      m.image_size = h.p_filesz;
      m.size       = h.p_memsz;
      m.align      = h.p_align;
   }
   if (find_header(e->elf, PT_DYNAMIC, &h)) {
      m.dynamic      = h.p_vaddr + e->moved;
      m.dynamic_size = h.p_memsz;
   }
   GROW(g->modules, g->n_modules, g->room);
   g->modules[g->n_modules++] = m;
}

/* Append an entry of the vector, of two numbers of WORD bytes. */
static void put_pair(GdbText* t, unsigned word, uint64_t type, uint64_t value)
{
   uint64_t pair[2] = { type, value };
   uint32_t short_pair[2] = { (uint32_t)type, (uint32_t)value };

   if (word == 4)
      gdb_put_bytes(t, short_pair, sizeof(short_pair));
   else
      gdb_put_bytes(t, pair, sizeof(pair));
}

/* Append the vector that the tool recorded.  Return false if the trace has
   none. */
static bool put_recorded(DcfgWet* w, unsigned word, GdbText* t)
{
   const DcfgWetState* state = dcfg_wet_state(w);

   for (uint32_t i = 0; state != NULL && i < state->n_aux; i++)
      put_pair(t, word, state->aux[i].type, state->aux[i].value);
   if (t->n > 0)
      put_pair(t, word, AT_NULL, 0);
   return t->n > 0;
}

static void put_vector(GdbText* t, unsigned word, const Vector* v)
{
   if (v->entry != 0) {
      put_pair(t, word, AT_PHDR, v->headers);
      put_pair(t, word, AT_PHENT,
               word == 4 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
      put_pair(t, word, AT_PHNUM, v->n_headers);
      put_pair(t, word, AT_BASE, v->base);
      put_pair(t, word, AT_ENTRY, v->entry);
   }
   put_pair(t, word, AT_PAGESZ, 4096);
   put_pair(t, word, AT_NULL, 0);
}

/* Return whether INTERPRETER and IMAGE name the same file: equal paths, also
   after links are followed, or equal base names. */
static bool is_interpreter(const char* interpreter, const char* image)
{
   char* real = interpreter == NULL ? NULL : realpath(interpreter, NULL);
   bool  is = interpreter != NULL
              && (strcmp(interpreter, image) == 0
                  || (real != NULL && strcmp(real, image) == 0)
                  || strcmp(text_base(interpreter), text_base(image)) == 0);

   free(real);
   return is;
}

const char* gdb_program(DcfgWet* w)
{
   const DcfgWetState* state = dcfg_wet_state(w);

   for (uint32_t i = 0; state != NULL && state->program != DCFG_NONE
                        && i < dcfg_wet_instrs(w); i = image_end(w, i))
      if (dcfg_wet_instr(w, i)->image == state->program)
         return dcfg_wet_instr(w, i)->image_name;
   return wet_program(w);
}

static bool is_program(DcfgWet* w, uint32_t first)
{
   const char* name = dcfg_wet_instr(w, first)->image_name;
   const char* program = gdb_program(w);

   return name != NULL && program != NULL && strcmp(name, program) == 0;
}

bool gdb_say_missing(DcfgWet* w, const char* root)
{
   bool missing = false;

   for (uint32_t first = 0; first < dcfg_wet_instrs(w);
        first = image_end(w, first)) {
      const char* name = dcfg_wet_instr(w, first)->image_name;
      uint64_t    offset;
      const char* why = name == NULL || name[0] != '/' ? NULL
                        : image_place(w, first, root, &offset);
      if (why == NULL)
         continue;
      complain("no symbols: %s", why);
      missing |= is_program(w, first);
   }
   return missing;
}

GdbImages gdb_images(DcfgWet* w, const char* root)
{
   GdbImages   g = { .program = NULL };
   const char* program = gdb_program(w);
   uint32_t    n = dcfg_wet_instrs(w);
   unsigned    word = n == 0 ? 8 : dcfg_wet_instr(w, 0)->address_size;
   Vector      v = { .headers = 0 };

   /* The program comes first: it names the interpreter. */
   for (int pass = 0; pass < 2; pass++) {
      for (uint32_t first = 0; first < n; first = image_end(w, first)) {
         const char* name = dcfg_wet_instr(w, first)->image_name;
         bool        is = is_program(w, first);
         ImageElf    e;
         if (name == NULL || is != (pass == 0)
             || !image_elf(w, first, root, &e))
            continue;
         if (is) {
            if (program[0] == '/' && g.program == NULL)
               g.program = text_copy(image_path_below(root, program));
            take_program(&v, &e);
         } else {
            if (is_interpreter(v.interpreter, name))
               v.base = e.moved;
            add_library(&g, first, name, &e);
         }
         add_module(&g, &e);
         image_elf_close(&e);
      }
      /* The program's file is not there. */
      if (g.n_modules == 0) {
         GROW(g.modules, g.n_modules, g.room);
         g.modules[g.n_modules++] = (GdbModule){ .dynamic = 0 };
      }
   }
   if (!put_recorded(w, word, &g.auxv))
      put_vector(&g.auxv, word, &v);
   free(v.interpreter);
   return g;
}

void gdb_images_free(GdbImages* i)
{
   free(i->program);
   free(i->modules);
   gdb_text_free(&i->auxv);
   for (size_t k = 0; k < i->n_libraries; k++)
      gdb_text_free(&i->libraries[k].row);
   free(i->libraries);
}
