/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the text of Callgrind's format: reading it into functions and rows,
   and writing it.  Handed: a profile's path.

   The format's document is "Callgrind Format Specification" in Valgrind's
   manual.  A file may give positions relative to the last one, and may
   replace names by numbers.  The writer uses absolute positions and numbers
   names anew.

   Readers differ, and the writer suits all of them.  A number stands for one
   function in KCachegrind, and for a name elsewhere: each function has a number
   of its own.  speedscope skips jfi=, and gprof2dot ends at jfn=: the first
   defines no number, and the second is not written.  Without cfi=, the callee's
   file is that of the last fi= for Callgrind, but that of fl= for speedscope:
   the line is left out only if both are the callee's. */

#include "cmd/calls/callgrind_file.h"

#include "cmd/base/format.h"
#include "cmd/base/operands.h"


#define MOST_EVENTS 64

/* NumberedNames: the names of one sort that have numbers in the file. */
typedef
   struct {
      KeyMap*      keys;
      const char** names;       // by the number in .keys
      size_t       n, room;
   }
   NumberedNames;

typedef enum { OBJECTS, FILES, FUNCTIONS, N_SORTS } Sort;

struct ProfileReader {
   const char*   path;
   FILE*         in;
   char*         line;
   size_t        room;
   uint64_t      number;        // number of the line
   bool          again;         // the line is the next part's
   bool          told;          // the user was told of a line that is left out
   bool          needs_addresses;
   bool          addresses;     // positions have them
   Interned*     texts;
   NumberedNames names[N_SORTS];
   /* The present position in the file: */
   const char*   object;
   const char*   file;
   uint32_t      function;      // or NO_ROW
   uint64_t      addr, at_line;
};

/*--- Building                                             ---*/

uint32_t profile_function(ProfilePart* p, const char* object, const char* file,
                          const char* name)
{
   if (p->n_functions == NO_ROW)
      die("%s has too many functions", text_clean(p->path));
   GROW(p->functions, p->n_functions, p->function_room);
   p->functions[p->n_functions]
      = (ProfileFunction){ object, file, name, NO_ROW, NO_ROW };
   return (uint32_t)p->n_functions++;
}

const char* profile_key(const ProfilePart* p, const char* object,
                        const char* file, const char* name)
{
   return intern(p->texts, text_format("%s\n%s\n%s", name, file, object));
}

void profile_move(ProfilePart* p, uint32_t function, uint32_t i, ProfileRow row)
{
   ProfileFunction* f = &p->functions[function];

   row.next   = NO_ROW;
   p->rows[i] = row;
   if (f->first == NO_ROW)
      f->first = i;
   else
      p->rows[f->last].next = i;
   f->last = i;
}

void profile_add(ProfilePart* p, uint32_t function, ProfileRow row)
{
   if (p->n_rows == NO_ROW)
      die("%s has too many lines", text_clean(p->path));
   GROW(p->rows, p->n_rows, p->row_room);
   profile_move(p, function, (uint32_t)p->n_rows++, row);
}

size_t profile_costs(ProfilePart* p)
{
   size_t at = p->n_costs;

   for (uint32_t i = 0; i < p->n_events; i++) {
      GROW(p->costs, p->n_costs, p->cost_room);
      p->costs[p->n_costs++] = 0;
   }
   return at;
}

/*--- Reading                                              ---*/

static _Noreturn void broken(const ProfileReader* r, const char* what)
{
   die("%s, line %" PRIu64 ": %s", text_clean(r->path), r->number, what);
}

static bool next_line(ProfileReader* r)
{
   ssize_t n;

   if (r->again) {
      r->again = false;
      return true;
   }
   n = getline(&r->line, &r->room, r->in);
   if (n < 0)
      return false;
   r->number++;
   while (n > 0 && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r'))
      r->line[--n] = 0;
   return true;
}

/* Return the text of a name, without hidden characters. */
static const char* clean_name(ProfileReader* r, const char* text)
{
   const char* name = intern(r->texts, text_clean(text));

   text_forget();
   return name;
}

/* Return the name that "(3) name" defines, or that "(3)" refers to. */
static const char* read_name(ProfileReader* r, Sort sort, const char* text)
{
   NumberedNames* names = &r->names[sort];
   const char*    end;
   uint64_t       number;
   uint32_t       n;

   text += strspn(text, " \t");
   if (text[0] != '(' || !take_number(text + 1, 10, &number, &end)
       || *end != ')')
      return clean_name(r, text);
   end += 1 + strspn(end + 1, " \t");
   n = keymap_number(names->keys, number);
   if (n == names->n) {
      GROW(names->names, names->n, names->room);
      names->names[names->n++] = NULL;
   }
   if (*end != 0)
      names->names[n] = clean_name(r, end);
   if (names->names[n] == NULL)
      broken(r, "this number of a name was not told before");
   return names->names[n];
}

static uint64_t read_number(ProfileReader* r, const char** text)
{
   const char* at = *text + strspn(*text, " \t");
   uint64_t    n;

   if (!take_number(at, begins(at, "0x") ? 16 : 10, &n, text))
      broken(r, "a number is missing");
   return n;
}

/* Read a position, which may be relative to BASE, and move *TEXT behind it. */
static uint64_t read_position(ProfileReader* r, const char** text,
                              uint64_t base)
{
   const char* at = *text + strspn(*text, " \t");
   char        sign = at[0];

   *text = at + (sign == '+' || sign == '-' || sign == '*');
   if (sign == '*')
      return base;
   return sign == '+' ? base + read_number(r, text)
          : sign == '-' ? base - read_number(r, text)
          : read_number(r, text);
}

/* Read a position and, if COSTS, the row's costs: "+5 * 17".  Costs that are
   missing at the end of the line are 0. */
static void read_costs(ProfileReader* r, ProfilePart* p, ProfileRow* row,
                       const char* text, bool costs)
{
   if (r->addresses)
      r->addr = row->addr = read_position(r, &text, r->addr);
   r->at_line = row->line = read_position(r, &text, r->at_line);
   row->file  = r->file;
   if (!costs)
      return;
   row->costs = profile_costs(p);
   text += strspn(text, " \t");
   for (uint32_t i = 0; *text != 0; i++) {
      if (i == p->n_events)
         broken(r, "more costs than there are events");
      p->costs[row->costs + i] = read_number(r, &text);
      text += strspn(text, " \t");
   }
}

/* Read a call or a jump.  TEXT: the rest of its line, behind "calls=" or the
   like.  The line after it has the position and a call's costs. */
static void read_transfer(ProfileReader* r, ProfilePart* p, ProfileRow row,
                          const char* text)
{
   size_t      n;
   const char* at;

   text     += strspn(text, " \t");
   n         = strcspn(text, " \t");
   row.count = intern(r->texts, text_format("%.*s", (int)n, text));
   at        = text + n;
   if (r->addresses)
      row.to_addr = read_position(r, &at, r->addr);
   row.to_line = read_position(r, &at, r->at_line);
   if (!next_line(r))
      broken(r, "the file ends within a call or a jump");
   read_costs(r, p, &row, r->line, row.kind == ROW_CALL);
   if (r->function == NO_ROW)
      broken(r, "there is no function before it");
   profile_add(p, r->function, row);
   text_forget();
}

/* Read a line within a function.  TO collects the lines that describe the
   target of a call or jump until the call itself comes.  Return false if the
   line belongs to no function. */
static bool read_body(ProfileReader* r, ProfilePart* p, ProfileRow* to)
{
   static const struct { const char* prefix; Sort sort; } calls[] = {
      { "cob=", OBJECTS }, { "cfi=", FILES }, { "cfl=", FILES },
      { "cfn=", FUNCTIONS }, { "jfi=", FILES }, { "jfn=", FUNCTIONS }
   };
   const char* text = r->line + strspn(r->line, " \t");
   const char* rest;

   for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
      if ((rest = rest_behind(text, calls[i].prefix)) == NULL)
         continue;
      *(calls[i].sort == OBJECTS ? &to->object
        : calls[i].sort == FILES ? &to->to_file : &to->to)
         = read_name(r, calls[i].sort, rest);
      return true;
   }
   if ((rest = rest_behind(text, "ob=")) != NULL) {
      r->object = read_name(r, OBJECTS, rest);
   } else if ((rest = rest_behind(text, "fl=")) != NULL
              || (rest = rest_behind(text, "fi=")) != NULL
              || (rest = rest_behind(text, "fe=")) != NULL) {
      r->file = read_name(r, FILES, rest);
   } else if ((rest = rest_behind(text, "fn=")) != NULL) {
      r->function = profile_function(p, r->object, r->file,
                                     read_name(r, FUNCTIONS, rest));
   } else if ((rest = rest_behind(text, "calls=")) != NULL
              || (rest = rest_behind(text, "jump=")) != NULL
              || (rest = rest_behind(text, "jcnd=")) != NULL) {
      to->kind = text[0] == 'c' ? ROW_CALL : ROW_JUMP;
      if (to->object == NULL)
         to->object = r->object;
      if (to->to_file == NULL)
         to->to_file = r->file;
      if (to->kind == ROW_CALL && to->to == NULL)
         broken(r, "no cfn= says what is called");
      read_transfer(r, p, *to, rest);
      *to = (ProfileRow){ 0 };
   } else if (text[0] != 0 && strchr("+-*0123456789", text[0]) != NULL) {
      ProfileRow row = { .kind = ROW_COST };
      if (r->function == NO_ROW)
         broken(r, "costs stand before the first function");
      read_costs(r, p, &row, text, true);
      profile_add(p, r->function, row);
   } else {
      return text[0] == 0 || text[0] == '#';
   }
   return true;
}

static void read_events(ProfileReader* r, ProfilePart* p, const char* text)
{
   p->instrs   = UINT32_MAX;
   p->n_events = 0;
   for (text += strspn(text, " \t"); *text != 0; text += strspn(text, " \t")) {
      size_t n = strcspn(text, " \t");
      if (n == 2 && memcmp(text, "Ir", 2) == 0)
         p->instrs = p->n_events;
      if (p->n_events++ == MOST_EVENTS)
         broken(r, "too many events");
      text += n;
   }
   if (p->instrs == UINT32_MAX)
      p->instrs = p->n_events;
}

static void append(char** to, const char* line)
{
   size_t n = *to == NULL ? 0 : strlen(*to), m = strlen(line);

   *to = need(realloc(*to, n + m + 2));
   memcpy(*to + n, line, m);
   memcpy(*to + n + m, "\n", 2);
}

ProfileReader* profile_open(const char* path, bool addresses)
{
   ProfileReader* r = zalloc(1, sizeof(*r));

   r->needs_addresses = addresses;
   r->path  = path;
   r->in    = open_text(path, KIND_PROFILE);
   r->texts = interned_new();
   r->object = r->file = intern(r->texts, "???");
   for (int i = 0; i < N_SORTS; i++)
      r->names[i].keys = keymap_new();
   return r;
}

void profile_close(ProfileReader* r)
{
   fclose(r->in);
   free(r->line);
   interned_free(r->texts);
   for (int i = 0; i < N_SORTS; i++) {
      keymap_free(r->names[i].keys);
      free(r->names[i].names);
   }
   free(r);
}

/* Return whether the line has the form of a header, "totals: 17". */
static bool is_header(const char* line)
{
   size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz");

   return n > 0 && line[n] == ':';
}

/* Leave out a line that is not of the format; a name with a newline causes such
   lines.  Tell the user of the first one.  Return true. */
static bool leave_out(ProfileReader* r)
{
   if (!r->told)
      complain("%s, line %" PRIu64 ": this is not of Callgrind's format; such "
               "lines are left out", text_clean(r->path), r->number);
   r->told = true;
   return true;
}

/* Read the lines before the first function.  Return false at the end of the
   file. */
static bool read_head(ProfileReader* r, ProfilePart* p)
{
   const char* rest;

   r->addresses = false;
   while (next_line(r)) {
      const char* text = r->line + strspn(r->line, " \t");
      if ((rest = rest_behind(text, "positions:")) != NULL)
         r->addresses = strstr(rest, "instr") != NULL
                        && strstr(rest, "line") != NULL;
      else if ((rest = rest_behind(text, "events:")) != NULL)
         read_events(r, p, rest);
      if (begins(text, "ob=") || begins(text, "fl=") || begins(text, "fn=")) {
         r->again = true;
         if (r->needs_addresses && !r->addresses)
            die("%s has no addresses of instructions: record it with "
                "--dump-instr=yes", text_clean(r->path));
         if (p->n_events == 0)
            broken(r, "there is no line events: before it");
         return true;
      }
      append(&p->head, text_clean(r->line));
      text_forget();
   }
   return p->head != NULL;
}

ProfilePart* profile_next(ProfileReader* r)
{
   ProfilePart*   p = zalloc(1, sizeof(*p));
   ProfileRow to = { 0 };

   p->path     = r->path;
   p->texts    = r->texts;
   r->function = NO_ROW;
   r->addr     = r->at_line = 0;
   if (!read_head(r, p)) {
      profile_free(p);
      return NULL;
   }
   while (next_line(r)) {
      if (p->tail == NULL
          && (read_body(r, p, &to) || (!is_header(r->line) && leave_out(r))))
         continue;
      /* The tail of a part ends before the next "part:". */
      if (p->tail != NULL && strncmp(r->line, "part:", 5) == 0) {
         r->again = true;
         break;
      }
      append(&p->tail, text_clean(r->line));
      text_forget();
   }
   if (p->n_events == 0)
      die("%s is not a Callgrind profile: it has no line events:",
          text_clean(r->path));
   if (p->n_functions > 0 && p->tail == NULL)
      complain("%s is cut short: its last line, totals:, is missing",
               text_clean(r->path));
   return p;
}

void profile_free(ProfilePart* p)
{
   FREE_ALL(p->head, p->tail, p->functions, p->rows, p->costs, p);
}

/*--- Writing                                              ---*/

typedef
   struct {
      const ProfilePart* p;
      FILE*          out;
      bool           lines;     // positions are lines alone
      KeyMap*        numbers[N_SORTS];
      const char*    object;
      const char*    file;
   }
   ProfileWriter;

/* Write NAME, which KEY identifies, with its number; NAME only the first
   time. */
static void put_numbered(ProfileWriter* w, const char* what, Sort sort,
                         const char* key, const char* name)
{
   uint32_t known = keymap_size(w->numbers[sort]);
   uint32_t n = keymap_number(w->numbers[sort], (uintptr_t)key);

   fprintf(w->out, "%s=(%" PRIu32 ")%s%s\n", what, n + 1, n < known ? "" : " ",
           n < known ? "" : name);
}

static void put_name(ProfileWriter* w, const char* what, Sort sort,
                     const char* name)
{
   put_numbered(w, what, sort, name, name);
}

/* Write the file that a jump leads to; define no number. */
static void put_jump_file(ProfileWriter* w, const char* name)
{
   uint32_t n = keymap_find(w->numbers[FILES], (uintptr_t)name);

   if (n == UINT32_MAX)
      fprintf(w->out, "jfi=%s\n", name);
   else
      fprintf(w->out, "jfi=(%" PRIu32 ")\n", n + 1);
}

static void put_function(ProfileWriter* w, const char* what, const char* object,
                         const char* file, const char* name)
{
   put_numbered(w, what, FUNCTIONS, profile_key(w->p, object, file, name),
                name);
   text_forget();
}

static void put_position(const ProfileWriter* w, uint64_t addr, uint64_t line)
{
   if (!w->lines)
      fprintf(w->out, "0x%" PRIx64 " ", addr);
   fprintf(w->out, "%" PRIu64, line);
}

static void put_costs(const ProfileWriter* w, const ProfileRow* row)
{
   put_position(w, row->addr, row->line);
   for (uint32_t i = 0; row->kind != ROW_JUMP && i < w->p->n_events; i++)
      fprintf(w->out, " %" PRIu64, w->p->costs[row->costs + i]);
   fputc('\n', w->out);
}

static void put_row(ProfileWriter* w, const ProfileFunction* f,
                    const ProfileRow* row)
{
   if (row->file != w->file) {
      put_name(w, row->file == f->file ? "fe" : "fi", FILES, row->file);
      w->file = row->file;
   }
   if (row->kind == ROW_CALL) {
      if (row->object != f->object)
         put_name(w, "cob", OBJECTS, row->object);
      if (row->to_file != row->file || row->file != f->file)
         put_name(w, "cfi", FILES, row->to_file);
      put_function(w, "cfn", row->object, row->to_file, row->to);
      fputs("calls=", w->out);
   } else if (row->kind == ROW_JUMP) {
      if (row->to_file != row->file)
         put_jump_file(w, row->to_file);
      fputs(strchr(row->count, '/') != NULL ? "jcnd=" : "jump=", w->out);
   }
   if (row->kind != ROW_COST) {
      fprintf(w->out, "%s ", row->count);
      put_position(w, row->to_addr, row->to_line);
      fputc('\n', w->out);
   }
   put_costs(w, row);
}

/* Write the lines before the first function. */
static void put_head(const ProfileWriter* w)
{
   const char* at = w->lines ? strstr(w->p->head, "positions:") : NULL;

   if (at == NULL)
      fputs(w->p->head, w->out);
   else
      fprintf(w->out, "%.*spositions: line%s", (int)(at - w->p->head),
              w->p->head, at + strcspn(at, "\n"));
}

void profile_write(const ProfilePart* p, FILE* out, bool lines)
{
   ProfileWriter w = { .p = p, .out = out, .lines = lines };

   for (int i = 0; i < N_SORTS; i++)
      w.numbers[i] = keymap_new();
   put_head(&w);
   for (size_t i = 0; i < p->n_functions; i++) {
      const ProfileFunction* f = &p->functions[i];
      if (f->first == NO_ROW)
         continue;
      if (f->object != w.object)
         put_name(&w, "ob", OBJECTS, f->object);
      put_name(&w, "fl", FILES, f->file);
      put_function(&w, "fn", f->object, f->file, f->name);
      w.object = f->object;
      w.file   = f->file;
      for (uint32_t k = f->first; k != NO_ROW; k = p->rows[k].next)
         if (!lines || p->rows[k].kind != ROW_JUMP)
            put_row(&w, f, &p->rows[k]);
      fputc('\n', out);
   }
   if (p->tail != NULL)
      fputs(p->tail, out);
   for (int i = 0; i < N_SORTS; i++)
      keymap_free(w.numbers[i]);
}
