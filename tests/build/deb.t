#!/usr/bin/env bash
# debian/: the packages have all files that the Makefiles install, each once, and need what ./dev build needs.  Making the
# packages takes minutes and other packages: ./dev deb --lintian does that.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/packages.sh"

# Install as debian/rules does.
for dir in . lib cmd; do
   goal="install"
   [ $dir != . ] || goal="install-am"
   make -C "$BUILDDIR/$dir" DESTDIR="$PWD/tmp" prefix=/usr libdir=/usr/lib/some-linux-gnu $goal >&2
   check_status "make $goal in $dir" $?
done

# The first word of a line of debian/NAME.install is the files, below tmp/ or the checkout.
for list in "$SRCDIR"/debian/*.install; do
   name=$(basename "$list" .install)
   while read -r pattern _; do
      case $pattern in usr/*) cd tmp || exit ;; *) cd "$SRCDIR" || exit ;; esac
      # shellcheck disable=SC2086  # a pattern
      found=$(find $pattern ! -type d)
      cd - >/dev/null || exit
      check "$name: there is $pattern" [ -n "$found" ]
      case $pattern in usr/*) printf '%s\n' "$found" >>packaged ;; esac
   done <"$list"
done

(cd tmp && find usr ! -type d) | sort >installed
sort packaged | diff installed - >&2
check_status "each file that is installed is in one package" $?

# The two lists must have the same headers of libraries.
# shellcheck disable=SC2154  # packages.sh sets it
printf '%s\n' "${build_packages[@]}" | grep -e '-dev$' | grep -vx -e dpkg-dev -e libc6-dev | sort >needed
sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([^ ,]*-dev\),.*/\1/p' "$SRCDIR/debian/control" | sort | diff needed - >&2
check_status "Build-Depends has the libraries that ./dev build needs" $?
echo "1..$n"
