/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams of bytes too long for memory. */

/* Owns: the spool file.  Handed: bytes, by trace/record.c, xray/flight.c and
   uftrace/uftrace.c while the program runs and by trace/output_trace.c while a
   trace is encoded.  Taken by: the same and trace/reader.c.

   The file of a stream that is saved has a name, by which a process that was
   killed leaves it to `dcfg wet --salvage'.  An extent of such a stream has a head
   there, and an extent that is not full stands in the file too, in another place
   each time.

   A stream is a list of extents of MAX_BUFFER bytes and a buffer for what
   comes next.  The first max_in_memory bytes of all streams stay in memory,
   which is cheaper than a file; what is more goes to the one file that all
   streams share.  That is made before the program runs, and in a forked child
   when it is needed, beside the output that it is for, and has no name from
   then on: whatever ends the process ends it too.  What streams drop, or
   leave when they are deleted, is written to anew. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "base/core.h"
#include "delivery/file.h"
#include "delivery/newfile.h"
#include "base/size.h"
#include "delivery/stream.h"
#include "delivery/writeall.h"
#include "format/spool_extents.h"

/* Powers of two.  A stream's buffer starts small, for there may be
   thousands of threads. */
#define MIN_BUFFER 512u
#define MAX_BUFFER SPOOL_EXTENT

/* The file is a sequence of extents with their heads, which are zeros but for
   streams that are saved. */
#define EXTENT_SIZE (SPOOL_HEAD_SIZE + MAX_BUFFER)

/* Where MAX_BUFFER bytes are: a pointer, or a place in the file and IN_FILE.
   A word each, for of a long stream there are many, and all are in memory. */
typedef ULong Extent;
#define IN_FILE 1ULL

struct _Stream {
   XArray* extents;      // Extent
   ULong   begin;        // of the first one, in the stream
   ULong   in_extents;   // bytes of the stream, up to the end of the last one
   UChar*  buffer;       // what follows them
   UInt    used, room;
   UInt    kind;         // of what is saved; 0: nothing
   Word    n_saved;      // extents,
   ULong   saved_place;  // and where the buffer is, or NO_PLACE
   Bool    kept;         // its begin, if the file cannot be written
   Bool    ended;        // what is appended is lost
};

#define NO_PLACE (~0ULL)

static HChar*       spool_name;     // NULL: the file has none
static const HChar* place_opt;
static const HChar* place_format;
static Int          fd = -1;
static ULong        file_size;
static ULong        max_in_memory;  // of the output that has most
static ULong        in_memory;      // bytes of extents
static XArray*      free_places;    // ULong: extents that are not used
static Bool         failed;
static Bool         unreadable;
static UInt         n_kept;         // streams
static Int          write_error;    // errno, or 0
static ULong        cut = ~0ULL;    // what was behind it in the file is lost

/* The spare: a file system's free bytes that the file leaves to others.  The
   default holds for long files, and is at most a tenth of the file system. */
#define DEFAULT_SPARE (1ULL << 30)
#define LONG_FILE     (64ULL << 20)
#define CHECK_APART   (4ULL << 20)

static const HChar* spare_opt;
static ULong        spare = DEFAULT_SPARE;
static ULong        next_check;     // at this size of the file

/*------------------------------------------------------------*/
/*--- The file                                             ---*/
/*------------------------------------------------------------*/

static void fail(const HChar* what, const HChar* name, Int error)
{
   Bool keeps = n_kept > 0 && !unreadable;

   if (!failed)
      VG_(umsg)("dcfg: cannot %s the spool file%s%s: %s; %s\n", what,
                name[0] ? " " : "", name, DCFG_(error_text)(error),
                keeps ? "the whole execution trace ends early, and there will "
                        "be no other trace and no log"
                      : "there will be no trace, no log and no wet");
   failed = True;
   if (keeps)
      return;
   /* What it took of a disk that is full, others can use. */
   if (fd != -1)
      VG_(close)(fd);
   fd = -1;
}

/* In the output's directory; if that goes to a device or a pipe, where
   Valgrind puts its temporary files. */
static void open_spool(void)
{
   HChar* out = DCFG_(path_of_file)(place_opt, place_format);
   HChar* name;
   Int    new = DCFG_(new_file)(out, ".spool-", VKI_O_RDWR,
                                VKI_S_IRUSR | VKI_S_IWUSR, &name);

   if (out != NULL)
      VG_(free)(out);
   if (new < 0) {
      fail("create", name, -new);
   } else {
      VG_(unlink)(name);
      /* The program may close or take any number that it could get. */
      fd        = VG_(safe_fd)(new);
      file_size = 0;
   }
   VG_(free)(name);
}

/* Returns 0 or an errno: the program may have had it forbidden. */
static Int go_to(ULong place)
{
   Off64T at = VG_(lseek)(fd, place, VKI_SEEK_SET);
   return at < 0 ? (Int)-at : 0;
}

/* What is kept of streams is copied at the end. */
static ULong size_of_copy(void)
{
   return n_kept > 0 ? file_size + in_memory : 0;
}

/* Has the file system the spare, *LEAST, and room for the copy?  *AVAIL is what
   it has.  Look seldom. */
static Bool has_spare(/*OUT*/ULong* avail, /*OUT*/ULong* least)
{
   ULong size;

   if (file_size < next_check || (spare_opt == NULL && file_size < LONG_FILE))
      return True;
   if (!DCFG_(file_system_room)(fd, avail, &size))
      return True;
   *least = spare_opt == NULL && spare > size / 10 ? size / 10 : spare;
   if (*avail < *least || *avail - *least < size_of_copy())
      return False;
   next_check = file_size + CHECK_APART;
   return True;
}

/* Say if it has not. */
static void check_spare(void)
{
   ULong avail, least;

   if (has_spare(&avail, &least))
      return;
   VG_(umsg)("dcfg: the file system has %llu MB left, of which %llu MB are "
             "spared (--dcfg-spare), and what was recorded needs %llu MB at the "
             "end\n", avail >> 20, least >> 20, size_of_copy() >> 20);
   write_error = VKI_ENOSPC;
   fail("write", "", VKI_ENOSPC);
}

/* The disk is full: as much of the file goes as a copy of the rest, and of what
   is in memory, takes, and some for the other outputs. */
static void make_room_for_copy(void)
{
   cut  = file_size > in_memory ? (file_size - in_memory) / 2 : 0;
   cut -= cut / 8;
   cut -= cut % EXTENT_SIZE;
   DCFG_(truncate)(fd, cut);
   file_size = cut;
}

static void put_number(UChar* to, UInt n)
{
   for (UInt i = 0; i < 4; i++)
      to[i] = n >> 8 * i;
}

/* The DATA of extent NUMBER of S go to PLACE.  Returns 0 or an errno. */
static Int write_extent(const Stream* s, UInt number, const UChar* data,
                        UInt n, ULong place)
{
   UChar head[SPOOL_HEAD_SIZE] = SPOOL_MAGIC;
   Int   error = go_to(s->kind != 0 ? place : place + SPOOL_HEAD_SIZE);

   if (s->kind != 0 && error == 0) {
      put_number(head + SpoolKindAt, s->kind);
      put_number(head + SpoolNumberAt, number);
      put_number(head + SpoolUsedAt, n);
      put_number(head + SpoolSumAt, spool_sum(data, n));
      error = DCFG_(write_all)(fd, head, sizeof(head));
   }
   if (error == 0)
      error = DCFG_(write_all)(fd, data, n);
   if (error == 0 && place + EXTENT_SIZE > file_size)
      file_size = place + EXTENT_SIZE;
   return error;
}

/* Likewise; there is no other place for them. */
static void spool(const Stream* s, UInt number, const UChar* data, UInt n,
                  ULong place)
{
   Int error;

   if (fd == -1 && !failed)
      open_spool();
   if (!failed)
      check_spare();
   if (failed)
      return;
   error = write_extent(s, number, data, n, place);
   if (error != 0) {
      write_error = error;
      fail("write", "", error);
      if (fd != -1 && error == VKI_ENOSPC)
         make_room_for_copy();
   }
}

/* Where the next extent goes. */
static ULong take_place(void)
{
   Word  n = free_places == NULL ? 0 : VG_(sizeXA)(free_places);
   ULong place;

   if (n == 0)
      return file_size;
   place = *(ULong*)VG_(indexXA)(free_places, n - 1);
   VG_(dropTailXA)(free_places, 1);
   return place;
}

static void give_place(ULong place)
{
   if (free_places == NULL)
      free_places = VG_(newXA)(VG_(malloc), "dcfg.stream.places", VG_(free),
                               sizeof(ULong));
   VG_(addToXA)(free_places, &place);
}

static void free_saved_place(Stream* s)
{
   if (s->saved_place != NO_PLACE)
      give_place(s->saved_place);
   s->saved_place = NO_PLACE;
}

static UInt read_all(ULong place, UChar* to, UInt n)
{
   UInt got   = 0;
   Int  error = go_to(place);

   unreadable = error != 0;
   if (unreadable)
      fail("read", "", error);
   while (got < n && !unreadable) {
      Int done = VG_(read)(fd, to + got, n - got);
      if (done == -VKI_EINTR)
         continue;
      if (done <= 0) {
         unreadable = True;
         fail("read", "", done == 0 ? VKI_EIO : -done);
         return got;
      }
      got += done;
   }
   return got;
}

void DCFG_(set_spool_place)(const HChar* opt, const HChar* format,
                            ULong memory)
{
   vki_sigset_t before;

   if (memory > max_in_memory)
      max_in_memory = memory;
   if (place_opt != NULL)
      return;
   place_opt    = opt;
   place_format = format;
   DCFG_(block_signals)(&before);
   open_spool();
   DCFG_(restore_signals)(&before);
   if (failed)
      VG_(exit)(1);
}

void DCFG_(forget_spool)(void)
{
   if (fd != -1)
      VG_(close)(fd);
   fd        = -1;
   file_size = 0;
   VG_(free)(spool_name);
   spool_name = NULL;
   failed    = unreadable = False;
   next_check  = 0;
   write_error = 0;
   cut         = ~0ULL;
   if (free_places != NULL)
      VG_(dropTailXA)(free_places, VG_(sizeXA)(free_places));
}

Bool DCFG_(name_spool)(const HChar* opt, const HChar* format)
{
   HChar* out = DCFG_(path_of_file)(opt, format);
   HChar* name;

   if (out == NULL || failed || file_size > 0) {
      VG_(free)(out);
      return False;
   }
   Int new = DCFG_(new_file)(out, ".tmp-", VKI_O_RDWR,
                             VKI_S_IRUSR | VKI_S_IWUSR, &name);
   VG_(free)(out);
   if (new < 0) {
      VG_(free)(name);
      return False;
   }
   if (fd != -1)
      VG_(close)(fd);
   fd         = VG_(safe_fd)(new);
   spool_name = name;
   return True;
}

void DCFG_(unname_spool)(void)
{
   if (spool_name != NULL)
      VG_(unlink)(spool_name);
   VG_(free)(spool_name);
   spool_name = NULL;
}

Bool DCFG_(spool_failed)(void)
{
   return failed;
}

Bool DCFG_(spool_unreadable)(void)
{
   return unreadable;
}

ULong DCFG_(room_for_copy)(ULong used)
{
   ULong room = 0, size, most = DCFG_(largest_file)();

   if (fd == -1 && !failed)
      open_spool();
   if (fd == -1 || !DCFG_(file_system_room)(fd, &room, &size))
      return 0;
   most = most > used ? most - used : 0;
   return room < most ? room : most;
}

Bool DCFG_(spool_option)(const HChar* arg)
{
   return VG_STR_CLO(arg, "--dcfg-spare", spare_opt);
}

void DCFG_(spool_usage)(void)
{
   VG_(printf)(
"    --dcfg-spare=<size>       end a recording when its file system has no more\n"
"                              than this left, with K, M or G; 0: none [1G]\n"
   );
}

void DCFG_(start_spool)(void)
{
   if (spare_opt != NULL && !DCFG_(parse_size)(spare_opt, &spare)) {
      VG_(fmsg)("--dcfg-spare=%s: it is no size such as 500M\n", spare_opt);
      VG_(exit)(1);
   }
}

/*------------------------------------------------------------*/
/*--- Streams                                              ---*/
/*------------------------------------------------------------*/

Stream* DCFG_(new_stream)(void)
{
   Stream* s  = VG_(calloc)("dcfg.stream.stream", 1, sizeof(Stream));
   s->extents = VG_(newXA)(VG_(malloc), "dcfg.stream.extents", VG_(free),
                           sizeof(Extent));
   s->saved_place = NO_PLACE;
   return s;
}

static UChar* memory_of(Extent e)
{
   return (UChar*)(Addr)e;
}

static Extent extent(const Stream* s, Word i)
{
   return *(Extent*)VG_(indexXA)(s->extents, i);
}

static void free_extent(Extent e)
{
   if (e & IN_FILE) {
      give_place(e - IN_FILE);
      return;
   }
   VG_(free)(memory_of(e));
   in_memory -= MAX_BUFFER;
}

void DCFG_(keep_begin)(Stream* s)
{
   s->kept = True;
   n_kept++;
}

/* Can S be read? */
static Bool is_usable(const Stream* s)
{
   return s->kept ? !unreadable : !failed;
}

void DCFG_(delete_stream)(Stream* s)
{
   n_kept -= s->kept;
   free_saved_place(s);
   for (Word i = 0; i < VG_(sizeXA)(s->extents); i++)
      free_extent(extent(s, i));
   VG_(deleteXA)(s->extents);
   VG_(free)(s->buffer);
   VG_(free)(s);
}

/* The buffer is full: a larger one, or an extent. */
static void make_room(Stream* s)
{
   if (s->room < MAX_BUFFER) {
      s->room   = s->room == 0 ? MIN_BUFFER : 2 * s->room;
      s->buffer = VG_(realloc)("dcfg.stream.buffer", s->buffer, s->room);
      return;
   }
   Extent e;
   if (failed && s->kept) {
      s->ended = True;
      s->used  = 0;
      return;
   }
   if (in_memory + MAX_BUFFER <= max_in_memory) {
      e          = (Addr)s->buffer;
      s->buffer  = VG_(malloc)("dcfg.stream.buffer", MAX_BUFFER);
      in_memory += MAX_BUFFER;
   } else {
      ULong place = take_place();
      spool(s, s->in_extents / MAX_BUFFER, s->buffer, MAX_BUFFER, place);
      if (failed && s->kept) {
         s->ended = True;
         s->used  = 0;
         return;
      }
      e = place + IN_FILE;
   }
   VG_(addToXA)(s->extents, &e);
   s->in_extents += MAX_BUFFER;
   s->used        = 0;
}

/* A copy of the DATA of extent NUMBER of S goes to the file, *PLACE.  Returns
   False if there is no room for it. */
static Bool save_extent(const Stream* s, UInt number, const UChar* data,
                        UInt n, /*OUT*/ULong* place)
{
   ULong avail, least;

   if (failed || fd == -1 || !has_spare(&avail, &least))
      return False;
   *place = take_place();
   if (write_extent(s, number, data, n, *place) == 0)
      return True;
   if (*place < file_size)
      give_place(*place);
   return False;
}

Bool DCFG_(save_stream)(Stream* s, UInt kind)
{
   ULong place;

   s->kind = kind;
   for (; s->n_saved < VG_(sizeXA)(s->extents); s->n_saved++) {
      Extent* e = VG_(indexXA)(s->extents, s->n_saved);
      if (*e & IN_FILE)
         continue;
      if (!save_extent(s, s->n_saved, memory_of(*e), MAX_BUFFER, &place))
         return False;
      VG_(free)(memory_of(*e));
      in_memory -= MAX_BUFFER;
      *e = place + IN_FILE;
   }
   if (s->used == 0)
      return True;
   if (!save_extent(s, s->n_saved, s->buffer, s->used, &place))
      return False;
   free_saved_place(s);
   s->saved_place = place;
   return True;
}

void DCFG_(append_to_stream)(Stream* s, const void* data, UInt n)
{
   while (n > 0 && !s->ended) {
      if (s->used == s->room)
         make_room(s);
      if (s->ended)
         return;
      UInt some = s->room - s->used < n ? s->room - s->used : n;
      VG_(memcpy)(s->buffer + s->used, data, some);
      data     = (const UChar*)data + some;
      s->used += some;
      n       -= some;
   }
}

void DCFG_(drop_from_stream)(Stream* s, ULong at)
{
   Word n = 0;

   for (; n < VG_(sizeXA)(s->extents) && s->begin + MAX_BUFFER <= at; n++) {
      free_extent(extent(s, n));
      s->begin += MAX_BUFFER;
   }
   while (n-- > 0)
      VG_(removeIndexXA)(s->extents, 0);
}

void DCFG_(trim_stream)(Stream* s)
{
   if (s->used < s->room) {
      s->room   = s->used;
      s->buffer = VG_(realloc)("dcfg.stream.buffer", s->buffer,
                               s->used == 0 ? 1 : s->used);
   }
}

static Bool is_cut(Extent e)
{
   return (e & IN_FILE) && e - IN_FILE >= cut;
}

ULong DCFG_(stream_length)(const Stream* s)
{
   for (Word i = 0; cut != ~0ULL && i < VG_(sizeXA)(s->extents); i++)
      if (is_cut(extent(s, i)))
         return s->begin + i * MAX_BUFFER;
   return s->in_extents + s->used;
}

UInt DCFG_(read_stream)(const Stream* s, ULong at, void* to, UInt n)
{
   UInt got = 0;

   while (got < n && at < s->in_extents && is_usable(s)) {
      Extent e    = extent(s, (at - s->begin) / MAX_BUFFER);
      UInt   from = (at - s->begin) % MAX_BUFFER;
      UInt   some = MAX_BUFFER - from < n - got ? MAX_BUFFER - from : n - got;
      if (is_cut(e))
         return got;
      if (e & IN_FILE)
         some = read_all(e - IN_FILE + SPOOL_HEAD_SIZE + from,
                         (UChar*)to + got, some);
      else
         VG_(memcpy)((UChar*)to + got, memory_of(e) + from, some);
      got += some;
      at  += some;
   }
   if (got < n && at < DCFG_(stream_length)(s) && is_usable(s)) {
      UInt from = (UInt)(at - s->in_extents);
      UInt some = s->used - from < n - got ? s->used - from : n - got;
      VG_(memcpy)((UChar*)to + got, s->buffer + from, some);
      got += some;
   }
   return got;
}
