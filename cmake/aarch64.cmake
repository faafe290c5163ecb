# 64-bit Arm: Debian's cross compiler, the libraries that scripts/arm-root has laid below
# build/arm-root, and qemu's user mode, which runs what is built.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

cmake_path(SET RONDO_ARM_ROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/arm-root")
set(arm_libraries ${RONDO_ARM_ROOT}/usr/lib/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH ${RONDO_ARM_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${arm_libraries}/pkgconfig:${RONDO_ARM_ROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RONDO_ARM_ROOT})

# The C library is the compiler's own; all other headers and libraries lie below the root.
set(CMAKE_CXX_FLAGS_INIT
  "-isystem ${RONDO_ARM_ROOT}/usr/include -isystem ${RONDO_ARM_ROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${arm_libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})

set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${arm_libraries})
