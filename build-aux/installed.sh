# shellcheck shell=bash
# Part of ./dev: the Valgrind of the distribution's package.  The tool is compiled with the package's config.h and the
# headers of its source, and linked with its libraries.  No part of Valgrind is built, but for two files that know where its
# tools are.  $inst gets links to the package's files, and the tool beside them.  The package itself stays as it is.

# wants_installed: succeeds if the package's Valgrind is the one to use.  Without a choice, a Valgrind built from
# VALGRIND_SRC stays.
wants_installed() {
   [ -z "${VALGRIND_SRC:-}$target" ] && command -v dpkg-query >/dev/null || return 1
   [[ $(built_line "$base" 2)@$(built_line "$base" 3) != /*@"$root" ]] || return 1
   [ -z "${DCFG_VALGRIND_VERSION:-}" ] || [ "$DCFG_VALGRIND_VERSION" = "$(valgrind_pc --modversion)" ]
}

# valgrind_pc OPTION: prints what the package's valgrind.pc says; nothing without a package.  /usr/local can have another
# valgrind.pc.
valgrind_pc() { pkg-config "$1" /usr/lib/*/pkgconfig/valgrind.pc 2>/dev/null || true; }

# installed_origin: prints what the tool is linked with, for $base/built.
installed_origin() {
   echo "installed: $(stat -c '%n %s %Y' "$(valgrind_pc --variable=libdir)"/valgrind/libcoregrind-*.a 2>/dev/null | tr '\n' ' ')"
}

# get_packages: installs the packages; while apt installs them for the first time, gets the source.  If that fails,
# get_headers tries again.
get_packages() {
   local source=''
   if [ -z "$(valgrind_pc --modversion)" ] && command -v apt-get >/dev/null; then
      (get_source '') &
      source=$!
   fi
   need_packages "${build_packages[@]}" valgrind
   [ -z "$source" ] || wait $source || true
}

# has_source VERSION: succeeds if the downloaded source of the release is of that version.
has_source() { [[ $(cat "$build/apt/dsc-default" 2>/dev/null) = */valgrind_"$1"[-+~.]* ]]; }

# get_headers VERSION: unpack the source of the installed Valgrind into $valgrind_tree.
get_headers() {
   # The release can have another version since the download.
   has_source "$1" || rm -f "$build/apt/dsc-default"
   get_source ''
   # The package can be from another release.
   if has_source "$1"; then unpack_source '' "$valgrind_tree"; else unpack_source "$1" "$valgrind_tree"; fi
}

# fill_inst: makes $inst the installed Valgrind without tool, launcher, library and command, which `make install` adds.
fill_inst() {
   local bin libdir program
   bin=$(valgrind_pc --variable=prefix)/bin
   libdir=$(installed_libdir "$bin/valgrind")
   [ -n "$libdir" ] || die "$bin/valgrind does not say where its tools are"
   mkdir -p "$inst/bin" "$inst/libexec/valgrind" "$inst/include/valgrind"
   ln -s "$libdir"/* "$inst/libexec/valgrind/"
   rm -f "$inst"/libexec/valgrind/dcfg-*
   ln -s "$(valgrind_pc --variable=includedir)"/* "$inst/include/valgrind/"
   rm -f "$inst/include/valgrind/dcfg.h"
   for program in vgdb callgrind_annotate callgrind_control; do ln -s "$bin/$program" "$inst/bin/"; done
}

# take_installed: makes $base for the installed Valgrind, unless it is there.
take_installed() {
   version=$(valgrind_pc --modversion)
   [ -n "$version" ] || die "the package valgrind is installed, but pkg-config does not find its valgrind.pc"
   valgrind_tree=$base/valgrind-$version
   choose_architectures
   if [ "$(built_line "$base" 2)" = "$(installed_origin)" ] && [ "$(built_line "$base" 3)" = "$root" ]; then
      [ "$(built_line "$base" 4)" != "$architectures" ] || return 0
      # The compiler can link for other architectures than before.
      rm -f "$objects/Makefile" "$base/tests"
   else
      rm -rf "$base"/{built,inst,dcfg,tests,valgrind-*}
      get_headers "$version" &
      fill_inst
      prepare_tool
      wait $! || exit 1
   fi
   tell_architectures
   printf '%s\n' "$version" "$(installed_origin)" "$root" "$architectures" >"$base/built.new"
   mv "$base/built.new" "$base/built"
}

# prepare_test_tree: for tests, configures the source of the installed Valgrind, and makes vg_regtest and its helpers.  Links
# to the installed files take the place of what would be built.  The tool is registered there before, so that
# tests/build/intree.t, which builds it there, need not configure the same source again.
prepare_test_tree() {
   local libdir
   if ! wants_installed || [ -e "$base/tests" ]; then return 0; fi
   step valgrind-register "registering the tool in Valgrind's source" register_in_tree "$valgrind_tree"
   step valgrind-autogen "preparing Valgrind's configure" prepare_valgrind
   step valgrind-configure "configuring Valgrind $version" configure_valgrind
   libdir=$(valgrind_pc --variable=libdir)/valgrind
   ln -sf "$libdir"/lib{coregrind,gcc-sup}-*.a "$inst/bin/valgrind" "$valgrind_tree/coregrind/"
   ln -sf "$libdir"/libvex-*.a "$valgrind_tree/VEX/"
   mkdir -p "$valgrind_tree/.in_place"
   ln -sf "$inst"/libexec/valgrind/* "$valgrind_tree/.in_place/"
   step valgrind-tests "building Valgrind's test programs" make -j"$jobs" -C "$valgrind_tree/tests" check
   # build_valgrind does the same.
   ln -s "valgrind-$version/tests" "$base/tests"
}
