"""Features of this machine's processor, by the kernel's names, as far as Valgrind decodes them.

    has("avx2", ...)
"""
import functools

# Valgrind decodes none of these without AVX.
BEHIND_AVX = {"avx2", "bmi1", "bmi2", "f16c", "fma", "rdrand", "rdseed", "xsave"}


@functools.lru_cache(maxsize=None)
def flags():
    with open("/proc/cpuinfo") as f:
        found = set(next((line for line in f if line.startswith("flags")), "").split())
    return found if "avx" in found else found - BEHIND_AVX


def has(*names):
    return flags().issuperset(names)
