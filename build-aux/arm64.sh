# shellcheck shell=bash
# Part of ./dev: arm64, on an emulated machine.  Everything is below build/arm64 and made of the distribution's packages: a
# cross compiler, Valgrind and the tool built with it, and a machine with Debian that runs them.

# debootstrap needs fakeroot if it is not root; mke2fs, of e2fsprogs, makes an image of the unpacked files.
arm64_packages=(cpio debootstrap e2fsprogs fakeroot python3 qemu-system-arm)

# Packages in the machine, beside those that debootstrap always installs.
machine_packages=bzip2,perl,python3

# Modules that its kernel needs, in this order: for the bus, the disk and its file system, the line to the host, and shared
# directories.
machine_modules=(virtio_mmio virtio_blk crc32c_generic crc16 mbcache jbd2 ext4 virtio_console netfs fscache 9pnet 9pnet_virtio 9p)

arm64_usage() {
   cat <<END
usage: ./dev arm64 COMMAND

  build              build Valgrind and the tool for arm64, and an emulated
                     machine to run them in, all in build/arm64
  run PROG ARGS...   build, then run PROG, as that machine finds it, under
                     valgrind --tool=dcfg there; files that it writes into
                     its directory come to this one
  test [PART...]     build, then run the tests for arm64 there
END
}

# get_cross_compiler: unpacks a cross compiler, unless one is installed.  Its packages conflict with those of \`gcc -m32\`,
# so they are not installed.  Sets cross to its directory, or to nothing.
get_cross_compiler() {
   cross=
   ! command -v $target-g++ >/dev/null || return 0
   cross=$build/arm64/cross
   [ -f "$cross/complete" ] || step arm64-compiler "getting a cross compiler for arm64" unpack_cross_compiler
}

unpack_cross_compiler() {
   local names package
   # apt finds the packages that the compiler needs and that are missing here.
   mapfile -t names < <(apt-get install -s --no-install-recommends gcc-$target g++-$target | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
   [ ${#names[@]} != 0 ] || { echo "apt has no gcc-$target"; return 1; }
   rm -rf "$cross"
   mkdir -p "$cross/packages"
   (cd "$cross/packages" && apt-get -o APT::Sandbox::User=root download "${names[@]}")
   for package in "$cross"/packages/*.deb; do dpkg-deb -x "$package" "$cross"; done
   rm -r "$cross/packages"
   touch "$cross/complete"
}

# use_cross_compiler: makes later builds use it.  Its libraries, for programs too, are where it was unpacked.  pkg-config
# must find nothing of this machine.
use_cross_compiler() {
   export CC=$target-gcc CXX=$target-g++ PKG_CONFIG_LIBDIR=
   [ -n "$cross" ] || return 0
   export PATH=$cross/usr/bin:$PATH LD_LIBRARY_PATH=$cross/usr/lib/x86_64-linux-gnu
   CC+=" --sysroot=$cross" CXX+=" --sysroot=$cross"
}

# machine_apt: as private_apt, for arm64's packages and with nothing installed.
machine_apt() {
   local program=$1
   shift
   "$program" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status=/dev/null \
      -o Dir::Etc::SourceList="$machine/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$machine/apt/lists" -o Dir::Cache="$machine/apt/cache" -o APT::Sandbox::User=root "$@"
}

# make_kernel: unpacks Debian's kernel, and makes its initial file system: a shell and some of the kernel's modules.
make_kernel() {
   local package module list dir=$machine/new
   rm -rf "$dir"
   mkdir -p "$machine/apt/lists/partial" "$machine/apt/cache/archives/partial" "$dir/packages" "$dir"/first/{bin,dev,modules,proc,root}
   find_mirror
   echo "deb [arch=arm64 $mirror_options] $mirror $codename main" >"$machine/apt/sources.list"
   machine_apt apt-get update
   package=$(machine_apt apt-cache depends linux-image-arm64 | sed -n 's/.*Depends: //p')
   (cd "$dir/packages" && machine_apt apt-get download "$package" busybox-static)
   for package in "$dir"/packages/*.deb; do dpkg-deb -x "$package" "$dir"; done
   cp "$dir/bin/busybox" "$dir/first/bin"
   for module in "${machine_modules[@]}"; do
      find "$dir/lib/modules" -name "$module.ko" -exec cp {} "$dir/first/modules" \;
      list+="$module "
   done
   sed "s/@MODULES@/$list/" "$root/build-aux/arm64-init" >"$dir/first/init"
   chmod +x "$dir/first/init"
   (cd "$dir/first" && find . | cpio -o -H newc --quiet | gzip -1) >"$machine/initrd"
   cp "$dir"/boot/vmlinuz-* "$machine/kernel"
   rm -rf "$dir" "$machine/apt"
}

# make_disk: unpacks Debian without installing it: running its packages' scripts there would take a quarter of an hour, and
# programs do without.  The unpacked files stay, for readers of files of programs that ran there.  debootstrap takes some
# machines for containers, and then leaves no directory for /proc.
make_disk() {
   local dir=$machine/root
   rm -rf "$dir"
   find_mirror
   # shellcheck disable=SC2016  # variables of the inner shell
   fakeroot sh -ec '
      debootstrap --foreign --arch=arm64 --variant=minbase --include="$1" "$2" "$3" "$4"
      cd "$3"
      for package in var/cache/apt/archives/*.deb; do
         dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink
      done
      cp usr/share/base-passwd/passwd.master etc/passwd
      cp usr/share/base-passwd/group.master etc/group
      # One thing that those scripts would do: otherwise python3 compiles its modules at each start.  This python3 is of the
      # same release.
      /usr/bin/python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash -s "$3" -p / usr/lib/python3*/
      rm -rf proc debootstrap var/cache/apt/archives/*
      mkdir proc host
      mke2fs -q -F -t ext4 -m 0 -O ^has_journal -d . "$5" 2G
      ' sh "$machine_packages" "$codename" "$dir" "$mirror" "$machine/disk"
}

make_machine() {
   mkdir -p "$machine"
   if ! [ "$machine/initrd" -nt "$root/build-aux/arm64-init" ]; then
      step arm64-kernel "getting a kernel for the emulated machine" make_kernel
   fi
   if [ ! -f "$machine/complete" ]; then
      step arm64-disk "unpacking Debian for the emulated machine" make_disk
      touch "$machine/complete"
   fi
}

# build_arm64: builds everything up to a Valgrind that runs the tool in the machine.
build_arm64() {
   [ "$(uname -m)" = x86_64 ] || die "./dev arm64 is for amd64; on arm64, ./dev build does it"
   target=aarch64-linux-gnu machine=$build/arm64/machine
   lock_build
   choose_base
   need_packages "${build_packages[@]}" "${arm64_packages[@]}"
   get_cross_compiler
   make_machine
   use_cross_compiler
   build_valgrind
   build_tool
   unlock_build
}

# test_arm64: runs the scripts of tests/arm64 here; the programs run in the machine.  This machine's command reads their
# files.
test_arm64() {
   begin_tests
   (build_all)
   build_arm64
   need_packages "${test_packages[@]}"
   build_test_programs
   programs_run=arm64
   test_timeout=${DCFG_TEST_TIMEOUT:-7200}
   limited=(timeout --kill-after=10 "$test_timeout")
   stage='the tests'
   ARM64_MACHINE=$machine ARM64_CC=$CC ARM64_COMMAND=$build/inst/bin/dcfg run_script arm64/arm64 "$@"
   stage=done
}

arm64() {
   local what=${1:-}
   [ $# = 0 ] || shift
   case $what in
      build)
         build_arm64
         say "ready: $(short "$inst") and the emulated machine in $(short "$machine") (Valgrind $version, for arm64)" ;;
      run)
         [ $# -gt 0 ] || { arm64_usage >&2; exit 2; }
         build_arm64
         exec "$root/build-aux/arm64_machine.py" run "$machine" "$inst" "$@" ;;
      test)
         test_arm64 "$@" ;;
      '')
         arm64_usage ;;
      *)
         arm64_usage >&2
         exit 2 ;;
   esac
}
