# `cpack --config build/CPackConfig.cmake -G DEB` makes three Debian packages of a complete build:
# singa (component program), libsinga0 (library) and libsinga-dev (development). dpkg-shlibdeps
# finds their dependencies. A job loads CUDA's libraries when it needs them, so that no package
# depends on them.
# As Debian's tools do, a build takes its maintainer from the environment. The default address is
# invalid on purpose: lintian refuses user@host without a domain.
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(maintainer "Local build <nobody@singa.invalid>")
endif()
set(SINGA_MAINTAINER "${maintainer}" CACHE STRING "who answers for the packages: Name <address>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/prepare_deb.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${SINGA_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

set(what "SINGA trains feed-forward, convolutional, residual and recurrent nets, and
nets with attention, on CPUs and NVIDIA GPUs, by one thread or many hosts.
A text file describes the job.")
set(same_version "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME singa)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libsinga0 ${same_version}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3, python3-matplotlib, libsinga-dev")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "distributed deep-learning training system
${what}
.
This package has the program, its manual, the guide and the examples.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsinga0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_BINARY_DIR}/deb_library/shlibs;${PROJECT_BINARY_DIR}/deb_library/triggers")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "distributed deep-learning training system - library
${what}
.
This package has the shared library, with all that the program singa does.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsinga-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The CMake package names the program, too; the headers are those of protobuf's compiler.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libsinga0 ${same_version}, singa ${same_version}, libprotobuf-dev, protobuf-compiler")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "distributed deep-learning training system - headers
${what}
.
This package has headers, protos and the CMake package, for layers,
updaters and programs of your own.")

# The soname's package, for programs that are linked with the library; ldconfig runs after it.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/deb_library/shlibs
     CONTENT "libsinga 0 libsinga0 ${same_version}\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/deb_library/triggers
     CONTENT "activate-noawait ldconfig\n")
configure_file(${PROJECT_SOURCE_DIR}/tool/package/prepare_deb.cmake.in
               ${PROJECT_BINARY_DIR}/prepare_deb.cmake @ONLY)
include(CPack)
