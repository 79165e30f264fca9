# Installs the library for users' layers, plugins and programs: `find_package(singa CONFIG)` or
# `pkg-config singa`. The generated headers include each other flat, so a user's proto may
# `import "job.proto"`. The components are the packages of package.cmake; `cmake --install` without
# --component installs all of them.
include(CMakePackageConfigHelpers)

install(TARGETS singa EXPORT singa-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS singa_main COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/singa ${public_gen_dir}/singa
        TYPE INCLUDE COMPONENT development)
install(DIRECTORY ${gen_dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/singa/proto
        COMPONENT development FILES_MATCHING PATTERN "*.pb.h")
install(FILES ${proto_files} ${PROJECT_SOURCE_DIR}/proto/README.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/singa/proto COMPONENT development)

# The manual, the guide, the examples, and the program that draws curves.
install(FILES ${PROJECT_SOURCE_DIR}/conf/reference.conf ${PROJECT_SOURCE_DIR}/conf/hostfile
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
set(texts_dir ${CMAKE_CURRENT_BINARY_DIR}/texts)
set(guide_dir ${CMAKE_INSTALL_FULL_DOCDIR}/guide)
file(RELATIVE_PATH proto_from_guide ${guide_dir} ${CMAKE_INSTALL_FULL_DATADIR}/singa/proto)
file(RELATIVE_PATH include_from_guide ${guide_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR}/singa)
install(CODE "set(guide \"${PROJECT_SOURCE_DIR}/conf/guide\")\nset(texts \"${texts_dir}\")
set(proto \"${proto_from_guide}\")\nset(include \"${include_from_guide}\")" COMPONENT program)
install(SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/install_guide.cmake COMPONENT program)
install(DIRECTORY ${texts_dir}/guide DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT program
        PATTERN data EXCLUDE PATTERN "*.bin" EXCLUDE PATTERN "build*" EXCLUDE
        PATTERN __pycache__ EXCLUDE PATTERN measure.py EXCLUDE)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tool/plot TYPE BIN COMPONENT program RENAME singa-plot)

# The program itself writes completion and man pages, which another machine's program cannot.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "set(singa_program \"$<TARGET_FILE:singa_main>\")\nset(texts \"${texts_dir}\")"
          COMPONENT program)
  install(SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/install_texts.cmake COMPONENT program)
  install(DIRECTORY ${texts_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  install(FILES ${texts_dir}/singa COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${texts_dir}/_singa COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

set(singa_cuda_architectures "")
if(SINGA_CUDA)
  set(singa_cuda_architectures ${CMAKE_CUDA_ARCHITECTURES})
endif()
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/singa)
install(EXPORT singa-targets NAMESPACE singa:: DESTINATION ${cmake_dir} COMPONENT development)
configure_package_config_file(
  ${CMAKE_CURRENT_SOURCE_DIR}/singa-config.cmake.in ${PROJECT_BINARY_DIR}/singa-config.cmake
  INSTALL_DESTINATION ${cmake_dir} PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/singa-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/singa-config.cmake
              ${PROJECT_BINARY_DIR}/singa-config-version.cmake
        DESTINATION ${cmake_dir} COMPONENT development)

file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(singa.pc.in ${PROJECT_BINARY_DIR}/singa.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/singa.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
