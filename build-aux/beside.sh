# shellcheck shell=bash
# Part of ./dev: installing beside an existing Valgrind, and removing that.

# installed_libdir: prints the directory of an installed Valgrind's tools, as that Valgrind itself says when it starts one.
installed_libdir() {
   "$1" -d --tool=none true 2>&1 | sed -n 's/.*launching \(\/.*\)\/none-[^/]*$/\1/p' || true
}

# relink_tool LIBDIR TOOL: links the tool again, as $objects/installed/TOOL.  Every tool contains Valgrind's core, and the
# core knows the directory of its preload library and suppressions.  A copy of m_libcproc.c has LIBDIR in its place.
relink_tool() {
   local program=${2//-/_} core=installed/libcproc-$2.o
   core=${core/dcfg-/} core=${core/-linux/}
   rm -f "$objects/$core"
   # $(...) below are variables of the Makefile, which knows how the tool is linked.
   # shellcheck disable=SC2016
   make -C "$objects" vglibdir="$1" "installed/$2" \
      --eval='.PHONY: installed/'"$2" \
      --eval='installed/'"$2: $core"' ; $('"$program"'_LINK) $('"$program"'_OBJECTS) $< $(filter-out libcproc-%,$('"$program"'_LDADD)) $(LIBS) && $(OBJCOPY) --strip-debug $@'
}

# find_valgrind [--prefix=PREFIX]: set valgrind and prefix to an installed Valgrind and its prefix.
find_valgrind() {
   prefix=''
   case ${1:-} in
      '') ;;
      --prefix=?*) prefix=${1#--prefix=} ;;
      *) usage >&2; exit 2 ;;
   esac
   valgrind=${prefix:+$prefix/bin/valgrind}
   [ -n "$prefix" ] || valgrind=$(command -v valgrind) || die "no valgrind in PATH; --prefix=PREFIX says where there is one"
   [ -x "$valgrind" ] || die "there is no $valgrind"
   prefix=$(cd -P "$(dirname "$valgrind")/.." && pwd)
}

# find_tools: set dir to the directory of its tools.
find_tools() {
   dir=$(installed_libdir "$valgrind")
   [ -n "$dir" ] || die "$valgrind does not say where its tools are"
}

# stage_files: puts all files to be installed below $stage, at their final paths.
stage_files() {
   local tool
   umask 022
   rm -rf "$stage"
   mkdir -p "$stage$dir"
   # For those of the Valgrind's architectures that we have: it has a tool for each.
   for tool in $(tool_programs dcfg); do
      [ -e "$dir/none-${tool#dcfg-}" ] || continue
      relink_tool "$dir" "$tool"
      install "$objects/installed/$tool" "$stage$dir/"
   done
   make -C "$objects" DESTDIR="$stage" prefix="$prefix" install-data-local
   if [ -f "$inst/lib/libdcfg.a" ]; then
      make -C "$objects/lib" DESTDIR="$stage" prefix="$prefix" install
      sed -i "s,^prefix=.*,prefix=$prefix," "$stage$prefix/lib/pkgconfig/libdcfg.pc"
   fi
   if [ -x "$inst/bin/dcfg" ]; then make -C "$objects/cmd" DESTDIR="$stage" prefix="$prefix" install; fi
}

# list_staged: print the files below $stage.
list_staged() { (cd "$stage" && find . ! -type d -printf '/%P\n') | sort; }

# list_new: print the directories below $stage that are not in place yet, and all files.
list_new() {
   (cd "$stage" && find . -mindepth 1 -type d -printf '/%P\n') | sort |
      while IFS= read -r name; do [ -d "${DESTDIR:-}$name" ] || echo "$name"; done
   list_staged
}

# change_system COMMAND...: runs it, as root unless the user may write to the paths in $list.
change_system() {
   local name there
   while IFS= read -r name; do
      there=${DESTDIR:-}$name
      while there=$(dirname "$there") && [ ! -d "$there" ]; do :; done
      [ -w "$there" ] || { as_root "$@"; return; }
   done <<<"$list"
   "$@"
}

# refresh_libraries: updates the cache by which the dynamic linker finds libraries in directories such as /usr/local/lib.
refresh_libraries() {
   [ -n "${DESTDIR:-}" ] || ! /sbin/ldconfig -v -N 2>/dev/null | grep -q "^$prefix/lib:" || change_system /sbin/ldconfig
}

# install_all [--prefix=PREFIX]: installs tool, command and library.  $dir/dcfg.files gets the list of files.
install_all() {
   local prefix valgrind theirs dir list stage=$objects/stage
   find_valgrind "$@"
   # Any tool can tell the version; the default one, memcheck, need not be installed.
   theirs=$("$valgrind" --tool=none --version) || die "$valgrind does not work"
   [ "$theirs" = "valgrind-$version" ] ||
      die "$valgrind is ${theirs/-/ }, but the tool was built for valgrind $version; DCFG_VALGRIND_VERSION=${theirs#*-} ./dev install builds the right one"
   find_tools
   # Remove files of an earlier installation that are not in this one.
   [ ! -f "${DESTDIR:-}$dir/dcfg.files" ] || remove_files
   step stage "linking the tool for $dir" stage_files
   : >"$stage$dir/dcfg.files"
   list=$(list_new)
   echo "$list" >"$stage$dir/dcfg.files"
   [ -z "${DESTDIR:-}" ] || mkdir -p "$DESTDIR"
   tar -C "$stage" -cf - . |
      change_system tar -C "${DESTDIR:-}/" --no-same-owner --no-overwrite-dir --keep-directory-symlink -xf -
   refresh_libraries
   list_staged | while IFS= read -r name; do say "installed ${DESTDIR:-}$name"; done
}

# remove_files: removes the files in $dir/dcfg.files, and directories if they are empty.
remove_files() {
   list=$(tac "${DESTDIR:-}$dir/dcfg.files")
   # shellcheck disable=SC2016  # the inner shell's variables
   change_system sh -c 'while IFS= read -r name; do
         if [ -d "$0$name" ] && [ ! -L "$0$name" ]; then rmdir "$0$name" 2>/dev/null || true; else rm -f "$0$name"; fi
      done' "${DESTDIR:-}" <<<"$list"
   refresh_libraries
}

# uninstall_all [--prefix=PREFIX]: removes the files of an installation.
uninstall_all() {
   local prefix valgrind dir list
   find_valgrind "$@"
   find_tools
   [ -f "${DESTDIR:-}$dir/dcfg.files" ] || die "there is no ${DESTDIR:-}$dir/dcfg.files: ./dev install has put nothing there"
   remove_files
   say "removed $(wc -l <<<"$list") files and directories"
}
