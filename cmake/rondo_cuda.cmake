# Whether this build has CUDA devices (rondo_has_cuda), and how kernels get into librondo. Of the
# toolkit only cuda.h and nvcc are used: the driver's library is opened at run time, and kernels
# travel as data, so that one build runs with and without a device.

if(NOT RONDO_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "RONDO_CUDA=${RONDO_CUDA}: AUTO, ON or OFF")
endif()
set(rondo_has_cuda FALSE)
if(NOT RONDO_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 12 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    set(rondo_has_cuda TRUE)
    message(STATUS "CUDA devices: toolkit ${CUDAToolkit_VERSION}")
  elseif(RONDO_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RONDO_CUDA=ON: no CUDA toolkit of version 12 or newer (cuda.h, nvcc) was "
                        "found; name its folder in CUDAToolkit_ROOT, or use AUTO")
  else()
    message(STATUS "CUDA devices: none, as no CUDA toolkit (12 or newer) was found")
  endif()
endif()

# NCCL's library is opened at run time, too; of the build it wants nccl.h alone.
set(rondo_has_nccl FALSE)
if(rondo_has_cuda)
  find_path(RONDO_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(RONDO_NCCL_INCLUDE)
    set(rondo_has_nccl TRUE)
  else()
    message(STATUS "NCCL: none, as nccl.h was not found")
  endif()
endif()

# What kernels are compiled for: machine code for compute capability 8.0 and 9.0, and PTX, which a
# driver compiles for what is newer.
set(RONDO_CUDA_TARGETS
  -gencode=arch=compute_80,code=sm_80
  -gencode=arch=compute_90,code=sm_90
  -gencode=arch=compute_90,code=compute_90)
if(RONDO_SANITIZE)
  # What a sanitizer sees runs on the host; the kernels are to compile, and soon.
  set(RONDO_CUDA_TARGETS -gencode=arch=compute_90,code=sm_90)
endif()

# rondo_cuda_image: compiles SOURCE with nvcc to a fat binary, which TARGET carries as the bytes
# from SYMBOL on. No fused multiply-add, so that the bits are those of the host's kernels.
function(rondo_cuda_image target symbol source)
  set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.fatbin)
  set(compiler -ccbin ${CMAKE_CXX_COMPILER})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(compiler -ccbin g++)  # the kernels have no host code
  endif()
  add_custom_command(OUTPUT ${fatbin}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -fatbin -std=c++20 -O3 --fmad=false
            --expt-relaxed-constexpr --threads 2 ${compiler} ${RONDO_CUDA_TARGETS}
            -Werror all-warnings -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
            -MD -MF ${fatbin}.d -MT ${fatbin} -o ${fatbin} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} DEPFILE ${fatbin}.d
    COMMENT "nvcc ${source}" VERBATIM)
  set(RONDO_IMAGE_SYMBOL ${symbol})
  set(RONDO_IMAGE_FILE ${fatbin})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/cuda_image.cc.in ${symbol}.cc @ONLY)
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc PROPERTIES
    OBJECT_DEPENDS ${fatbin} SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc)
endfunction()
