/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The system calls of a recording, and the bytes that each file descriptor
   got. */

/* Owns: the system calls of a trace with their numbers and arguments, the call
   that a name means, and the bytes that calls wrote, as one stream for each
   file descriptor.  Handed: a whole execution trace; a call's name by the
   command line.

   The index of the trace has the number and the arguments of each call.  A slice
   that has all calls that write as its criterion, one step deep, tells who wrote
   the memory that they read.

   A written byte is the value that was stored there last.  If no instruction
   stored one, it is the byte of the image.  Results of system calls are not
   recorded.  So a call that writes exactly the rest of the buffer of the call
   before shows where that call ended early.  The result of dup() is the first
   value that was computed from its register. */

#include "cmd/output/output_syscalls.h"

#include "cmd/base/format.h"
#include "cmd/base/keymap.h"
#include "cmd/base/operands.h"

#include <fcntl.h>
#include <sched.h>

/*--- The calls of a trace                                 ---*/

/* SystemCalls: system calls of a trace, in the order of their execution. */
typedef
   struct {
      DcfgWet*       w;
      DcfgSliceCall* calls;
      size_t         n;
   }
   SystemCalls;

/* Return the kernel's number of call C; UINT32_MAX if it is not known. */
static uint32_t call_number(const DcfgSliceCall* c)
{
   return c->known ? (uint32_t)c->registers[0] : UINT32_MAX;
}

/* Return all system calls of WET.  The caller frees .calls. */
static SystemCalls all_calls(DcfgWet* wet)
{
   SystemCalls c = { .w = wet };
   DcfgError   err;

   need_file(dcfg_slice_calls(wet, &c.calls, &c.n, &err), &err, KIND_WET);
   return c;
}

/* Set SPARE, by instruction of a system call, to the argument registers that
   none of its calls uses. */
static void find_spare(const SystemCalls* c, uint32_t* spare)
{
   const Processor* p = processor_of(c->w);
   const uint8_t*   regs = p->arguments;

   for (size_t i = 0; i < c->n; i++)
      for (unsigned k = 0; k < SYSCALL_ARGUMENTS; k++)
         spare[c->calls[i].instr] |= UINT32_C(1) << regs[k];
   for (size_t i = 0; i < c->n; i++) {
      unsigned args = syscall_arguments(call_number(&c->calls[i]), p->seccomp);
      for (unsigned k = 0; k < args; k++)
         spare[c->calls[i].instr] &= ~(UINT32_C(1) << regs[k]);
   }
}

static void choose_call(const DcfgSliceCall* call, DcfgWet* wet, bool* instrs,
                   DcfgSliceQuery* q)
{
   memset(instrs, 0, dcfg_wet_instrs(wet) * sizeof(bool));
   instrs[call->instr] = true;
   q->instance         = call->instance;
}

void syscall_criterion(DcfgWet* wet, const char* call, bool* instrs,
                       uint32_t* spare, DcfgSliceQuery* q)
{
   char*       name = text_copy(call);
   char*       mark = strchr(name, '#');
   uint64_t    wanted = DCFG_SLICE_LAST, ran = 0;
   uint32_t    number, unknown = 0;
   const DcfgSliceCall* found = NULL;
   SystemCalls c;

   if (mark != NULL) {
      *mark = 0;
      if (!is_number(mark + 1, 10, &wanted) || wanted == DCFG_SLICE_LAST)
         die("--syscall: `%s' is no system call: give NAME or NAME#N, with N "
             "from 0", call);
   }
   number = syscall_number(name, processor_of(wet)->seccomp);
   if (number == UINT32_MAX)
      die("--syscall: there is no system call `%s'", name);
   c = all_calls(wet);
   for (size_t i = 0; i < c.n; i++) {
      uint32_t is = call_number(&c.calls[i]);
      unknown += is == UINT32_MAX;
      if (is == number && (ran++ == wanted || wanted == DCFG_SLICE_LAST))
         found = &c.calls[i];
   }
   if (found == NULL)
      die("--syscall: %s was called %s time%s%s", name, text_count(ran),
          ran == 1 ? "" : "s",
          unknown == 0 ? ""
          : "; the numbers of other system calls are not known");
   choose_call(found, wet, instrs, q);
   find_spare(&c, spare);
   FREE_ALL(c.calls, name);
}

/*--- Streams: the system calls that matter                ---*/

typedef
   enum {
      CallWrite,                // (fd, buffer, size)
      CallWriteAt,              // (fd, buffer, size, offset)
      CallVector,               // (fd, vector, n)
      CallVectorAt,
      CallMessage,              // (fd, message)
      CallSeek, CallSeek32,     // (fd, offset, whence), and of 32-bit programs
      CallClose, CallDup, CallDupTo, CallControl,
      CallFork, CallClone,
      CallOther
   }
   CallKind;                    // up to CallMessage, those that write

static const struct { const char* name; CallKind kind; } kinds[] = {
   { "write", CallWrite }, { "sendto", CallWrite }, { "send", CallWrite },
   { "pwrite64", CallWriteAt }, { "writev", CallVector },
   { "pwritev", CallVectorAt }, { "pwritev2", CallVectorAt },
   { "sendmsg", CallMessage }, { "lseek", CallSeek },
   { "_llseek", CallSeek32 }, { "close", CallClose }, { "dup", CallDup },
   { "dup2", CallDupTo }, { "dup3", CallDupTo }, { "fcntl", CallControl },
   { "fcntl64", CallControl }, { "fork", CallFork }, { "vfork", CallFork },
   { "clone", CallClone }
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Reader: the state of reading system calls. */
typedef
   struct {
      DcfgWet*         w;
      const ImageBytes* initial;
      unsigned         word;    // size of an address, in bytes
      uint32_t         numbers[N_KINDS];
      KeyMap*          fds;
      uint32_t*        streams; // by number of a descriptor in .fds
      size_t           n_fds, fds_room;
      Output*          out;

      /* The system call in work, and its node, if it wrote to a file.  The nodes
         that wrote the memory that it read, the earliest first. */
      const DcfgSliceCall* made;
      const DcfgSliceNode* call;
      uint32_t*        writers;
      uint32_t         n_writers;
      bool             initially;       // some of it no instruction wrote
   }
   Reader;

static CallKind kind_of(const Reader* r, const DcfgSliceCall* c)
{
   uint32_t number = call_number(c);

   for (size_t i = 0; i < N_KINDS; i++)
      if (number != UINT32_MAX && r->numbers[i] == number)
         return kinds[i].kind;
   return CallOther;
}

/* Set *VALUE to argument K, from 0, of the call in work.  Return false if it is
   not known. */
static bool argument(const Reader* r, unsigned k, uint64_t* value)
{
   *value = r->made->registers[1 + k];
   return r->made->known;
}

/*--- Streams: memory that a call read                     ---*/

COMPARE(earliest_first, uint32_t, ORDER(*y, *x))

/* Find the writers of the memory that the call read.  Nodes with greater numbers
   ran earlier. */
static void find_writers(Reader* r)
{
   const DcfgSliceNode* call = r->call;

   r->n_writers = 0;
   r->initially = false;
   free(r->writers);
   r->writers = zalloc(call->n_inputs + (size_t)1, sizeof(uint32_t));
   for (uint32_t k = 0; k < call->n_inputs; k++) {
      const DcfgSliceInput* in = &r->out->slice->inputs[call->first_input + k];
      if (in->port != DCFG_WET_MEMORY)
         continue;
      if (in->node < DCFG_SLICE_NOT)
         r->writers[r->n_writers++] = in->node;
      else
         r->initially |= in->node == DCFG_SLICE_NOBODY;
   }
   /* Inputs do not show whether a part of the memory has no writer. */
   r->initially |= r->n_writers > 0;
   qsort(r->writers, r->n_writers, sizeof(uint32_t), earliest_first);
}

/* Write the known ones of the SIZE bytes at ADDR to BYTES, and set KNOWN for
   these.  KNOWN must be 0. */
static void fill(const Reader* r, uint64_t addr, uint64_t size, uint8_t* bytes,
                 uint8_t* known)
{
   for (uint32_t i = 0; i < r->n_writers; i++) {
      const DcfgSliceNode* by = &r->out->slice->nodes[r->writers[i]];
      for (uint32_t k = 0; by->addr != 0 && k < by->value_size; k++)
         if (by->addr + k - addr < size) {
            bytes[by->addr + k - addr] = r->out->slice->values[by->value + k];
            known[by->addr + k - addr] = 1;
         }
   }
   for (uint64_t k = 0; k < size && r->initially; k++) {
      uint64_t       before, behind;
      const uint8_t* at = known[k] ? NULL
                          : image_byte(r->initial, addr + k, r->call->order,
                                       &before, &behind);
      for (uint64_t i = k; at != NULL && i < size && i - k < behind; i++)
         if (!known[i]) {
            bytes[i] = at[i - k];
            known[i] = 1;
         }
   }
}

/* Set *VALUE to the word at ADDR, which the call read.  Return false if it
   is not known. */
static bool word_at(const Reader* r, uint64_t addr, uint64_t* value)
{
   uint8_t bytes[8] = { 0 }, known[8] = { 0 };

   fill(r, addr, r->word, bytes, known);
   *value = 0;
   for (unsigned i = 0; i < r->word; i++)
      *value |= (uint64_t)bytes[i] << 8 * i;
   return memchr(known, 0, r->word) == NULL;
}

/*--- Streams: the bytes that calls append                 ---*/

static uint32_t* stream_number(Reader* r, uint64_t fd)
{
   uint32_t k = keymap_number(r->fds, fd);

   while (r->n_fds <= k) {
      GROW(r->streams, r->n_fds, r->fds_room);
      r->streams[r->n_fds++] = UINT32_MAX;
   }
   return &r->streams[k];
}

static OutputStream* stream_of(Reader* r, uint64_t fd)
{
   uint32_t* number = stream_number(r, fd);
   Output*   o = r->out;

   if (*number == UINT32_MAX) {
      GROW(o->streams, o->n, o->room);
      o->streams[o->n] = (OutputStream){ .fd = (uint32_t)fd };
      *number = (uint32_t)o->n++;
   }
   return &o->streams[*number];
}

static void make_room(OutputStream* stream, uint64_t size)
{
   if (stream->size + size <= stream->room)
      return;
   stream->room  = 2 * (stream->size + size);
   stream->bytes = need(realloc(stream->bytes, stream->room));
   stream->known = need(realloc(stream->known, stream->room));
}

/* Separate the next bytes from those before: they do not follow each other
   in the file. */
static void divide(OutputStream* stream)
{
   make_room(stream, 1);
   stream->bytes[stream->size]   = 0;
   stream->known[stream->size++] = 0;
}

/* Cut the last piece of STREAM if the next call writes exactly the rest of its
   buffer, the SIZE bytes at ADDR: then the last call wrote only the begin. */
static void cut_short(OutputStream* stream, uint64_t addr, uint64_t size)
{
   OutputPiece* p = stream->n == 0 ? NULL : &stream->pieces[stream->n - 1];

   if (p == NULL || p->from + p->size != stream->size || addr <= p->addr
       || addr - p->addr >= p->size || addr + size != p->addr + p->size)
      return;
   for (uint64_t k = addr - p->addr; k < p->size; k++)
      stream->n_unknown -= !stream->known[p->from + k];
   stream->n_bytes -= size;
   stream->size    -= size;
   p->size    -= size;
}

/* Append the SIZE bytes at ADDR, which the call wrote.  Append nothing if
   the call did not read them. */
static void append(Reader* r, OutputStream* stream, uint64_t addr,
                   uint64_t size)
{
   bool read = false;

   for (uint32_t k = 0; k < r->call->n_reads && !read; k++) {
      DcfgSliceReading x = r->out->slice->reads[r->call->first_read + k];
      read = addr >= x.addr && addr - x.addr <= x.size
             && size <= x.size - (addr - x.addr);
   }
   if (!read || size == 0)
      return;
   make_room(stream, size);
   memset(stream->known + stream->size, 0, size);
   fill(r, addr, size, stream->bytes + stream->size,
        stream->known + stream->size);
   for (uint64_t k = 0; k < size; k++)
      stream->n_unknown += !stream->known[stream->size + k];
   GROW(stream->pieces, stream->n, stream->n_room);
   stream->pieces[stream->n++] = (OutputPiece){ r->call, addr, stream->size,
                                               size };
   stream->size    += size;
   stream->n_bytes += size;
}

/* Append the buffer that the call has as arguments.  AT_ONCE: it is written
   at the file's position. */
static void append_buffer(Reader* r, OutputStream* stream, bool at_once)
{
   uint64_t addr, size;

   if (!argument(r, 1, &addr)) {
      if (r->call->n_reads != 1)
         return;
      addr = r->out->slice->reads[r->call->first_read].addr;
   }
   if (!argument(r, 2, &size)) {
      size = 0;
      for (uint32_t k = 0; k < r->call->n_reads; k++) {
         DcfgSliceReading x = r->out->slice->reads[r->call->first_read + k];
         if (x.addr == addr)
            size = x.size;
      }
   }
   if (at_once)
      cut_short(stream, addr, size);
   append(r, stream, addr, size);
}

/* Append N buffers, whose addresses and sizes are at VECTOR. */
static void append_vector(Reader* r, OutputStream* stream, uint64_t vector,
                          uint64_t n)
{
   for (uint64_t k = 0; k < n && k < 1024; k++) {
      uint64_t addr, size;
      if (word_at(r, vector + 2 * k * r->word, &addr)
          && word_at(r, vector + (2 * k + 1) * r->word, &size))
         append(r, stream, addr, size);
   }
}

static void append_message(Reader* r, OutputStream* stream)
{
   uint64_t at, vector, n;

   if (argument(r, 1, &at) && word_at(r, at + 2 * r->word, &vector)
       && word_at(r, at + 3 * r->word, &n))
      append_vector(r, stream, vector, n);
}

static void take_write(Reader* r, CallKind kind)
{
   bool     placed = kind == CallWriteAt || kind == CallVectorAt;
   uint64_t fd, vector, n;
   OutputStream*  t;

   if (!argument(r, 0, &fd))
      return;
   t = stream_of(r, (uint32_t)fd);
   t->n_calls++;
   if (placed)
      divide(t);
   if (kind == CallMessage)
      append_message(r, t);
   else if (kind == CallWrite || kind == CallWriteAt)
      append_buffer(r, t, !placed);
   else if (argument(r, 1, &vector) && argument(r, 2, &n))
      append_vector(r, t, vector, n);
   if (placed)
      divide(t);
}

/*--- Streams: descriptors                                 ---*/

/* Divide the stream, because the file's position changes; but not for a call
   that only asks for the position. */
static void take_seek(Reader* r, bool is_32)
{
   uint64_t fd, offset, low = 0, whence;

   if (!argument(r, 0, &fd) || *stream_number(r, (uint32_t)fd) == UINT32_MAX)
      return;
   if (argument(r, 1, &offset) && (!is_32 || argument(r, 2, &low))
       && argument(r, is_32 ? 4 : 2, &whence) && offset == 0 && low == 0
       && (uint32_t)whence == SEEK_CUR)
      return;
   divide(stream_of(r, (uint32_t)fd));
}

/* Return the result of the call, which is the value that the program
   computed from it first; UINT64_MAX if it is not known. */
static uint64_t result_of(const Reader* r)
{
   uint32_t       n = dcfg_wet_instrs(r->w);
   bool*          instrs = zalloc(n + (size_t)1, sizeof(bool));
   DcfgSliceQuery q = { .instrs = instrs, .instance = r->made->instance,
                        .forward = true, .no_control = true, .steps = 1 };
   uint64_t       result = UINT64_MAX;
   DcfgSlice*     s;
   Roles          roles = roles_new(r->w);

   instrs[r->made->instr] = true;
   s = load_slice(r->w, &q);
   for (uint32_t i = 0; i < s->n_nodes && result == UINT64_MAX; i++) {
      const DcfgSliceNode* x = &s->nodes[i];
      bool uses = false;
      for (uint32_t k = 0; k < x->n_inputs; k++)
         uses |= s->inputs[x->first_input + k].port == DCFG_WET_GENERAL
                 && s->inputs[x->first_input + k].reg == 0;
      if (!uses || !roles.copies[x->instr] || x->value_size < 4)
         continue;
      result = 0;
      for (unsigned k = 0; k < 4; k++)
         result |= (uint64_t)s->values[x->value + k] << 8 * k;
   }
   dcfg_slice_free(s);
   roles_free(&roles);
   free(instrs);
   return result;
}

static void take_descriptor(Reader* r, CallKind kind)
{
   uint64_t from, to, what;

   if (!argument(r, 0, &from))
      return;
   if (kind == CallClose) {
      *stream_number(r, (uint32_t)from) = UINT32_MAX;
      return;
   }
   if (kind == CallControl
       && (!argument(r, 1, &what)
           || (what != F_DUPFD && what != F_DUPFD_CLOEXEC)))
      return;
   if (kind != CallDupTo)
      to = result_of(r);
   else if (!argument(r, 1, &to))
      return;
   if (to > INT32_MAX || (uint32_t)to == (uint32_t)from)
      return;
   stream_of(r, (uint32_t)from);
   what = *stream_number(r, (uint32_t)from);
   *stream_number(r, (uint32_t)to) = (uint32_t)what;
}

/* Return a slice of the N calls at CALLS that write: who wrote what they read. */
static DcfgSlice* slice_of_writes(const Reader* r, const DcfgSliceCall* calls,
                                  size_t n)
{
   uint32_t       n_instrs = dcfg_wet_instrs(r->w);
   bool*          instrs = zalloc(n_instrs + (size_t)1, sizeof(bool));
   uint32_t*      all = zalloc(n_instrs + (size_t)1, sizeof(*all));
   DcfgSlicePart* parts = zalloc(n + 1, sizeof(*parts));
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_EVERY,
                        .steps = 1, .no_control = true, .no_register = all,
                        .parts = parts };
   DcfgSlice*     s;

   for (size_t i = 0; i < n; i++)
      if (kind_of(r, &calls[i]) <= CallMessage) {
         parts[q.n_parts++]     = (DcfgSlicePart){ .instr = calls[i].instr,
                                                   .instance = calls[i].instance };
         instrs[calls[i].instr] = true;
         all[calls[i].instr]    = UINT32_MAX;
      }
   s = load_slice(r->w, &q);
   FREE_ALL(instrs, all, parts);
   return s;
}

static void take_call(Reader* r, CallKind kind)
{
   uint64_t flags;

   switch (kind) {
      case CallOther:
         break;
      case CallSeek: case CallSeek32:
         take_seek(r, kind == CallSeek32);
         break;
      case CallClose: case CallDup: case CallDupTo: case CallControl:
         take_descriptor(r, kind);
         break;
      case CallClone:
         r->out->n_forks += argument(r, 0, &flags) && !(flags & CLONE_THREAD);
         break;
      case CallFork:
         r->out->n_forks++;
         break;
      default:
         find_writers(r);
         take_write(r, kind);
   }
}

Output output_read(DcfgWet* wet, const ImageBytes* initial, uint32_t* spare)
{
   Output      o = { .n = 0 };
   SystemCalls c = all_calls(wet);
   Reader      r = { .w = wet, .initial = initial, .out = &o,
                     .word = dcfg_wet_instrs(wet) == 0 ? 8
                             : dcfg_wet_instr(wet, 0)->address_size,
                     .fds = keymap_new() };
   uint32_t    left;

   if (spare != NULL)
      find_spare(&c, spare);
   for (size_t i = 0; i < N_KINDS; i++)
      r.numbers[i] = syscall_number(kinds[i].name, processor_of(wet)->seccomp);
   o.slice = slice_of_writes(&r, c.calls, c.n);
   left    = o.slice->n_criteria;
   for (size_t i = 0; i < c.n; i++) {
      CallKind kind = kind_of(&r, &c.calls[i]);
      r.made = &c.calls[i];
      if (kind <= CallMessage) {
         r.call = left == 0 ? NULL
                  : &o.slice->nodes[o.slice->criteria[left - 1]];
         if (r.call == NULL || r.call->order != r.made->order)
            continue;
         left--;
      }
      take_call(&r, kind);
   }
   keymap_free(r.fds);
   FREE_ALL(r.streams, r.writers, c.calls);
   return o;
}

void output_free(Output* o)
{
   for (size_t i = 0; i < o->n; i++) {
      FREE_ALL(o->streams[i].bytes, o->streams[i].known, o->streams[i].pieces);
   }
   free(o->streams);
   dcfg_slice_free(o->slice);
}

/*--- Streams: searching and choosing                      ---*/

const OutputPiece* stream_piece(const OutputStream* stream, uint64_t place)
{
   size_t low = 0;

   BISECT(low, stream->n, middle,
          stream->pieces[middle].from + stream->pieces[middle].size <= place);
   return low < stream->n && stream->pieces[low].from <= place
          ? &stream->pieces[low] : NULL;
}

uint64_t stream_find(const OutputStream* stream, const char* text, size_t size,
                     uint64_t from)
{
   while (from < stream->size && size <= stream->size - from) {
      const uint8_t* at = memmem(stream->bytes + from, stream->size - from,
                                 text, size);
      if (at == NULL)
         break;
      from = (uint64_t)(at - stream->bytes);
      if (memchr(stream->known + from, 0, size) == NULL)
         return from;
      from++;
   }
   return UINT64_MAX;
}

uint64_t stream_find_last(const OutputStream* stream, const char* text,
                          size_t size)
{
   uint64_t end = size <= stream->size ? stream->size - size + 1 : 0;

   while (end > 0) {
      const uint8_t* at = memrchr(stream->bytes, text[0], end);
      if (at == NULL)
         break;
      end = (uint64_t)(at - stream->bytes);
      if (memcmp(at, text, size) == 0
          && memchr(stream->known + end, 0, size) == NULL)
         return end;
   }
   return UINT64_MAX;
}

/* Add a part to PARTS: the bytes of P from LOW up to HIGH. */
static void add_part(DcfgSlicePart** parts, uint32_t* n, size_t* room,
                     const OutputPiece* p, uint64_t low, uint64_t high)
{
   size_t used = *n;

   GROW(*parts, used, *room);
   (*parts)[(*n)++] = (DcfgSlicePart){ p->call->instr, p->call->instance,
                                       p->addr + (low - p->from), high - low };
}

void stream_choose(const OutputStream* stream, uint64_t place, uint64_t size,
                   const bool* wanted, bool* instrs, uint32_t n_instrs,
                   DcfgSliceQuery* q)
{
   DcfgSlicePart* parts = NULL;
   size_t         room = 0;
   uint64_t       end = place + size;

   memset(instrs, 0, n_instrs * sizeof(bool));
   q->n_parts = 0;
   for (uint64_t at = place; at < end; ) {
      const OutputPiece* p = stream_piece(stream, at);
      uint64_t low = at++;
      if (p == NULL || (wanted != NULL && !wanted[low - place]))
         continue;
      while (at < end && at < p->from + p->size
             && (wanted == NULL || wanted[at - place]))
         at++;
      instrs[p->call->instr] = true;
      add_part(&parts, &q->n_parts, &room, p, low, at);
   }
   q->instance = DCFG_SLICE_EVERY;
   q->of       = DCFG_SLICE_MEMORY;
   q->parts    = parts;
}
