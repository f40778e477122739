# shellcheck shell=bash
# Part of ./dev: arm64, on another machine.  All of it is below build/arm64 and made of the distribution's packages: a
# cross compiler, Valgrind and the tool built with that, and an emulated machine with Debian, in which they run.

# debootstrap without root needs fakeroot; mke2fs, of e2fsprogs, makes an image of what it has unpacked.
arm64_packages=(cpio debootstrap e2fsprogs fakeroot python3 qemu-system-arm)

# Packages in the machine beside those that debootstrap always installs.
machine_packages=bzip2,perl,python3

# The modules that its kernel needs, in that order: a device's bus, the disk and its file system, a line to the host
# and directories that it shares.
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

# The packages of a cross compiler conflict with those of \`gcc -m32\`, so they are not installed but unpacked, unless they
# are installed already.  Sets cross, where they are, or nothing.
get_cross_compiler() {
   cross=
   ! command -v $target-g++ >/dev/null || return 0
   cross=$build/arm64/cross
   [ -f "$cross/complete" ] || step arm64-compiler "getting a cross compiler for arm64" unpack_cross_compiler
}

unpack_cross_compiler() {
   local names package
   # Packages that the compiler needs and are missing here: apt finds them.
   mapfile -t names < <(apt-get install -s --no-install-recommends gcc-$target g++-$target | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
   [ ${#names[@]} != 0 ] || { echo "apt has no gcc-$target"; return 1; }
   rm -rf "$cross"
   mkdir -p "$cross/packages"
   (cd "$cross/packages" && apt-get -o APT::Sandbox::User=root download "${names[@]}")
   for package in "$cross"/packages/*.deb; do dpkg-deb -x "$package" "$cross"; done
   rm -r "$cross/packages"
   touch "$cross/complete"
}

# use_cross_compiler: for all that is built from then on.  Its libraries are where it was unpacked, and so is what programs
# are linked with.  Nothing of this machine is for the other one, whatever pkg-config may say.
use_cross_compiler() {
   export CC=$target-gcc CXX=$target-g++ PKG_CONFIG_LIBDIR=
   [ -n "$cross" ] || return 0
   export PATH=$cross/usr/bin:$PATH LD_LIBRARY_PATH=$cross/usr/lib/x86_64-linux-gnu
   CC+=" --sysroot=$cross" CXX+=" --sysroot=$cross"
}

# As private_apt, for arm64's packages and with nothing installed.
machine_apt() {
   local program=$1
   shift
   "$program" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status=/dev/null \
      -o Dir::Etc::SourceList="$machine/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$machine/apt/lists" -o Dir::Cache="$machine/apt/cache" -o APT::Sandbox::User=root "$@"
}

# Debian's kernel, and in its initial file system, of which nothing else remains, a shell and some of its modules.
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

# Debian, unpacked and not installed: to run its packages' scripts there takes a quarter of an hour, and programs do without.
# What was unpacked stays, for those who read files of programs that have run there.  debootstrap takes some machines for
# containers, and then leaves no directory for /proc.
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
      # As its scripts would do: python3 compiles, each time that it starts, what it may not keep.  This one is of the same release.
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

# Everything up to a Valgrind that runs the tool in the machine.
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

# The tests in the machine: scripts of tests/arm64, which run here and have programs run there.  This machine's command
# reads their files.
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
   ARM64_MACHINE=$machine ARM64_CC=$CC ARM64_COMMAND=$build/inst/bin/dcfg run_script tests/arm64 arm64 "$@"
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
