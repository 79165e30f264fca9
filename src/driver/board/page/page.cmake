# The page of `singa board` as texts in the library: one HTML file, one style sheet and one script.
# Debian's dygraphs is in front of our own script. Without it, the page says that it has no charts.
set(page_dir ${CMAKE_CURRENT_LIST_DIR})
find_path(SINGA_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs)

# board_js, board_css: the texts of files, one behind the other.
set(board_js "")
set(board_css "")
if(SINGA_DYGRAPHS)
  file(READ ${SINGA_DYGRAPHS}/dygraph.min.js board_js)
  file(READ ${SINGA_DYGRAPHS}/dygraph.min.css board_css)
  # A browser's tools would ask the server for these files.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" board_js "${board_js}")
  string(REGEX REPLACE "/\\*# sourceMappingURL=[^\n]*" "" board_css "${board_css}")
else()
  message(STATUS "no charts in `singa board`: dygraph.min.js (libjs-dygraphs) is not found "
                 "(-DSINGA_DYGRAPHS=FOLDER says where)")
endif()
file(READ ${page_dir}/board.html board_html)
file(READ ${page_dir}/board.css own_css)
string(APPEND board_css "\n${own_css}")
string(APPEND board_js "\n(() => {\n'use strict';\n")
# A script uses at its start only what those before it define.
set(scripts dom state smoothing series charts runs conf_text net ranks panels poll main)
foreach(script ${scripts})
  file(READ ${page_dir}/${script}.js text)
  string(APPEND board_js "${text}")
endforeach()
string(APPEND board_js "})();\n")
file(GLOB page_sources CONFIGURE_DEPENDS ${page_dir}/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_sources})
configure_file(${page_dir}/page_files.cc.in ${CMAKE_CURRENT_BINARY_DIR}/page_files.cc @ONLY)
target_sources(singa_driver PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/page_files.cc)
