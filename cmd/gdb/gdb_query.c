/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Questions of gdb about the program: registers, threads, images, thread-local
   variables. */

/* Owns: answers to packets that begin with q: the target's description, the
   auxiliary vector, the list of libraries and when it changes, the way from a
   thread and a module to the module's thread-local storage.  Handed: packets by
   gdb_server.c; images of a whole execution trace, and their files; the times
   when libraries were mapped; registers and memory by cmd/state/.

   From the auxiliary vector and the list of libraries gdb learns where a
   position-independent program and its libraries were loaded.  The recording's
   own vector is best; for traces that do not have it, one is made from the
   program's file.  Both are objects that gdb requests with qXfer, in XML or in
   the kernel's format. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"
#include "cmd/program/elf_file.h"
#include "cmd/program/mapping.h"
#include "cmd/program/recording.h"

#include <elf.h>

/*--- The program's images and their files                 ---*/

/* Return what gdb has as the address of the link map of module N. */
static uint64_t module_id(size_t n)
{
   return 16 * ((uint64_t)n + 1);
}

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
   return next_header(elf, type, &(size_t){ 0 }, h);
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
           "\" l_ld=\"0x%" PRIx64 "\"/>\n", module_id(g->n_modules), e->moved,
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

   for (uint32_t i = 0; i < state->n_aux; i++)
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

   for (uint32_t i = 0; state->program != DCFG_NONE
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
   FREE_ALL(i->program, i->modules);
   gdb_text_free(&i->auxv);
   for (size_t k = 0; k < i->n_libraries; k++)
      gdb_text_free(&i->libraries[k].row);
   free(i->libraries);
}

/*--- Libraries at a time                                  ---*/

/* The list has all libraries of the trace that share their addresses with
   nothing else, at all times.  gdb so finds names in libraries that the program
   loads later.  It has any other library only while that is mapped.  gdb_run.c
   stops where the list changes: a stop reply with "library" makes gdb read the
   list, insert its breakpoints and go on.

   gdb tells libraries apart by their names alone.  If one list lacks a library
   of the other, in both directions, gdb first gets the libraries that both
   have. */

/* Return the time since when the libraries are those of time T. */
static uint64_t since(const GdbSession* g, uint64_t t)
{
   return image_times_change(g->s->images.times, t, true);
}

/* Return whether library L is in the list of times A and B. */
static bool has(const GdbSession* g, const GdbLibrary* l, uint64_t a,
                uint64_t b)
{
   ImageTimes* times = g->s->images.times;

   return image_is_mapped(times, l->image, a)
          && image_is_mapped(times, l->image, b);
}

/* Return whether the list of time A has a library that the one of B lacks. */
static bool has_more(const GdbSession* g, uint64_t a, uint64_t b)
{
   for (size_t i = 0; i < g->images.n_libraries; i++)
      if (has(g, &g->images.libraries[i], a, a)
          && !has(g, &g->images.libraries[i], a, b))
         return true;
   return false;
}

/* Make the list that of libraries that are mapped at times A and B.  gdb forgets
   its breakpoints in libraries that go, without a word. */
static void set_list(GdbSession* g, uint64_t a, uint64_t b)
{
   for (size_t i = 0; i < g->images.n_libraries; i++) {
      const GdbLibrary* l = &g->images.libraries[i];
      uint64_t          low, high;
      if (!has(g, l, g->listed[0], g->listed[1]) || has(g, l, a, b))
         continue;
      image_extent(g->s->images.times, l->image, &low, &high);
      points_forget(&g->points, low, high);
   }
   g->listed[0] = a;
   g->listed[1] = b;
}

bool gdb_list_libraries(GdbSession* g, uint64_t t)
{
   uint64_t now = since(g, t);
   uint64_t before = g->listed[0];

   if (g->listed[0] == now && g->listed[1] == now)
      return false;
   if (before == g->listed[1] && has_more(g, before, now)
       && has_more(g, now, before))
      set_list(g, before, now);
   else
      set_list(g, now, now);
   return true;
}

/* Append the list to TO, in XML. */
static void put_libraries(const GdbSession* g, GdbText* to)
{
   gdb_put(to, "<library-list-svr4 version=\"1.0\" main-lm=\"0x%" PRIx64
           "\">\n", module_id(0));
   for (size_t i = 0; i < g->images.n_libraries; i++) {
      const GdbLibrary* l = &g->images.libraries[i];
      if (has(g, l, g->listed[0], g->listed[1]))
         gdb_put_bytes(to, l->row.data, l->row.n);
   }
   gdb_put(to, "</library-list-svr4>\n");
}

uint64_t gdb_libraries_change(const GdbSession* g, bool back)
{
   return image_times_change(g->s->images.times, g->time - back, back);
}

/*--- Thread-local storage                                 ---*/

/* The C library numbers the modules that have such storage.  Each thread has a
   vector (DTV) with the address of its storage of each module (U. Drepper, ELF
   Handling For Thread-Local Storage, 2013).  A module's number is in glibc's
   link_map of the module, behind a copy of the ELF file's numbers, which are
   looked for: their place depends on the version. */
#define MOST_MODULES 4096u
#define MOST_DYNAMIC 65536u     // bytes of a dynamic section that are searched
#define LINK_MAP     2048u      // bytes of a link_map that are searched

static unsigned word_size(const GdbSession* g)
{
   return g->s->word == 0x0F ? 4 : 8;
}

/* Set *NUMBER to the word in memory at ADDR.  Return false if it is not
   known. */
static bool read_word(const GdbSession* g, uint64_t addr, uint64_t* number)
{
   return state_memory_number(g->s, g->time, addr, word_size(g), number);
}

/* Set *MAP to the address of the program's link_map, the first of all.  Return
   false if there is none. */
static bool first_map(const GdbSession* g, uint64_t* map)
{
   const GdbModule* m = &g->images.modules[0];
   unsigned         size = word_size(g);
   uint64_t         tag, debug;

   for (uint64_t at = 0; at + 2 * size <= m->dynamic_size
                         && at < MOST_DYNAMIC; at += 2 * size)
      if (read_word(g, m->dynamic + at, &tag) && tag == DT_DEBUG)
         return read_word(g, m->dynamic + at + size, &debug) && debug != 0
                && read_word(g, debug + size, map) && *map != 0;
   return false;
}

/* *MAP is the address of the first link_map; set it to that of M's.  Return false
   if there is none. */
static bool find_map(const GdbSession* g, const GdbModule* m, uint64_t* map)
{
   unsigned size = word_size(g);
   uint64_t dynamic;

   for (unsigned n = 0; n < MOST_MODULES && *map != 0; n++) {
      if (!read_word(g, *map + 2 * size, &dynamic))
         return false;
      if (dynamic == m->dynamic)
         return true;
      if (!read_word(g, *map + 3 * size, map))
         return false;
   }
   return false;
}

/* Set *NUMBER to the number of M among the modules with thread-local storage.
   Return false if it is not known. */
static bool module_number(const GdbSession* g, const GdbModule* m,
                          uint64_t* number)
{
   const uint64_t alike[] = { m->image, m->image_size, m->size, m->align };
   unsigned       size = word_size(g);
   uint64_t       map, word;

   /* A static program has one module, and no link_map. */
   *number = 1;
   if (!first_map(g, &map))
      return m == &g->images.modules[0];
   if (!find_map(g, m, &map))
      return false;
   for (uint64_t at = 0; at < LINK_MAP; at += size) {
      unsigned k = 0;
      while (k < 4 && read_word(g, map + at + k * size, &word)
             && word == alike[k])
         k++;
      /* Two other words stand in between. */
      if (k == 4)
         return read_word(g, map + at + 6 * size, number) && *number != 0;
   }
   return false;
}

/* Set *ADDR to the address of the thread-local variable at OFFSET in the
   storage of the module with module_id() MODULE, of THREAD at the present time.
   Return false if it is not known. */
static bool tls_address(const GdbSession* g, uint32_t thread, uint64_t offset,
                        uint64_t module, uint64_t* addr)
{
   const GdbModule* m;
   StateValue       base;
   unsigned         size = word_size(g);
   uint64_t         tcb, vector, storage, number;

   if (module % module_id(0) != 0 || module == 0
       || module / module_id(0) > g->images.n_modules)
      return false;
   m    = &g->images.modules[module / module_id(0) - 1];
   base = state_thread_base(g->s, thread, g->time);
   if (!m->storage || (base.known & g->s->word) != g->s->word)
      return false;
   memcpy(&tcb, base.bytes, sizeof(tcb));
   /* In the vector, an odd number or 0 means that the thread has no storage of
      the module yet. */
   if (!module_number(g, m, &number) || number > MOST_MODULES
       || !read_word(g, tcb + g->s->rules->dtv, &vector)
       || !read_word(g, vector + number * 2 * size, &storage)
       || storage == 0 || storage % 2 != 0)
      return false;
   *addr = storage + offset;
   return true;
}

/*--- Registers                                            ---*/

static void end_feature(GdbText* to, bool begun)
{
   if (begun)
      gdb_put(to, "</feature>\n");
}

/* Append a type of 32 bits, whose flags .flags of T has. */
static void put_flags(const StateType* t, GdbText* to)
{
   const char* names = t->flags;

   gdb_put(to, "<flags id=\"%s\" size=\"4\">\n", t->name);
   for (unsigned bit = 0; *names != 0; bit++) {
      int n = (int)strcspn(names, " ");
      if (*names != '-')
         gdb_put(to, "<field name=\"%.*s\" start=\"%u\" end=\"%u\"/>\n", n,
                 names, bit, bit);
      names += n + 1;
   }
   gdb_put(to, "</flags>\n");
}

/* Append the types that go before the registers of FEATURE. */
static void put_types(const StateRules* rules, const char* feature, GdbText* to)
{
   for (size_t i = 0; i < rules->n_types; i++) {
      const StateType* t = &rules->types[i];
      if (strcmp(t->feature, feature) != 0)
         continue;
      if (t->flags != NULL)
         put_flags(t, to);
      if (t->xml != NULL)
         gdb_put_bytes(to, t->xml, strlen(t->xml));
   }
}

void gdb_describe(const StateRules* rules, GdbText* to)
{
   gdb_put(to, "<?xml version=\"1.0\"?>\n"
               "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
               "<architecture>%s</architecture>\n<osabi>GNU/Linux</osabi>\n",
           rules->architecture);
   for (size_t i = 0; i < rules->n_rows; i++) {
      const StateRow* r = &rules->rows[i];
      if (r->feature != NULL) {
         end_feature(to, i > 0);
         gdb_put(to, "<feature name=\"%s\">\n", r->feature);
         put_types(rules, r->feature, to);
      }
      gdb_put(to, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>\n", r->name,
              r->bits, r->type);
   }
   end_feature(to, rules->n_rows > 0);
   gdb_put(to, "</target>\n");
}

void gdb_put_row(GdbSession* g, uint32_t thread, const StateRow* row,
                 GdbText* to)
{
   StateValue v = state_row(g->s, thread, g->time, row);
   unsigned   size = row->bits / 8;

   for (unsigned i = 0; i < size; i++)
      if (~v.known & (size >= 32 ? UINT32_MAX : (1u << size) - 1))
         gdb_put_bytes(to, "xx", 2);
      else
         gdb_put_hex(to, v.bytes + i, 1);
}

/*--- Objects that gdb requests with qXfer                 ---*/

static void put_threads(const GdbSession* g, GdbText* to)
{
   gdb_put(to, "<?xml version=\"1.0\"?>\n<threads>\n");
   for (uint32_t i = 0; i < g->s->n_threads; i++)
      if (state_has_thread(g->s, i, g->time))
         gdb_put(to, "<thread id=\"%" PRIx32 "\"/>\n", i + 1);
   gdb_put(to, "</threads>\n");
}

/* Append the part of an object of N bytes that "OFFSET,LENGTH" at TEXT asks
   for, behind m, or behind l if it is the last part. */
static void put_object(const char* text, const void* data, size_t n,
                       GdbText* to)
{
   uint64_t at, size;

   if (!gdb_take_number(&text, &at) || !gdb_take(&text, ',')
       || !gdb_take_number(&text, &size) || *text != 0 || at > n) {
      gdb_put(to, "E01");
      return;
   }
   if (size > GDB_MOST_PACKET / 2)
      size = GDB_MOST_PACKET / 2;
   gdb_put_bytes(to, at + size >= n ? "l" : "m", 1);
   gdb_put_bytes(to, (const char*)data + at, at + size >= n ? n - at : size);
}

/* Return the text behind BEGIN and an annex, which ends with a colon and which no
   object needs; NULL if TEXT has no such begin, "" if there is no colon. */
static const char* after_annex(const char* text, const char* begin)
{
   const char* rest = rest_behind(text, begin);
   const char* colon = rest == NULL ? NULL : strchr(rest, ':');

   return rest == NULL ? NULL : colon == NULL ? "" : colon + 1;
}

/* Answer qXfer:TEXT.  Return false if the server has no such object. */
static bool object(GdbSession* g, const char* text, GdbText* to)
{
   GdbText        made = { .n = 0 };
   const GdbText* all = &made;
   const char*    rest;

   if ((rest = rest_behind(text, "features:read:target.xml:")) != NULL)
      all = &g->target;
   else if ((rest = rest_behind(text, "auxv:read::")) != NULL)
      all = &g->images.auxv;
   else if ((rest = after_annex(text, "libraries-svr4:read:")) != NULL)
      put_libraries(g, &made);
   else if ((rest = rest_behind(text, "threads:read::")) != NULL)
      put_threads(g, &made);
   else if ((rest = after_annex(text, "exec-file:read:")) == NULL) {
      if (!begins(text, "features:read:"))
         return false;
      gdb_put(to, "E00");
      return true;
   } else if (g->images.program == NULL)
      rest = "";
   else
      gdb_put_bytes(&made, g->images.program, strlen(g->images.program));
   put_object(rest, all->data, all->n, to);
   gdb_text_free(&made);
   return true;
}

/*--- Packets that begin with q                            ---*/

static void put_thread_list(const GdbSession* g, GdbText* to)
{
   bool some = false;

   for (uint32_t i = 0; i < g->s->n_threads; i++)
      if (state_has_thread(g->s, i, g->time)) {
         gdb_put(to, "%s%" PRIx32, some ? "," : "m", i + 1);
         some = true;
      }
   if (!some)
      gdb_put(to, "l");
}

/* Execute the command of qRcmd, which HEX has as digits. */
static void command(GdbSession* g, const char* hex, GdbText* to)
{
   size_t  n = strlen(hex);
   char*   text = zalloc(n / 2 + 1, 1);
   GdbText said = { .n = 0 };
   ssize_t size = gdb_from_hex(hex, n, (uint8_t*)text);

   if (size < 0 || strlen(text) != (size_t)size) {
      gdb_put(to, "E01");
   } else {
      gdb_monitor(g, text, &said);
      if (said.n == 0)
         gdb_put(to, "OK");
      else
         gdb_put_hex(to, (const uint8_t*)said.data,
                     said.n < GDB_MOST_PACKET / 2 - 64 ? said.n
                     : GDB_MOST_PACKET / 2 - 64);
   }
   gdb_text_free(&said);
   free(text);
}

/* Answer qGetTLSAddr:TEXT, which has a thread, an offset and a module. */
static void put_storage(const GdbSession* g, const char* text, GdbText* to)
{
   uint64_t thread, offset, module, addr;

   if (gdb_take_number(&text, &thread) && gdb_take(&text, ',')
       && gdb_take_number(&text, &offset) && gdb_take(&text, ',')
       && gdb_take_number(&text, &module) && *text == 0 && thread > 0
       && thread <= g->s->n_threads
       && tls_address(g, (uint32_t)thread - 1, offset, module, &addr))
      gdb_put(to, "%" PRIx64, addr);
   else
      gdb_put(to, "E01");
}

bool gdb_query(GdbSession* g, const char* packet, GdbText* to)
{
   const char* rest;

   if (begins(packet, "qSupported"))
      gdb_put(to, "PacketSize=%x;QStartNoAckMode+;ReverseStep+;"
                  "ReverseContinue+;swbreak+;hwbreak+;vContSupported+;"
                  "ConditionalBreakpoints+;QPassSignals+;"
                  "qXfer:features:read+;"
                  "qXfer:auxv:read+;qXfer:exec-file:read+;"
                  "qXfer:libraries-svr4:read+;qXfer:threads:read+",
              GDB_MOST_PACKET);
   else if (strcmp(packet, "qAttached") == 0
            || begins(packet, "qAttached:"))
      gdb_put(to, "1");
   else if (strcmp(packet, "qC") == 0)
      gdb_put(to, "QC%" PRIx32, g->thread + 1);
   else if (strcmp(packet, "qfThreadInfo") == 0)
      put_thread_list(g, to);
   else if (strcmp(packet, "qsThreadInfo") == 0)
      gdb_put(to, "l");
   else if ((rest = rest_behind(packet, "qRcmd,")) != NULL)
      command(g, rest, to);
   else if ((rest = rest_behind(packet, "qGetTLSAddr:")) != NULL)
      put_storage(g, rest, to);
   else if ((rest = rest_behind(packet, "qXfer:")) != NULL)
      return object(g, rest, to);
   else
      return false;
   return true;
}
