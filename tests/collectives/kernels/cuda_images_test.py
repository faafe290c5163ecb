"""That each fat binary has machine code for the GPUs it is made for, and PTX for newer ones.

    cuda_images_test.py IMAGE.fatbin...

The layout is that of binaries which nvcc of CUDA 12 and 13 writes (NVIDIA documents only tools that
read it): a header, then parts, each with its kind (1 PTX, 2 machine code), sizes and architecture.
"""

import struct
import sys

MAGIC = 0xBA55ED50
PTX, MACHINE_CODE = 1, 2
EXPECTED = {(MACHINE_CODE, 80), (MACHINE_CODE, 90), (PTX, 90)}


def parts_of(image):
    magic, _, header, size = struct.unpack_from("<IHHQ", image)
    if magic != MAGIC or header + size > len(image):
        raise ValueError("no fat binary")
    at = header
    while at < header + size:
        kind, _, header_of_part, size_of_part = struct.unpack_from("<HHIQ", image, at)
        (architecture,) = struct.unpack_from("<I", image, at + 28)
        yield (kind, architecture), size_of_part
        at += header_of_part + size_of_part


def main():
    failed = False
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            found = {part for part, size in parts_of(file.read()) if size > 0}
        print(path, "has", sorted(found))
        if not EXPECTED <= found:
            print("  and lacks", sorted(EXPECTED - found))
            failed = True
    return failed or len(sys.argv) < 2


if __name__ == "__main__":
    sys.exit(main())
