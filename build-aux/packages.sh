# shellcheck shell=bash
# Part of ./dev: the Debian packages that building and testing need, and installing them.

# For the tool.  dpkg-dev unpacks Valgrind's source, and depends on make, patch and the decompressors.  Beside these, ./dev
# needs the package valgrind or, to build a whole Valgrind, g++ for Valgrind's configure.
build_packages=(autoconf automake dpkg-dev gcc libc6-dev make perl pkg-config)

# For the library.
build_packages+=(libbz2-dev liblzma-dev libyajl-dev libzstd-dev zlib1g-dev)

# For the command dcfg; it draws with Graphviz's dot if that is installed.
build_packages+=(libcapstone-dev libdw-dev libelf-dev libiberty-dev libseccomp-dev)

# Beyond that, for ./dev test: for Valgrind's configure, the unit tests, the oracles, and the programs that tests run.
test_packages=(bash-completion bzip2 check g++ gdb graphviz gzip jq lcov libjansson-dev libpcre2-dev luajit mandoc perl python3
   python3-capstone python3-pyelftools shellcheck sqlite3 strace xz-utils zstd)

# A Callgrind profile depends on whether libc's debug information is installed.  Tests make both, everywhere.
test_packages+=(libc6-dbg)

# KCachegrind, and a display for it.
test_packages+=(dbus-daemon kcachegrind xdotool xvfb)

# Readers of XRay logs.  Tests also use the newest LLVM of the archives: get_newest_llvm.
test_packages+=(llvm uftrace)

# Beyond build_packages, for ./dev bench.
bench_packages=(bzip2 perl python3 sqlite3 xz-utils)

# as_root COMMAND...: runs it as root.
as_root() {
   if [ "$(id -u)" = 0 ]; then
      "$@"
   elif command -v sudo >/dev/null; then
      sudo "$@"
   else
      die "need root for: $* (and there is no sudo)"
   fi
}

# apt_get ARGS...: runs apt-get as root.  While another apt runs, such as the one in the background of a machine that has
# just started, tries again for ten minutes.  DPkg::Lock::Timeout, by which apt itself would wait, covers only dpkg's lock,
# not that of the lists.
apt_get() {
   local said=$build/apt.said
   for _ in {1..600}; do
      if as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" 2>&1 | tee "$said"; then return; fi
      grep -q 'Could not get lock' "$said" || break
      sleep 1
   done
   return 1
}

# apt_install COMMAND...: updates the lists only if the present ones will not do.
apt_install() { apt_get "$@" || { apt_get update && apt_get "$@"; }; }

# install_packages PACKAGE...: installs them.
install_packages() { apt_install install -y --no-install-recommends "$@"; }

# need_packages PACKAGE...: returns when all are installed.  Those that were are remembered in build/packages; dpkg is asked
# again only for others, or if it has installed or removed something since.  apt runs only if one is missing, and never with
# VALGRIND_SRC, which promises to do without the network.
need_packages() {
   local name status missing=() stamp=$build/packages
   command -v dpkg-query >/dev/null || return 0   # not Debian: the user sees to it
   declare -A have=()
   if [ "$stamp" -nt /var/lib/dpkg/status ]; then
      while read -r name; do have[$name]=1; done <"$stamp"
   fi
   for name; do
      [ -n "${have[$name]:-}" ] || missing+=("$name")
   done
   [ ${#missing[@]} = 0 ] && return
   # shellcheck disable=SC2016  # dpkg's variables, not ours
   while read -r name status; do
      [ "$status" = installed ] && have[$name]=1
   done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${missing[@]}" 2>/dev/null)
   missing=()
   for name; do
      [ -n "${have[$name]:-}" ] || missing+=("$name")
   done
   if [ ${#missing[@]} != 0 ]; then
      if [ -n "${VALGRIND_SRC:-}" ]; then
         die "VALGRIND_SRC is set, so nothing is fetched, but these packages are missing: ${missing[*]}"
      fi
      step packages "installing packages: ${missing[*]}" install_packages "${missing[@]}"
   fi
   printf '%s\n' "${!have[@]}" "${missing[@]}" >"$stamp"
}

# get_newest_llvm: unpacks below build/ the llvm-xray of the newest LLVM that apt knows, with its library, if it is newer
# than the installed ones.  Sets newest_llvm to its directory; to nothing if there is none, or no network.
get_newest_llvm() {
   local name dir
   newest_llvm=
   command -v apt-cache >/dev/null || return 0
   name=$(apt-cache search --names-only '^llvm-[0-9]+$' | cut -d ' ' -f 1 | sort -V | tail -n 1)
   if [ -z "$name" ] || [ -e "/usr/lib/$name/bin/llvm-xray" ]; then return 0; fi
   dir=$build/$name
   if [ ! -f "$dir/complete" ]; then
      [ -z "${VALGRIND_SRC:-}" ] || return 0
      rm -rf "$dir"
      mkdir -p "$dir" "$base/log"
      (cd "$dir" && apt-get download "$name" "lib${name/-/}" &&
         dpkg-deb --fsys-tarfile "$name"_*.deb | tar -x --wildcards './usr/lib/llvm-*/bin/llvm-xray' &&
         dpkg-deb --fsys-tarfile "lib${name/-/}"_*.deb | tar -x --wildcards './usr/lib/*-linux-gnu/*' &&
         rm ./*.deb && touch complete) >"$base/log/$name.log" 2>&1 || return 0
   fi
   newest_llvm=$dir
}
