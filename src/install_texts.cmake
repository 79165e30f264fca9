# Writes completion scripts and man pages into the folder `texts`, before they are installed. The
# program writes them, but for the page of singa-plot.
foreach(shell_file bash:singa zsh:_singa)
  string(REPLACE ":" ";" pair ${shell_file})
  list(GET pair 0 shell)
  list(GET pair 1 name)
  file(MAKE_DIRECTORY ${texts})
  execute_process(COMMAND ${singa_program} completion ${shell} OUTPUT_FILE ${texts}/${name}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE ${texts}/man1 ${texts}/pages)
execute_process(COMMAND ${singa_program} completion man ${texts}/pages COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../tool/package/singa-plot.1 DESTINATION ${texts}/pages)
file(MAKE_DIRECTORY ${texts}/man1)
file(GLOB pages RELATIVE ${texts}/pages ${texts}/pages/*.1)
foreach(page ${pages})
  file(ARCHIVE_CREATE OUTPUT ${texts}/man1/${page}.gz PATHS ${texts}/pages/${page} FORMAT raw
       COMPRESSION GZip COMPRESSION_LEVEL 9)
endforeach()
