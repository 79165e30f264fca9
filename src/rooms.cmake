# The object libraries of rooms, with their options and units.

# Read once for all files: half of the time that these take. Each file still includes what it uses,
# which a build with ccache, where this is off, makes sure of.
set(heavy_headers <algorithm> <functional> <map> <memory> <sstream> <string> <vector>
                  <glog/logging.h> <singa/proto/job.pb.h> CACHE INTERNAL "")
# g++ forgets which of them are the system's, where it would not warn. With its sanitizers it would of
# much more, so it says nothing there: release says it.
set(less_warnings -Wno-stringop-overflow -Wno-array-bounds)
if(SINGA_SANITIZE)
  set(less_warnings -w)
endif()
set(less_warnings $<$<COMPILE_LANG_AND_ID:CXX,GNU>:${less_warnings}> CACHE INTERNAL "")

# unite_kernels(room list): in a list of sources, puts one file in the place of a room's .cu files, as
# CMake's unity builds (of C++ alone, in 3.25) do. nvcc reads the headers of each file for the host
# and for each architecture. All headers come first; then each file is in a namespace of its own, as
# names in their anonymous ones are the same. Files with options or definitions of their own stay.
function(unite_kernels name sources_of_room)
  set(united ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.cu)
  set(headers "")
  set(files "")
  foreach(source ${${sources_of_room}})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    file(STRINGS ${source} variants REGEX "bool registered")
    if(source MATCHES "\\.cu$" AND variants AND NOT options)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
      file(STRINGS ${source} includes REGEX "^#include")
      list(APPEND headers ${includes})
      cmake_path(GET source STEM stem)
      string(APPEND files "namespace singa::of_${stem} {\n#include \"${source}\"\n}\n")
      list(REMOVE_ITEM ${sources_of_room} ${source})
    endif()
  endforeach()
  if(files)
    list(REMOVE_DUPLICATES headers)
    list(JOIN headers "\n" headers)
    file(CONFIGURE OUTPUT ${united} CONTENT "${headers}\n${files}" @ONLY)
    list(APPEND ${sources_of_room} ${united})
  endif()
  set(${sources_of_room} ${${sources_of_room}} PARENT_SCOPE)
endfunction()

# singa_objects(target header_target source...): an object library with the options of rooms. It compiles
# the heavy headers, or takes those of header_target, if this has another name.
function(singa_objects target header_target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(
    ${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${public_gen_dir} ${PROJECT_SOURCE_DIR}/src)
  # -Wrestrict of g++ 12 misfires on std::string's operator+ (gcc.gnu.org/PR105651). clang says
  # where it does not vectorise what `omp simd` asks for: without optimisation, everywhere.
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Werror>
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
            $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>
            $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Werror=all-warnings>)
  target_compile_definitions(${target} PRIVATE SINGA_ROOM)
  # Files that share headers and templates compile together: 48 in a unit take two thirds of the time of
  # 16 in a unit. More would leave cores of larger machines without work.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden UNITY_BUILD_BATCH_SIZE 48
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(
    ${target} PUBLIC singa_proto protobuf::libprotobuf PkgConfig::glog PkgConfig::gflags
                     PkgConfig::sodium PkgConfig::jpeg PkgConfig::png PkgConfig::archive
                     PkgConfig::lmdb PkgConfig::zmq ${picture_libraries} ZLIB::ZLIB OpenMP::OpenMP_CXX
                     nlohmann_json::nlohmann_json Threads::Threads)
  if(SINGA_COVERAGE)
    target_compile_options(${target} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
  endif()
  if(SINGA_ONEDNN)
    target_link_libraries(${target} PUBLIC singa_dnnl)
  elseif(cpu_library)
    target_link_libraries(${target} PUBLIC PkgConfig::openblas)
  endif()
  if(SINGA_CUDA)
    target_link_libraries(${target} PUBLIC singa_cuda)
  endif()
  if(SINGA_PRECOMPILED_HEADERS)
    target_compile_options(${target} PRIVATE ${less_warnings})
    if(target STREQUAL header_target)
      target_precompile_headers(${target} PRIVATE ${heavy_headers})
    else()
      target_precompile_headers(${target} REUSE_FROM ${header_target})
    endif()
  endif()
endfunction()

# singa_room(name): src/<name>/**.cc and .cu as the object library singa_<name>. The libraries of a room
# are appended to `rooms`.
function(singa_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cu)
  foreach(suffix ${optional_suffixes})
    list(FILTER sources EXCLUDE REGEX "${suffix}$")
  endforeach()
  if(NOT sources)
    return()
  endif()
  # In a unity build (CMAKE_UNITY_BUILD) files that register variants of one operation stay alone.
  set(kernels "")
  foreach(source ${sources})
    file(STRINGS ${source} variants REGEX "bool registered")
    if(variants)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    file(STRINGS ${source} loops REGEX "SINGA_CPU_CLONES|#pragma omp|_mm256_")
    if(variants OR loops OR source MATCHES "\\.cu$")
      list(APPEND kernels ${source})
    endif()
  endforeach()
  set(others ${sources})
  list(REMOVE_ITEM others ${kernels})
  if(SINGA_CUDA AND CMAKE_UNITY_BUILD)
    unite_kernels(${name} kernels)
  endif()
  # These rooms compute little outside their kernels: -O1 compiles them in two thirds of the time. With
  # sanitizers, -O0 does so in half of the time, as io's JSON takes long to optimise.
  set(fast_to_compile train cluster driver)
  set(optimisation $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  if(SINGA_SANITIZE)
    set(fast_to_compile io cluster driver)
    set(optimisation -O0)
  endif()
  if(name IN_LIST fast_to_compile)
    list(GET fast_to_compile 0 first)
    singa_objects(singa_${name} singa_${first} ${others})
    target_compile_options(singa_${name} PRIVATE ${optimisation})
    if(kernels)
      singa_objects(singa_${name}_kernels singa_base ${kernels})
      list(APPEND rooms singa_${name}_kernels)
    endif()
  else()
    singa_objects(singa_${name} singa_base ${others} ${kernels})
  endif()
  set(rooms ${rooms} singa_${name} PARENT_SCOPE)
endfunction()
