# shellcheck shell=bash
# Part of ./dev: a description of the machine, for `./dev test`.

# tell_machine: prints a line about release and processor, and one about versions, without what cannot be found out.
tell_machine() {
   local line='' field compiler
   # shellcheck source=/dev/null
   note '' "$(. /etc/os-release && echo "$PRETTY_NAME")"
   note debian_version "$(cat /etc/debian_version)"
   note '' "$(uname -srm)"
   note processors "$(nproc)"
   # x86 has the first five fields, arm64 the others.
   for field in 'model name' vendor_id 'cpu family' model stepping 'CPU implementer' 'CPU part' 'CPU revision'; do
      note "$field" "$(sed -n "/^${field}[[:space:]]*: */ { s///p; q }" /proc/cpuinfo)"
   done
   [ -z "$line" ] || echo "on $line"

   line=''
   note valgrind "${version:-}"
   [ ! -f "$build/newest_is_built" ] || note valgrind "$newest_valgrind"
   read -ra compiler <<<"${CC:-gcc}"
   note_version "${compiler[0]}" "${compiler[@]}" --version
   note_version glibc getconf GNU_LIBC_VERSION
   note_version capstone env -u PKG_CONFIG_LIBDIR pkg-config --modversion capstone
   note_version gdb gdb --version
   note_version perl perl --version
   note_version python3 python3 --version
   [ -z "$line" ] || echo "with $line"
}

# note LABEL VALUE: adds both to $line, if there is a value.
note() { [ -z "$2" ] || line+="${line:+, }${1:+$1 }$2"; }

# note_version LABEL COMMAND...: the first number with a dot in what the command prints.
note_version() { if [[ $("${@:2}") =~ [0-9]+(\.[0-9]+)+ ]]; then note "$1" "${BASH_REMATCH[0]}"; fi; }
