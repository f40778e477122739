/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the look of numbers and names, and how names are shortened where several
   stand below each other.  Handed: numbers, strings, a column's names.

   Names are demangled by libiberty.  It knows C++ and both of Rust's schemes,
   needs no C++ library, and is used by GDB and the binutils. */

#include "cmd/base/format.h"

#include "cmd/base/terminal.h"
#include "format/put.h"
#include "cmd/base/cmd.h"

#include <libiberty/demangle.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

/* --- Strings that are freed together                      --- */

static char** kept;
static size_t n_kept, kept_room;

static char* keep(char* s)
{
   GROW(kept, n_kept, kept_room);
   kept[n_kept++] = need(s);
   return s;
}

void text_forget(void)
{
   while (n_kept > 0)
      free(kept[--n_kept]);
}

char* text_format(const char* format, ...)
{
   va_list args;
   char*   s;
   int     n;

   va_start(args, format);
   n = vsnprintf(NULL, 0, format, args);
   va_end(args);
   if (n < 0)
      die("text that cannot be printed");
   s = need(malloc((size_t)n + 1));
   va_start(args, format);
   vsnprintf(s, (size_t)n + 1, format, args);
   va_end(args);
   return keep(s);
}

/*--- Numbers                                              ---*/

const char* text_count(uint64_t n)
{
   char  digits[32];
   int   len = (int)(put_decimal(digits, n) - digits);
   char* s = keep(need(malloc(48)));
   char* to = s;

   for (int i = 0; i < len; i++) {
      if (i > 0 && (len - i) % 3 == 0)
         *to++ = ',';
      *to++ = digits[i];
   }
   *to = 0;
   return s;
}

const char* text_share(uint64_t part, uint64_t whole)
{
   double share;

   if (whole == 0)
      return "";
   share = 100.0 * (double)part / (double)whole;
   return share < 0.05 ? part == 0 ? "0" : "<0.1%"
          : text_format("%.1f%%", share);
}

const char* text_change(uint64_t before, uint64_t after)
{
   double a = (double)before, b = (double)after;
   double percent = 100 * (b - a) / a;

   if (fabs(percent) >= 1000)
      return text_format("x%.0f", b / a);
   return text_format("%+.*f%%", fabs(percent) < 9.95 ? 1 : 0, percent);
}

const char* text_rounded(uint64_t n)
{
   static const char unit[] = "kMGTPE";
   double            x = (double)n;
   int               i = -1;

   if (n < 10000)
      return text_count(n);
   while (x >= 999.5 && i < 5) {
      x /= 1000;
      i++;
   }
   return text_format(x < 99.95 ? "%.1f%c" : "%.0f%c", x, unit[i]);
}

/*--- Strings                                              ---*/

static bool is_continuation(char c)
{
   return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_width(const char* s)
{
   size_t n = 0;

   for (; *s != 0; s++)
      n += !is_continuation(*s);
   return n;
}

/* Return the begin of column N in S. */
static const char* at_column(const char* s, size_t n)
{
   for (; *s != 0; s++)
      if (!is_continuation(*s) && n-- == 0)
         break;
   return s;
}

/* Return S in WIDTH columns: its begin, MARK, and its last TAIL columns. */
static const char* without_middle(const char* s, size_t width, size_t tail,
                                  const char* mark)
{
   size_t begin = width - text_width(mark) - tail;

   return text_format("%.*s%s%s", (int)(at_column(s, begin) - s), s, mark,
                      at_column(s, text_width(s) - tail));
}

/* Return the end of the name that begins with "operator" at S.  Its sign may be or
   have a bracket; template arguments can follow: "operator==<int>". */
static const char* behind_operator(const char* s)
{
   static const char* const signs[] = { "()", "[]", "<=>", "<<=", ">>=", "->*",
                                        "<<", ">>", "<=", ">=", "==", "!=",
                                        "->", "<", ">" };

   s += 8;
   for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
      if (begins(s, signs[i]))
         return s + strlen(signs[i]);
   return s;
}

/* '<' and '>' may be signs inside round brackets.  Square ones are Go's. */
const char* text_behind_bracket(const char* s)
{
   char close = *s == '<' ? '>' : *s == '(' ? ')' : *s == '[' ? ']' : '}';

   for (s++; *s != 0 && *s != close; )
      if (begins(s, "operator"))
         s = behind_operator(s);
      else if (*s == '(' || *s == '{' || (*s == '<' && close != ')'))
         s = text_behind_bracket(s);
      else
         s += begins(s, "->") ? 2 : 1;
   return *s != 0 ? s + 1 : s;
}

const char* text_fit(const char* s, size_t width)
{
   return text_width(s) <= width ? s
          : without_middle(s, width, (width - 1) / 2, "\u2026");
}

const char* text_cut(const char* s, size_t width)
{
   return text_width(s) <= width ? s
          : text_format("%.*s\u2026", (int)(at_column(s, width - 1) - s), s);
}

const char* text_clean(const char* s)
{
   char* copy = need(strdup(s));

   DCFG_(make_plain)(copy, strlen(copy), false);
   if (strcmp(copy, s) != 0)
      return keep(copy);
   free(copy);
   return s;
}

const char* text_frame(const char* s)
{
   char* copy;

   if (strchr(s, ';') == NULL)
      return s;
   copy = keep(need(strdup(s)));
   for (char* c = copy; (c = strchr(c, ';')) != NULL; )
      *c = ':';
   return copy;
}

const char* text_clean_line(const char* line, size_t length)
{
   char* copy = keep(need(malloc(length + 1)));

   memcpy(copy, line, length);
   copy[length] = 0;
   DCFG_(make_plain)(copy, length, true);
   return copy;
}

/* Limits of a demangled name.  A symbol of some hundred characters can stand
   for a name that fills the memory, because parts can be repeated by reference.
   So the name is collected piece by piece, and given up if it gets too long. */
#define MAX_PLAIN  65536
#define MAX_GROWTH 64

typedef
   struct {
      size_t  n, max;
      jmp_buf enough;
      char    text[MAX_PLAIN];
   }
   Plain;

static void add_plain(const char* s, size_t n, void* arg)
{
   Plain* p = arg;

   if (n > p->max - p->n)
      longjmp(p->enough, 1);
   memcpy(p->text + p->n, s, n);
   p->n += n;
}

/* Demangle SYMBOL.  Return False if it is not mangled, or its name is too
   long. */
static bool demangle(Plain* p, const char* symbol)
{
   p->n = 0;
   if (setjmp(p->enough) != 0)
      return false;
   if (rust_demangle_callback(symbol, DMGL_PARAMS, add_plain, p))
      return true;
   p->n = 0;
   return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI,
                                     add_plain, p) != 0;
}

const char* text_demangle(const char* symbol)
{
   Plain  p;
   size_t len = strlen(symbol);

   p.max = len < MAX_PLAIN / MAX_GROWTH ? len * MAX_GROWTH : MAX_PLAIN;
   /* The demangler does not know versions of symbols (name@VERSION). */
   return symbol[0] == '_' && len < 10000 && demangle(&p, symbol)
          ? text_format("%.*s", (int)p.n, p.text) : symbol;
}

#define ANONYMOUS "(anonymous namespace)"

/* Return the rest of S behind the qualifiers of a member function, such as
   " const &"; S itself if it begins with none. */
static const char* behind_qualifiers(const char* s)
{
   static const char* const all[] = { " const", " volatile", " &&", " &" };
   const char*              before;

   do {
      before = s;
      for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && before == s; i++)
         if (begins(s, all[i]))
            s += strlen(all[i]);
   } while (s != before);
   return s;
}

/* Return whether S can follow a function's parameters.  Things that are local
   to a function follow them, too: "f(int) const::local". */
static bool ends_name(const char* s)
{
   s = behind_qualifiers(s);
   return *s == 0 || *s == '@' || *s == '+' || *s == '.' || begins(s, " [");
}

/* Return the rest of S behind round brackets, and behind the qualifiers of the
   function whose local name comes next: "(int) const::". */
static const char* behind_parameters(const char* s)
{
   const char* end = text_behind_bracket(s);
   const char* local = behind_qualifiers(end);

   return *s == '(' && begins(local, "::") ? local : end;
}

/* Return whether '(' at S, in a name that begins at NAME, opens the receiver of
   a method of Go: "main.(*Cat).Run". */
static bool is_receiver(const char* s, const char* name)
{
   return s > name && s[-1] == '.' && text_behind_bracket(s)[0] == '.';
}

/* Return the parameters of the function S, as "(int) const"; NULL if it has none.
   Set *NAME to the begin of its name, behind the return type of a template. */
static const char* find_parameters(const char* s, const char** name)
{
   bool is_operator = false;

   *name = s;
   /* Rust's names may begin with '<': <T as Trait>::method. */
   for (const char* c = s; *c != 0 && *s != '<'; ) {
      if (begins(c, "operator")) {
         is_operator = true;
         c = behind_operator(c);
      } else if (begins(c, ANONYMOUS)) {
         c += strlen(ANONYMOUS);
      } else if (*c == '(' && c > *name && !is_receiver(c, *name)
                 && ends_name(text_behind_bracket(c))) {
         return c;
      } else if (strchr("<({[", *c) != NULL) {
         c = behind_parameters(c);
      } else if (*c == ' ' && !is_operator) {
         /* as in "vtable for", "virtual thunk to" */
         if (begins(c, " for ") || begins(c, " to "))
            is_operator = true;
         *name = is_operator ? s : c + 1;
         c++;
      } else {
         c++;
      }
   }
   return NULL;
}

/* Return the function that NAME, "(*find<int>(int))", is the declarator of: it
   returns a pointer or reference to a function or an array.  Return NULL if it is
   none. */
static const char* inside_declarator(const char* name)
{
   const char* c = name + 1;
   const char* end;

   if (*name != '(' || begins(name, ANONYMOUS))
      return NULL;
   while (*c != 0 && strchr("*&)", *c) == NULL)
      c = strchr("<({[", *c) != NULL ? text_behind_bracket(c) : c + 1;
   end = text_behind_bracket(name);
   c  += strspn(c, "*&");
   return c[-1] == '*' || c[-1] == '&'
          ? text_format("%.*s", (int)(end - 1 - c), c) : NULL;
}

const char* text_brief(const char* s)
{
   const char* name;
   const char* parameters = find_parameters(s, &name);
   const char* inside = parameters == NULL || name == s ? NULL
                        : inside_declarator(name);

   return inside != NULL ? text_brief(inside)
          : parameters == NULL ? s
          : text_format("%.*s%s", (int)(parameters - name), name,
                        text_behind_bracket(parameters));
}

/*--- Shortening names                                     ---*/

/* Return the begin of the last component of the name S, with the "::" or, in
   Go, the "." before it: "::run" of "Cat::run".  S if it has one component. */
static const char* last_component(const char* s)
{
   const char* last = s;

   for (const char* c = s; *c != 0; )
      if (begins(c, "operator")) {
         c = behind_operator(c);
         /* A conversion's type is a part of its name. */
         if (*c == ' ' && !begins(c, " const"))
            break;
      } else if (strchr("<({[", *c) != NULL) {
         c = text_behind_bracket(c);
         last = begins(c, ".") ? c : last;
      } else {
         /* "::<" begins Rust's arguments. */
         last = begins(c, "::") && c[2] != '<' ? c : last;
         c += begins(c, "::") ? 2 : 1;
      }
   return last;
}

/* Return the end of the component that begins at C, without its template
   arguments: the parameters of the name stand at PARAMETERS, or it has none. */
static const char* behind_component(const char* c, const char* parameters)
{
   c += begins(c, "::") ? 2 : begins(c, ".") ? 1 : 0;
   if (*c == '(' || *c == '{')
      c = text_behind_bracket(c);
   while (*c != 0 && c != parameters && !begins(c, "::")
          && strchr("<([ @", *c) == NULL)
      c = begins(c, "operator") ? behind_operator(c)
          : *c == '{' ? text_behind_bracket(c) : c + 1;
   return c;
}

/* The fewest columns of a short name's begin, and of its arguments "<..>". */
#define LEAST_BEGIN 4
#define LEAST_TAIL  4

/* Return in WIDTH columns the name whose last component begins at LAST and ends
   at TAIL, where template arguments and parameters begin.  These get at most half
   of the room, and the begin gets the rest.  MARK stands for what is left out. */
static const char* shorten_parts(const char* name, const char* last,
                                 const char* tail, size_t width,
                                 const char* mark)
{
   size_t      wide = text_width(mark);
   const char* begin = text_format("%.*s", (int)(last - name), name);
   const char* own = text_format("%.*s", (int)(tail - last), last);
   size_t      room = width - text_width(own);
   size_t      head = text_width(begin), end = text_width(tail);
   size_t      for_end = room < LEAST_TAIL + 2 ? 0
                         : room / 2 < LEAST_TAIL ? LEAST_TAIL : room / 2;
   size_t      for_head;

   for_end  = for_end > end ? end : for_end;
   for_head = room - for_end > head ? head : room - for_end;
   for_end  = room - for_head;
   if (for_head < head)
      begin = text_format("%.*s%s", (int)(at_column(begin, for_head - wide)
                                          - begin), begin, mark);
   if (for_end < LEAST_TAIL && for_end < end)
      tail = for_end < wide ? "" : mark;
   else if (for_end < end)
      tail = without_middle(tail, for_end, (for_end - wide) / 3, mark);
   return text_format("%s%s%s", begin, own, tail);
}

static const char* shorten_name(const char* s, size_t width, const char* mark)
{
   size_t      keep = width < 8 ? 0 : (width - 2) / 3, own, end;
   const char* name;
   const char* parameters;
   const char* last;
   const char* tail;
   const char* offset;

   if (text_width(s) <= width || width < 8)
      return s;
   parameters = find_parameters(s, &name);
   if (parameters == NULL)
      name = s;
   else if (inside_declarator(name) != NULL)
      return shorten_name(inside_declarator(name), width, mark);
   if (text_width(name) <= width)
      return text_format("%s", name);
   last = last_component(name);
   tail = behind_component(last, parameters);
   own  = text_width(last) - text_width(tail);
   end  = text_width(tail);
   if (last == name && (offset = strstr(name, "+0x")) != NULL)
      keep = text_width(offset) <= keep
             || text_width(offset) + LEAST_BEGIN + 2 > width
             ? keep : text_width(offset);
   else if (last != name && own + 2 > width)
      return own + end <= width ? text_format("%s", last)
             : without_middle(last, width, keep, mark);
   else if (last != name && own + end + 2 + LEAST_BEGIN <= width)
      keep = own + end > keep ? own + end : keep;
   else if ((last != name || parameters != NULL || *tail == '<')
            && own + 2 <= width)
      return shorten_parts(name, last, tail, width, mark);
   return without_middle(name, width, keep, mark);
}

/* Return the suffix of S that tells two functions of one name apart, as
   " [h81d3f0a2]" or " [clone .cold]"; the end of S if it has none. */
static const char* suffix_of(const char* s)
{
   const char* end = s + strlen(s);
   const char* at = end > s && end[-1] == ']' ? strrchr(s, '[') : NULL;

   return at != NULL && at > s && at[-1] == ' ' ? at - 1 : end;
}

const char* text_shorten(const char* s, size_t width)
{
   const char* suffix = suffix_of(s);
   size_t      shown = text_width(suffix);

   if (shown == 0 || shown + 8 > width || text_width(s) <= width)
      return shorten_name(s, width, "..");
   s = text_format("%.*s", (int)(suffix - s), s);
   return text_format("%s%s", shorten_name(s, width - shown, ".."),
                      suffix);
}

const char* text_base(const char* path)
{
   const char* slash = strrchr(path, '/');

   return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

uint64_t text_hash(const char* s, size_t n)
{
   uint64_t hash = UINT64_C(0xcbf29ce484222325);

   for (size_t i = 0; i < n; i++)
      hash = (hash ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
   return hash;
}

bool text_is_plain_path(const char* path)
{
   return strstr(path, "/.") == NULL && strstr(path, "//") == NULL;
}

void text_make_plain_path(char* to, const char* path)
{
   size_t n = 0;

   for (const char* c = path; *c != 0; ) {
      size_t k = strcspn(c + 1, "/") + 1;
      size_t last = n > 0 ? n - 1 : 0;
      if (c[0] == '/' && (k == 1 || (k == 2 && c[1] == '.'))) {
         c += k;
         continue;
      }
      while (last > 0 && to[last] != '/')
         last--;
      if (k == 3 && memcmp(c, "/..", 3) == 0 && n > 0 && to[last] == '/'
          && strncmp(to + last, "/..", n - last) != 0) {
         n = last;
      } else {
         memmove(to + n, c, k);
         n += k;
      }
      c += k;
   }
   to[n] = 0;
}

bool text_ends_path(const char* path, const char* end, size_t n)
{
   size_t k = path == NULL ? 0 : strlen(path);

   return k >= n && n > 0 && memcmp(path + k - n, end, n) == 0
          && (k == n || end[0] == '/' || path[k - n - 1] == '/');
}

const char* text_plain_path(const char* path)
{
   char* to;

   if (text_is_plain_path(path))
      return path;
   to = text_format("%s", path);
   text_make_plain_path(to, path);
   return to;
}

/*--- Short names that stay different                      ---*/

/* Two names can have one short form: overloaded functions of C++, which differ
   in parameters; methods of two types, whose middle is left out.  Such names get
   longer forms, until they differ. */

/* Entry: a name in the order of its short form. */
typedef
   struct {
      const char* shown;
      const char* text;
      const char* hash;         // not NULL
      size_t      index;
   }
   Entry;

COMPARE(by_text, Entry, strcmp(x->text, y->text) ?: strcmp(x->hash, y->hash)
        ?: UP(index))
COMPARE(by_shown, Entry, strcmp(x->shown, y->shown) ?: by_text(a, b))

/* The letters of a hash that are shown, with the "h": eight of sixteen. */
#define SHOWN_HASH 9
#define HASH "17h"

const char* rust_hash(const char* symbol)
{
   size_t      n = strlen(symbol);
   const char* hash = n < 21 ? NULL : symbol + n - 20;

   /* Suffixes, such as ".llvm.123", stand behind it. */
   if (strncmp(symbol, "_ZN", 3) != 0)
      return NULL;
   if (hash == NULL || strncmp(hash, HASH, 3) != 0 || symbol[n - 1] != 'E') {
      hash = strstr(symbol, "E.");
      hash = hash == NULL || hash - symbol < 20 ? NULL : hash - 19;
   }
   return hash == NULL || strncmp(hash, HASH, 3) != 0
          || strspn(hash + 3, "0123456789abcdef") != 16
          ? NULL : text_format("%.*s", SHOWN_HASH, hash + 2);
}

/* Append hashes to names that differ in nothing else. */
static void add_hashes(Entry* e, size_t n)
{
   qsort(e, n, sizeof(*e), by_text);
   for (size_t i = 0, end; i < n; i = end) {
      const char* text = e[i].text;
      for (end = i; end < n && strcmp(e[end].text, text) == 0; end++)
         ;
      if (strcmp(e[i].hash, e[end - 1].hash) == 0)
         continue;
      for (size_t k = i; k < end; k++)
         if (e[k].hash[0] != 0)
            e[k].text = text_format("%s [%s]", e[k].text, e[k].hash);
   }
}

/* Call LENGTHEN for the entries whose .shown is equal although their names
   differ.  Return whether there are any. */
static bool each_equal(Entry* e, size_t n,
                       void (*lengthen)(Entry* e, size_t n, size_t width),
                       size_t width)
{
   bool any = false;

   qsort(e, n, sizeof(*e), by_shown);
   for (size_t i = 0, end; i < n; i = end) {
      const char* shown = e[i].shown;
      for (end = i; end < n && strcmp(e[end].shown, shown) == 0; end++)
         ;
      if (strcmp(e[i].text, e[end - 1].text) == 0)
         continue;
      any = true;
      lengthen(e + i, end - i, width);
   }
   return any;
}

static void widen(Entry* e, size_t n, size_t width)
{
   for (size_t i = 0; i < n; i++)
      e[i].shown = width == 0 ? e[i].text : text_shorten(e[i].text, width);
}

static const char** shown_of(Entry* e, size_t n)
{
   const char** shown = zalloc(n, sizeof(*shown));

   for (size_t i = 0; i < n; i++)
      shown[e[i].index] = e[i].shown;
   free(e);
   return shown;
}

const char** short_names(const LongName* names, size_t n, size_t width)
{
   Entry* e = zalloc(n, sizeof(*e));

   for (size_t i = 0; i < n; i++)
      e[i] = (Entry){ .text = names[i].text, .index = i,
                      .hash = names[i].hash != NULL ? names[i].hash : "" };
   if (n > 0)
      add_hashes(e, n);
   for (size_t i = 0; i < n; i++) {
      const char* brief = text_brief(e[i].text);
      e[i].shown = width == 0 ? brief : text_shorten(brief, width);
   }
   /* The whole names differ, so this ends. */
   for (size_t more = width; n > 0 && each_equal(e, n, widen, more)
                             && more > 0 && more < SIZE_MAX / 2; )
      more = more + more / 4;
   return shown_of(e, n);
}

/* Show the begin of each name, and where it begins to differ from its
   neighbours.  The entries are sorted. */
static void show_difference(Entry* e, size_t n, size_t width)
{
   const size_t head = width / 4;

   for (size_t i = 0; i < n; i++) {
      const char* s = e[i].text;
      size_t      at = 0;
      for (int side = -1; side <= 1; side += 2) {
         const char* other = i == 0 && side < 0 ? NULL : i + 1 == n && side > 0
                             ? NULL : e[i + (size_t)side].text;
         size_t k = 0;
         while (other != NULL && s[k] != 0 && s[k] == other[k])
            k++;
         at = k > at ? k : at;
      }
      while (at > 0 && is_continuation(s[at]))
         at--;
      if (at > head + 2)
         e[i].shown = text_cut(text_format("%s%s", text_cut(s, head), s + at),
                               width);
      else
         e[i].shown = text_cut(s, width);
   }
}

const char** fitted_names(const char* const* names, size_t n, size_t width)
{
   Entry* e = zalloc(n, sizeof(*e));

   for (size_t i = 0; i < n; i++)
      e[i] = (Entry){ .shown = width < 8 ? text_fit(names[i], width)
                               : shorten_name(names[i], width, "\u2026"),
                      .text = names[i], .hash = "", .index = i };
   if (n > 0)
      each_equal(e, n, show_difference, width);
   return shown_of(e, n);
}
