# shellcheck shell=bash
# Part of ./dev: the Debian packages, in build/deb.  debian/rules links the tool with the libraries of the package valgrind.
# No package has the core's headers: they are unpacked from its source, and become part of our source package.

# core_headers: lists the files that the tool needs of Valgrind's source and the package valgrind lacks.
core_headers() { (cd "$1" && ls coregrind/*.h coregrind/m_libcproc.c callgrind/callgrind.h); }

# make_source DIR: makes the source of the package, for the installed Valgrind.
make_source() {
   mkdir -p "$1/valgrind-$version"
   copy_project "$1"
   (cd "$valgrind_tree" && core_headers . | xargs cp --parents -t "$1/valgrind-$version")
}

# make_packages DIR: builds the packages, and removes what they are built of.
make_packages() {
   cd "$1"
   DEB_BUILD_OPTIONS="noautodbgsym parallel=$jobs" dpkg-buildpackage --no-sign
   rm -rf "$1"
}

# install_build_depends DIR: installs what debian/control names.  Other packages stay.
install_build_depends() { apt_install build-dep -y --no-install-recommends --no-remove "$1"; }

# deb [--lintian]: makes the packages, and checks them.
deb() {
   local source
   case ${1:-} in ''|--lintian) ;; *) usage >&2; exit 2 ;; esac
   unset VALGRIND_SRC DCFG_VALGRIND_VERSION
   lock_build
   base=$build
   get_packages
   version=$(valgrind_pc --modversion)
   rm -rf "$build/deb"
   source=$build/deb/valgrind-dcfg-$(sed -n '1s/.*(\(.*\)).*/\1/p' "$root/debian/changelog")
   valgrind_tree=$build/deb/valgrind-$version
   get_headers "$version"
   step deb-source "preparing the source package" make_source "$source"
   rm -rf "$valgrind_tree"
   (cd "$source" && dpkg-checkbuilddeps 2>/dev/null) ||
      step deb-packages "installing what debian/control names" install_build_depends "$source"
   step deb-build "building the packages for Valgrind $version" make_packages "$source"
   if [ "${1:-}" = --lintian ]; then
      need_packages lintian
      step lintian "checking the packages" lintian --fail-on error,warning "$build"/deb/*.changes
   fi
   unlock_build
   for source in "$build"/deb/*.deb; do say "ready: $(short "$source")"; done
}
