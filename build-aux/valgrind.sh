# shellcheck shell=bash
# Part of ./dev: Valgrind's source and its core.  Sets version, valgrind_tree (the built tree) and architectures.

# $base/built is written when a Valgrind is complete in $base.  Its lines: version, origin of the source (`archive` or
# the directory), the checkout's path, because the path is compiled into Valgrind, and the architectures.
built_line() { [ -f "$1/built" ] && sed -n "$2p" "$1/built"; }
built_version() { built_line "$1" 1 || true; }

# is_valgrind_source DIR: succeeds if DIR is a Valgrind tree.
is_valgrind_source() { [ -f "$1/configure.ac" ] && [ -d "$1/VEX" ] && [ -d "$1/coregrind" ]; }

# choose_architectures: sets architectures, those to be built: this machine's, and x86 beside amd64 if `gcc -m32` can link a
# program.  A Valgrind that is not the default one has only the first.  build/architectures remembers the answer until dpkg
# has installed or removed something.  With a cross compiler, it is that compiler's.
choose_architectures() {
   local stamp=$build/architectures program='int main(void) { return 0; }' compiler
   architectures=arm64
   [ -z "$target" ] || return 0
   architectures=$(uname -m)
   [ "$architectures" = x86_64 ] || return 0
   architectures=amd64
   [ "$base" = "$build" ] || return 0
   if ! [ "$stamp" -nt /var/lib/dpkg/status ]; then
      read -ra compiler <<<"${CC:-gcc}"
      ! "${compiler[@]}" -m32 -x c -o /dev/null - <<<"$program" 2>/dev/null || architectures='amd64 x86'
      echo "$architectures" >"$stamp"
   fi
   architectures=$(<"$stamp")
}

# is_built: succeeds if the Valgrind in $base is still the wanted one.
is_built() {
   [ "$(built_line "$base" 3)" = "$root" ] || return 1
   [[ $(built_line "$base" 2) != "installed: "* ]] || return 1
   [ -n "${VALGRIND_SRC:-}" ] || return 0
   [ "$(built_line "$base" 2)" = "$source_dir" ] || return 1
   # A changed source is built anew, from a new copy.
   [ -z "$(find "$source_dir" -name dcfg -prune -o -newer "$base/built" \
      \( -name '*.[chS]' -o -name '*.am' -o -name '*.ac' \) ! -name config.h ! -name vgversion.h -print -quit)" ]
}

# private_apt: runs apt's programs with a source list, package lists and cache of our own below build/.  So looking at other
# releases, or at sources, changes nothing on the system, and needs no root.
private_apt() {
   local program=$1 dir=$build/apt
   shift
   "$program" -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache" -o APT::Sandbox::User=root "$@"
}

# find_mirror: sets codename, mirror and mirror_options: this machine's release, its archive, and the bracketed part of a
# source list's line.  An old snapshot of the archive will do, too: its signature is checked, its age is not, because a
# certain version or the release's is wanted.
find_mirror() {
   local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
   # shellcheck source=/dev/null
   codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
   # shellcheck disable=SC2016  # apt's variables, not ours
   mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
      awk -v c="$codename" '$2 == c && $3 == "main" && $1 ~ /\/(debian|ubuntu)\/*$/ { print $1; exit }')
   mirror=${mirror:-http://deb.debian.org/debian} mirror_options=check-valid-until=no
   [ ! -f $keyring ] || mirror_options+=" signed-by=$keyring"
}

# write_source_list: writes the deb-src lines of this release, and of other releases if a certain version is wanted.
write_source_list() {
   local release releases
   find_mirror
   releases=$codename
   [ -z "$1" ] || releases="$codename stable testing unstable"
   mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
   for release in $releases; do
      echo "deb-src [$mirror_options] $mirror $release main"
   done >"$build/apt/sources.list"
}

# download_source [VERSION]: downloads the Debian source package of VERSION, or the newest of this machine's release, to
# build/apt/src.  Writes the name of its .dsc file to build/apt/dsc-VERSION, or to build/apt/dsc-default.
download_source() {
   local all wanted
   write_source_list "${1:-}"
   private_apt apt-get update
   all=$(private_apt apt-cache --only-source showsrc valgrind | sed -n 's/^Version: //p' | sort -V)
   wanted=$(grep -E "^([0-9]+:)?${1:-.*}([-+~]|\$)" <<<"$all" | tail -n 1) ||
      { echo "no Valgrind ${1:-}; there is: ${all//$'\n'/ }"; return 1; }
   mkdir -p "$build/apt/src"
   cd "$build/apt/src"
   private_apt apt-get source --download-only "valgrind=$wanted"
   ls "$build/apt/src/valgrind_${wanted#*:}.dsc" >"$build/apt/dsc-${1:-default}"
}

# get_source VERSION-OR-EMPTY: downloads the source package, unless build/apt/dsc-VERSION names it.  One at a time does that.
get_source() {
   local lock dsc=$build/apt/dsc-${1:-default}
   if [ -s "$dsc" ] && [ -f "$(<"$dsc")" ]; then return; fi
   command -v apt-get >/dev/null ||
      die "there is no apt here to get Valgrind's source with; VALGRIND_SRC=DIR says where it is"
   mkdir -p "$build/apt"
   exec {lock}>"$build/apt/.lock"
   flock "$lock"
   step valgrind-download "getting the source of Valgrind${1:+ $1} from the distribution" download_source "$1"
   exec {lock}>&-
}

# unpack_source VERSION-OR-EMPTY DIR: unpacks the source with Debian's patches.
unpack_source() {
   local dsc=$build/apt/dsc-${1:-default}
   get_source "$1"
   rm -rf "$2"
   mkdir -p "$(dirname "$2")"
   step "valgrind-unpack${1:+-$1}" "unpacking $(basename "$(<"$dsc")" .dsc)" dpkg-source --no-check --no-copy -x "$(<"$dsc")" "$2"
}

# copy_source FROM TO: copies a tree without programs of other tools' tests and what they print, which is half of its files.
copy_source() {
   mkdir -p "$2"
   # Without our own build directory, in case the tree contains this checkout.
   tar -C "$1" --exclude=./dcfg/build --exclude=./.git --exclude='./*/tests/*.[chS]' --exclude='./*/tests/*.exp*' \
      --exclude='./*/tests/*.vgtest' -cf - . | tar -C "$2" -xf -
}

# The directories that are used, out of several dozen.  The last two are there if the tool is registered.
used_dirs=(include VEX coregrind none lackey callgrind tests dcfg dcfg/tests)

# prepare_valgrind: does the work of the tree's autogen.sh, for these directories, in a third of the time.
prepare_valgrind() {
   cd "$valgrind_tree"
   local dir makefiles=(Makefile Makefile.vex)
   for dir in "${used_dirs[@]}"; do
      # VEX has none for automake, and dcfg is there only if it is registered.
      ! grep -qE "^[[:space:]]+$dir/Makefile[[:space:]]*$" configure.ac || makefiles+=("$dir/Makefile")
   done
   aclocal -I m4 && autoheader && automake -a "${makefiles[@]}" && autoconf
}

# used_files: lists what configure would make in these directories.
used_files() {
   local dirs
   dirs=$(IFS='|' && echo "${used_dirs[*]}")
   sed -n 's/^config_files="\(.*\)"$/\1/p' config.status | tr ' ' '\n' | sed 's/:.*//' | grep -xE "(($dirs)/)?[^/]+"
}

configure_valgrind() {
   cd "$valgrind_tree"
   local dir files options=()
   # By default, configure takes all architectures for which the compiler can link.
   [ "$architectures" != amd64 ] || options+=(--enable-only64bit)
   [ -z "$target" ] || options+=(--host="$target")
   # With -C, another Valgrind's configure can read the results: build_newest.
   rm -f config.cache
   # A changed tree is built from a new copy, not updated.  The shell that configure would look for takes a third more time.
   CONFIG_SHELL=/bin/sh ./configure -C --no-create --disable-dependency-tracking --prefix="$inst" "${options[@]}"
   mapfile -t files < <(used_files)
   ./config.status "${files[@]}" config.h
   # A user's tree may have its object files.
   { [ ! -f "$base/built" ] && [ -n "$(find . -name '*.o' -print -quit)" ]; } || return 0
   for dir in . "${used_dirs[@]}"; do [ ! -f "$dir/Makefile" ] || make -C "$dir" clean-am; done
}

# make_core: runs make, in parallel, for the core, with line numbers but without debug information on types and variables,
# which takes a quarter of the time.  CFLAGS comes last, but for CORE_CFLAGS, by which ./dev test sets the core's flags, and
# COLD_CFLAGS, for files that are long to compile and hardly run.
make_core() {
   local cold=(%-syswrap-linux.o %-syswrap-generic.o %-zstddeclib.o %-cp-demangle.o %-m_main.o %-readdwarf3.o
      %-vg_replace_malloc.o %-vgdb.o %-m_errormgr.o)
   make -j"$jobs" CFLAGS="-g1 ${CFLAGS:-} ${CORE_CFLAGS:-}" --eval="${cold[*]}: override CFLAGS += ${COLD_CFLAGS:-}" "$@"
}

# make_valgrind: makes only what we use: the core, `none`, `lackey` and `callgrind` for tests and bench, and vg_regtest with
# its helpers.  The -am targets of automake mean "this directory, without those below it".
make_valgrind() {
   cd "$valgrind_tree"
   make include/vgversion.h default.supp
   local dir
   make -C include
   make_vex
   make_core -C coregrind
   make all-am
   # Without debug information: see Makefile.tool.am.
   for dir in none lackey callgrind; do make_core -C $dir all-am LDFLAGS="${LDFLAGS:-} -Wl,--strip-debug"; done
   # vg_regtest runs here.
   [ -n "$target" ] || make -j"$jobs" -C tests check
}

# make_vex: makes VEX without the architectures of other machines, a third of the compilation.  The linker needs none of
# them, because this library's copy of VEX's table of architectures (priv/main_main.c) has one row.
make_vex() {
   local arch arches os library name objects
   os=$(sed -n 's/^VGCONF_OS = //p' VEX/Makefile)
   make -C VEX pub/libvex_guest_offsets.h
   read -r -d '' -a arches < <(sed -n 's/^VGCONF_ARCH_\(PRI\|SEC\) = //p' VEX/Makefile) || true
   for arch in "${arches[@]}"; do
      library=libvex-$arch-$os.a objects=''
      case $arch in
         amd64|x86|arm64)
            for name in $(cd VEX/priv && ls guest_*_toIR.c); do
               name=${name#guest_} name=${name%_toIR.c}
               [ "$name" = "$arch" ] ||
                  objects+=" %-guest_${name}_helpers.o %-guest_${name}_toIR.o %-host_${name}_defs.o %-host_${name}_isel.o"
            done ;;
      esac
      make_core -C VEX "$library" "${library//[-.]/_}_OBJECTS=\$(filter-out $objects,\$(am_${library//[-.]/_}_OBJECTS))"
   done
}

install_valgrind() {
   cd "$valgrind_tree"
   local dir
   make install-am
   for dir in include coregrind; do make -C $dir install; done
   for dir in none lackey callgrind; do make -C $dir install-am; done
}

make_and_install_valgrind() {
   tell_architectures
   step valgrind-configure "configuring Valgrind $version" configure_valgrind
   step valgrind-make "building Valgrind $version core" make_valgrind
   step valgrind-install "installing Valgrind $version into $(short "$inst")" install_valgrind
}

tell_architectures() {
   case $architectures in
      *" x86") say "for 64-bit and, as \`gcc -m32\` can link, 32-bit programs" ;;
      amd64)
         if [ "$base" = "$build" ]; then
            say "for 64-bit programs only: \`gcc -m32\` cannot link (Debian: gcc-multilib)"
         else
            say "for 64-bit programs only, as it is not the default Valgrind"
         fi ;;
      arm64) say "for arm64, with $CC" ;;
   esac
}

# A build by an older ./dev, for one architecture, does not name it.
is_built_for() {
   local built
   built=$(built_line "$base" 4)
   [ "${built:-amd64}" = "$architectures" ]
}

# build_other_architectures: adds the architectures that are missing; the compiler can link for other ones than before.
build_other_architectures() {
   make_and_install_valgrind
   rm -f "$objects/Makefile"
   [[ $architectures = *" x86" ]] || rm -f "$inst"/libexec/valgrind/*-x86-*
   # The file's time is the age of the copy of the source.
   { sed -n 1,3p "$base/built" && echo "$architectures"; } >"$base/built.new"
   touch -r "$base/built" "$base/built.new"
   mv "$base/built.new" "$base/built"
}

# build_valgrind: makes a complete Valgrind in $base, unless it is there.
build_valgrind() {
   local source_dir=''
   if [ -n "${VALGRIND_SRC:-}" ]; then
      is_valgrind_source "$VALGRIND_SRC" || die "VALGRIND_SRC=$VALGRIND_SRC is not a Valgrind source tree"
      source_dir=$(cd "$VALGRIND_SRC" && pwd)
   fi
   version=$(built_version "$base")
   valgrind_tree=$base/valgrind-$version
   choose_architectures
   if is_built; then
      is_built_for || build_other_architectures
      return
   fi

   rm -rf "$base"/{built,inst,dcfg,tests,valgrind-*}
   valgrind_tree=$base/valgrind-new
   mkdir -p "$base"
   touch "$base/started"
   if [ -n "$source_dir" ]; then
      step valgrind-copy "copying $source_dir" copy_source "$source_dir" "$valgrind_tree"
   else
      unpack_source "${DCFG_VALGRIND_VERSION:-}" "$valgrind_tree"
   fi
   # Do this always: Debian's patches change configure.ac, and a tree from git has no configure.
   step valgrind-autogen "preparing Valgrind's configure" prepare_valgrind
   version=$("$valgrind_tree/configure" --version | awk 'NR == 1 { print $NF }')
   [ "${DCFG_VALGRIND_VERSION:-$version}" = "$version" ] ||
      die "VALGRIND_SRC=$VALGRIND_SRC is Valgrind $version, but DCFG_VALGRIND_VERSION=$DCFG_VALGRIND_VERSION"
   valgrind_tree=$base/valgrind-$version
   mv "$base/valgrind-new" "$valgrind_tree"
   make_and_install_valgrind
   # vg_regtest takes $base for a Valgrind tree: tests are in dcfg/tests, and helpers in tests/.
   ln -s "valgrind-$version/tests" "$base/tests"
   printf '%s\n' "$version" "${source_dir:-archive}" "$root" "$architectures" >"$base/built.new"
   # As old as the copy: later changes in VALGRIND_SRC are newer.
   touch -r "$base/started" "$base/built.new"
   rm "$base/started"
   mv "$base/built.new" "$base/built"
}
