/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: streams, the spool file, and the limits of their memory and disk
   space.  Handed: bytes, by the rooms that record, while the program runs and
   while a trace is encoded.

   A stream is a list of extents of MAX_BUFFER bytes, and a buffer for the next
   bytes.  The first extents of all streams stay in memory, which is cheaper
   than a file.  The others go to the spool file, which all streams share.  When
   streams drop extents, their places in the file are used again.

   The spool file is made beside the output that needs it, before the program
   runs, and in a forked child when it is needed.  Then it loses its name, so
   that it goes away with the process, however that ends.

   A stream that is saved is an exception: its file keeps a name, so that `dcfg
   wet --salvage' finds it after the process was killed.  Extents of this stream
   have heads in the file (format/spool_file.h).  Its last extent is written
   before it is full, each time to another place. */

#include "format/spool_file.h"
#include "tool/base/core.h"
#include "tool/files/file.h"
#include "tool/files/interrupt.h"
#include "tool/files/path.h"
#include "tool/files/stream.h"

/*--- The spool file                                       ---*/

/* The file is a sequence of extents with heads.  The heads are zeros, except
   those of streams that are saved. */
#define EXTENT_SIZE (SPOOL_HEAD_SIZE + SPOOL_EXTENT)

static HChar*       spool_name;     // NULL: it has lost its name
static const HChar* place_opt;
static const HChar* place_format;
static Int          fd = -1;
static ULong        file_size;
static ULong        max_in_memory;  // the largest limit of any output
static ULong        in_memory;      // bytes of extents in memory
static XArray*      free_places;    // ULong: places of unused extents
static Bool         failed;
static Bool         unreadable;
static UInt         n_kept;         // streams whose begin is kept
static ULong        cut = ~0ULL;    // extents from here on in the file are lost

/* The spare: free bytes of the file system that the spool file leaves to
   others.  The default applies to long files, and is at most a tenth of the
   file system. */
#define DEFAULT_SPARE (1ULL << 30)
#define LONG_FILE     (64ULL << 20)
#define CHECK_APART   (4ULL << 20)

static const HChar* spare_opt;
static ULong        spare = DEFAULT_SPARE;
static ULong        next_check;     // size of the file at which to check again

static void fail(const HChar* what, const HChar* name, Int error)
{
   Bool keeps = n_kept > 0 && !unreadable;

   if (!failed)
      VG_(umsg)("dcfg: cannot %s the spool file%s%s: %s; %s\n", what,
                name[0] ? " " : "", name, DCFG_(error_text)(error),
                keeps ? "the whole execution trace will end early; no other "
                        "trace and no log will be written"
                      : "no trace, no log and no whole execution trace will be "
                        "written");
   failed = True;
   if (keeps)
      return;
   /* On a full disk, give the file's space back to others. */
   if (fd != -1)
      VG_(close)(fd);
   fd = -1;
}

/* Open the spool file in the output's directory; if the output is a device or a
   pipe, in Valgrind's directory for temporary files. */
static void open_spool(void)
{
   HChar* out = DCFG_(path_of_file)(place_opt, place_format);
   HChar* name;
   Int    new = DCFG_(new_file)(out, ".spool-", VKI_O_RDWR,
                                VKI_S_IRUSR | VKI_S_IWUSR, &name);

   VG_(free)(out);
   if (new < 0) {
      fail("create", name, -new);
   } else {
      VG_(unlink)(name);
      /* safe_fd: the program may close or overwrite any descriptor of its
         own. */
      fd        = VG_(safe_fd)(new);
      file_size = 0;
   }
   VG_(free)(name);
}

/* Seek to PLACE.  Return 0 or an errno: the program may have been forbidden to
   seek. */
static Int go_to(ULong place)
{
   Off64T at = VG_(lseek)(fd, place, VKI_SEEK_SET);
   return at < 0 ? (Int)-at : 0;
}

/* Return the size of the copy of kept streams, which is made at the end. */
static ULong size_of_copy(void)
{
   return n_kept > 0 ? file_size + in_memory : 0;
}

/* Return whether the file system has the spare, *LEAST, and room for the copy.
   *AVAIL is its free space.  Checks rarely. */
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

/* Fail with a message if the file system does not have the spare. */
static void check_spare(void)
{
   ULong avail, least;

   if (has_spare(&avail, &least))
      return;
   VG_(umsg)("dcfg: the file system has %llu MB left, --dcfg-spare keeps %llu "
             "MB of them free, and the recording needs %llu MB at the end\n",
             avail >> 20, least >> 20, size_of_copy() >> 20);
   fail("write", "", VKI_ENOSPC);
}

/* Cut the file on a full disk: the copy of the rest, and of the extents in
   memory, needs room, and so do the other outputs. */
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

/* Write N bytes of DATA, whose check sum is SUM unless KIND is 0, extent NUMBER
   of a stream of KIND, to PLACE.  Return 0 or an errno. */
static Int write_extent(UInt kind, UInt number, const UChar* data, UInt n,
                        UInt sum, ULong place)
{
   UChar head[SPOOL_HEAD_SIZE] = SPOOL_MAGIC;
   Int   error = go_to(kind != 0 ? place : place + SPOOL_HEAD_SIZE);

   if (kind != 0 && error == 0) {
      put_number(head + SpoolKindAt, kind);
      put_number(head + SpoolNumberAt, number);
      put_number(head + SpoolUsedAt, n);
      put_number(head + SpoolSumAt, sum);
      error = DCFG_(write_all)(fd, head, sizeof(head));
   }
   if (error == 0)
      error = DCFG_(write_all)(fd, data, n);
   if (error == 0 && place + EXTENT_SIZE > file_size)
      file_size = place + EXTENT_SIZE;
   return error;
}

/* Write N bytes of DATA, extent NUMBER of a stream, to PLACE.  KIND is the kind
   of a stream that is saved, or 0.  An error is reported to the user. */
static void spool_extent(UInt kind, UInt number, const UChar* data, UInt n,
                         ULong place)
{
   Int error;

   if (fd == -1 && !failed)
      open_spool();
   if (!failed)
      check_spare();
   if (failed)
      return;
   error = write_extent(kind, number, data, n,
                        kind != 0 ? spool_sum(data, n) : 0, place);
   if (error != 0) {
      fail("write", "", error);
      if (fd != -1 && error == VKI_ENOSPC)
         make_room_for_copy();
   }
}

/* Take a place for an extent in the file; give it back. */
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
      free_places = DCFG_NEW_ARRAY("dcfg.spool.places", ULong);
   VG_(addToXA)(free_places, &place);
}

/* Write a copy of the extent, whose check sum is SUM, to the file.  *PLACE is
   where.  Return False if there is no room. */
static Bool save_extent(UInt kind, UInt number, const UChar* data, UInt n,
                        UInt sum, /*OUT*/ULong* place)
{
   ULong avail, least;

   if (failed || fd == -1 || !has_spare(&avail, &least))
      return False;
   *place = take_place();
   if (write_extent(kind, number, data, n, sum, *place) == 0)
      return True;
   if (*place < file_size)
      give_place(*place);
   return False;
}

/* Read up to N bytes of the extent at PLACE, from offset FROM, into TO.  Return
   how many. */
static UInt read_extent(ULong place, UInt from, UChar* to, UInt n)
{
   UInt got   = 0;
   Int  error = go_to(place + SPOOL_HEAD_SIZE + from);

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
   failed     = unreadable = False;
   next_check = 0;
   cut        = ~0ULL;
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

ULong DCFG_(room_for_copy)(ULong there, ULong more)
{
   ULong room = 0, size, most = DCFG_(largest_file)();

   if (fd == -1 && !failed)
      open_spool();
   if (fd == -1 || !DCFG_(file_system_room)(fd, &room, &size))
      return 0;
   most = most > there ? most - there : 0;
   most = room < most ? room : most;
   return most > more ? most - more : 0;
}

static const Option options[] = {
   OPTION_TEXT("--dcfg-spare", spare_opt, "<size>",
               "end a recording when its file system has no more than <size> "
               "left, with K, M or G; 0: never [1G]")
};

const Options DCFG_(spool_options) = OPTIONS(options);

void DCFG_(start_spool)(void)
{
   if (spare_opt != NULL && !DCFG_(parse_size)(spare_opt, &spare))
      DCFG_FAIL("--dcfg-spare=%s: this is no size; a size is 0 or such as 500M "
                "or 2G\n", spare_opt);
}

/*--- Streams                                              ---*/

/* Sizes of a buffer, powers of two.  Buffers start small, because there may be
   thousands of threads. */
#define MIN_BUFFER 512u
#define MAX_BUFFER SPOOL_EXTENT

/* Extent: a pointer to MAX_BUFFER bytes, or their place in the file with the
   bit IN_FILE.  One word each, because long streams have many. */
typedef ULong Extent;
#define IN_FILE 1ULL

struct _Stream {
   XArray* extents;      // Extent
   ULong   begin;        // offset in the stream of the first extent
   ULong   in_extents;   // offset in the stream of the last one's end
   UChar*  buffer;       // bytes behind the last extent
   UInt    used, room;
   UInt    kind;         // kind of a saved stream; 0: not saved
   Word    n_saved;      // number of saved extents
   ULong   saved_place;  // saved place of the buffer, or NO_PLACE
   Bool    kept;         // keep the begin if the file cannot be written
   Bool    ended;        // drop further bytes
};

#define NO_PLACE (~0ULL)

Stream* DCFG_(new_stream)(void)
{
   Stream* s  = VG_(calloc)("dcfg.stream.stream", 1, sizeof(Stream));
   s->extents = DCFG_NEW_ARRAY("dcfg.stream.extents", Extent);
   s->saved_place = NO_PLACE;
   return s;
}

static UChar* memory_of(Extent e)
{
   return (UChar*)(Addr)e;
}

static Extent extent(const Stream* stream, Word i)
{
   return *(Extent*)VG_(indexXA)(stream->extents, i);
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

static void free_saved_place(Stream* stream)
{
   if (stream->saved_place != NO_PLACE)
      give_place(stream->saved_place);
   stream->saved_place = NO_PLACE;
}

void DCFG_(keep_begin)(Stream* stream)
{
   stream->kept = True;
   n_kept++;
}

/* Return whether STREAM can be read. */
static Bool is_usable(const Stream* stream)
{
   return stream->kept ? !unreadable : !failed;
}

void DCFG_(delete_stream)(Stream* stream)
{
   if (stream->kept)
      n_kept--;
   free_saved_place(stream);
   for (Word i = 0; i < VG_(sizeXA)(stream->extents); i++)
      free_extent(extent(stream, i));
   VG_(deleteXA)(stream->extents);
   DCFG_FREE_ALL(stream->buffer, stream);
}

/* Make room in a full buffer: enlarge it, or turn it into an extent. */
static void make_room(Stream* stream)
{
   if (stream->room < MAX_BUFFER) {
      stream->room   = stream->room == 0 ? MIN_BUFFER : 2 * stream->room;
      stream->buffer = VG_(realloc)("dcfg.stream.buffer", stream->buffer,
                                    stream->room);
      return;
   }
   Extent e       = (Addr)stream->buffer;
   Bool   to_file = in_memory + MAX_BUFFER > max_in_memory;
   if (to_file && !(failed && stream->kept)) {
      e = take_place() + IN_FILE;
      spool_extent(stream->kind, stream->in_extents / MAX_BUFFER,
                   stream->buffer, MAX_BUFFER, e - IN_FILE);
   }
   if (failed && stream->kept) {
      stream->ended = True;
      stream->used  = 0;
      return;
   }
   if (!to_file) {
      in_memory     += MAX_BUFFER;
      stream->buffer = VG_(malloc)("dcfg.stream.buffer", MAX_BUFFER);
   }
   VG_(addToXA)(stream->extents, &e);
   stream->in_extents += MAX_BUFFER;
   stream->used        = 0;
}

/* Set SUMS to the check sums of the extents of STREAM from FIRST on that are in
   memory.  Return how many, 1 or SPOOL_SUMS. */
static UInt sum_extents(const Stream* stream, Word first, UInt* sums)
{
   const UChar* data[SPOOL_SUMS];

   for (UInt k = 0; k < SPOOL_SUMS; k++) {
      if (first + k >= VG_(sizeXA)(stream->extents)
          || (extent(stream, first + k) & IN_FILE)) {
         sums[0] = spool_sum(memory_of(extent(stream, first)), MAX_BUFFER);
         return 1;
      }
      data[k] = memory_of(extent(stream, first + k));
   }
   spool_sums(data, sums);
   return SPOOL_SUMS;
}

Bool DCFG_(save_stream)(Stream* stream, UInt kind)
{
   UInt  sums[SPOOL_SUMS], n_sums = 0, next = 0;
   ULong place;

   stream->kind = kind;
   for (; stream->n_saved < VG_(sizeXA)(stream->extents); stream->n_saved++) {
      Extent* e = VG_(indexXA)(stream->extents, stream->n_saved);
      if (*e & IN_FILE)
         continue;
      if (next == n_sums) {
         n_sums = sum_extents(stream, stream->n_saved, sums);
         next   = 0;
      }
      if (!save_extent(kind, stream->n_saved, memory_of(*e), MAX_BUFFER,
                       sums[next++], &place))
         return False;
      VG_(free)(memory_of(*e));
      in_memory -= MAX_BUFFER;
      *e = place + IN_FILE;
   }
   if (stream->used == 0)
      return True;
   if (!save_extent(kind, stream->n_saved, stream->buffer, stream->used,
                    spool_sum(stream->buffer, stream->used), &place))
      return False;
   free_saved_place(stream);
   stream->saved_place = place;
   return True;
}

/* Copy N bytes.  VG_(memcpy) copies byte by byte unless both begin at multiples
   of four. */
static void copy(UChar* to, const UChar* from, UInt n)
{
   for (; n >= 8; n -= 8, to += 8, from += 8) {
      ULong word;
      __builtin_memcpy(&word, from, 8);
      __builtin_memcpy(to, &word, 8);
   }
   for (UInt i = 0; i < n; i++)
      to[i] = from[i];
}

void DCFG_(append_to_stream)(Stream* stream, const void* data, UInt n)
{
   while (n > 0 && !stream->ended) {
      if (stream->used == stream->room)
         make_room(stream);
      if (stream->ended)
         return;
      UInt some = stream->room - stream->used < n
                  ? stream->room - stream->used : n;
      copy(stream->buffer + stream->used, data, some);
      data     = (const UChar*)data + some;
      stream->used += some;
      n       -= some;
   }
}

void DCFG_(drop_from_stream)(Stream* stream, ULong at)
{
   Word n = 0;

   for (; n < VG_(sizeXA)(stream->extents) && stream->begin + MAX_BUFFER <= at;
        n++) {
      free_extent(extent(stream, n));
      stream->begin += MAX_BUFFER;
   }
   while (n-- > 0)
      VG_(removeIndexXA)(stream->extents, 0);
}

void DCFG_(trim_stream)(Stream* stream)
{
   if (stream->used < stream->room) {
      stream->room   = stream->used;
      stream->buffer = VG_(realloc)("dcfg.stream.buffer", stream->buffer,
                                    stream->used == 0 ? 1 : stream->used);
   }
}

static Bool is_cut(Extent e)
{
   return (e & IN_FILE) && e - IN_FILE >= cut;
}

ULong DCFG_(stream_length)(const Stream* stream)
{
   if (cut == ~0ULL)
      return stream->in_extents + stream->used;
   for (Word i = 0; i < VG_(sizeXA)(stream->extents); i++)
      if (is_cut(extent(stream, i)))
         return stream->begin + i * MAX_BUFFER;
   return stream->in_extents + stream->used;
}

UInt DCFG_(read_stream)(const Stream* stream, ULong at, void* to, UInt n)
{
   UInt got = 0;

   while (got < n && at < stream->in_extents && is_usable(stream)) {
      Extent e    = extent(stream, (at - stream->begin) / MAX_BUFFER);
      UInt   from = (at - stream->begin) % MAX_BUFFER;
      UInt   some = MAX_BUFFER - from < n - got ? MAX_BUFFER - from : n - got;
      if (is_cut(e))
         return got;
      if (e & IN_FILE)
         some = read_extent(e - IN_FILE, from, (UChar*)to + got, some);
      else
         VG_(memcpy)((UChar*)to + got, memory_of(e) + from, some);
      got += some;
      at  += some;
   }
   if (got < n && at < DCFG_(stream_length)(stream) && is_usable(stream)) {
      UInt from = (UInt)(at - stream->in_extents);
      UInt some = stream->used - from < n - got ? stream->used - from : n - got;
      VG_(memcpy)((UChar*)to + got, stream->buffer + from, some);
      got += some;
   }
   return got;
}
