# Sources that are compiled together: a few large files take less time than many small ones with the same headers.
#
#   awk -v n=NUMBER -v out=PREFIX -f unite.awk FILE.c... FILE.h...
#
# Writes PREFIX1.c to PREFIXn.c, which include all sources; one that is right already is left alone.  Two sources are in one
# of these, a unit, if neither defines a name that the other one, or a header of that, has: a static function or variable, a
# constant, a macro, a type.

# own NAME: the present file defines it.
function own(name) {
   if (name ~ /^[A-Za-z_][A-Za-z_0-9]*$/ &&
       name !~ /^(struct|union|enum|typedef|extern|static|const|void|bool|Bool|return|DCFG_|_Static_assert)$/)
      names[file] = names[file] " " name
}

# first_word TEXT: the word that the text begins with.
function first_word(text) {
   sub(/[^A-Za-z_0-9].*/, "", text)
   return text
}

# last_word TEXT: the word before the text's first bracket, '=' or ';'.
function last_word(text) {
   sub(/[^A-Za-z_0-9 *].*/, "", text)
   sub(/ +$/, "", text)
   sub(/.*[ *]/, "", text)
   return text
}

# add_headers NAME: adds to seen the headers that the file NAME includes, and those that these include.
function add_headers(name,   list, i, k) {
   k = split(headers[name], list, " ")
   for (i = 1; i <= k; i++) if (!(list[i] in seen)) { seen[list[i]] = 1; add_headers(list[i]) }
}

# fits UNIT: succeeds if the source can be included there.
function fits(unit,   k) {
   for (k = 1; k <= n_own; k++) if ((unit, own_names[k]) in taken || (unit, own_names[k]) in shared) return 0
   for (k = 1; k <= n_others; k++)
      if ((unit, others[k]) in taken || (unit, others[k]) in shared && shared[unit, others[k]] != header[k]) return 0
   return 1
}

# place FILE: chooses its unit.
function place(file,   list, unit, best, k, h) {
   n_own = split(names[base[file]], own_names, " ")
   n_others = 0
   split("", seen)
   add_headers(base[file])
   for (h in seen) for (k = split(names[h], list, " "); k > 0; k--) {
      others[++n_others] = list[k]
      header[n_others] = h
   }
   for (unit = 1; unit <= n; unit++)
      if ((!best || size[best] > limit && size[unit] < size[best]) && fits(unit)) best = unit
   if (!best) {
      print "unite.awk: " file " fits in none of " n " files with others: list one more in Makefile.am" >"/dev/stderr"
      exit 1
   }
   for (k = 1; k <= n_own; k++) taken[best, own_names[k]] = 1
   for (k = 1; k <= n_others; k++) shared[best, others[k]] = header[k]
   size[best] += lines[base[file]]
   text_of[best] = text_of[best] "#include \"" file "\"\n"
}

# No two files have one name.
FNR == 1 { file = FILENAME; sub(/.*\//, "", file); base[FILENAME] = file; files[++n_files] = FILENAME; in_enum = 0 }
{ lines[file]++ }
/^#include "/ { split($2, words, "\""); name = words[2]; sub(/.*\//, "", name); headers[file] = headers[file] " " name; next }
# A macro that is for libc's headers comes before all of these.
/^#define _[A-Z]*_SOURCE/ { first[file] = 1; next }
/^ *# *define / { sub(/.*define +/, ""); own(first_word($0)); next }
/^typedef struct [A-Za-z_]+ +[A-Za-z_]+;$/ { next }
# A type after its braces, what a macro defines, and variables.
/^   [A-Za-z_0-9]+;$/ { own(substr($0, 4, length($0) - 4)) }
/^[A-Z_]+[(]/ { own(first_word(substr($0, index($0, "(") + 1))) }
/^static [^(]*,.*;$/ { for (k = split($0, words, ","); k > 0; k--) own(last_word(words[k] ";")) }
/^(static|typedef) / || (/^[A-Za-z]/ && file ~ /h$/) { own(last_word($0)) }
/^(typedef )?(struct|union|enum) +[A-Za-z_]+/ { name = $0; sub(/^(typedef )?[a-z]+ +/, "", name); own(first_word(name)) }
/^} *[A-Za-z_]/ { name = $0; sub(/^} */, "", name); own(last_word(name)) }
/^ *(typedef |static const )?enum/ { in_enum = 1 }
in_enum {
   text = $0
   gsub(/=[^,]*|[/][*].*|[/][/].*|^ *[*].*/, "", text)
   for (k = split(text, words, /[ ,{}]+/); k > 0; k--) if (words[k] ~ /^[A-Z][A-Z_0-9]*$/) own(words[k])
}
/}/ { in_enum = 0 }

END {
   # Sources whose names most files have go first, each to the first unit where it fits and that is not too long.
   for (name in names) for (k = split(names[name], words, " "); k > 0; k--) users[words[k]] += name ~ /h$/ ? n_files : 1
   for (f = 1; f <= n_files; f++) {
      if (files[f] !~ /c$/) continue
      file = base[files[f]]
      weight[++n_sources] = file in first ? n_files * n_files : 0
      for (k = split(names[file], words, " "); k > 0; k--) weight[n_sources] += users[words[k]] - 1
      source[n_sources] = files[f]
      limit += lines[file] / n
   }
   for (f = 1; f <= n_sources; f++) {
      most = 1
      for (k = 2; k <= n_sources; k++) if (weight[k] > weight[most]) most = k
      place(source[most])
      weight[most] = -1
   }
   for (unit = 1; unit <= n; unit++) {
      name = out unit ".c"
      text = ""
      while ((there = getline line <name) > 0) text = text line "\n"
      close(name)
      if (there < 0 || text != text_of[unit]) printf "%s", text_of[unit] >name
   }
}
