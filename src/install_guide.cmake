# Writes the pages of `guide` into the folder `texts`, with links that hold where they are installed:
# those to proto/ and include/ lead there, and those to other folders of the source are plain text.
file(REMOVE_RECURSE ${texts}/guide)
file(COPY ${guide} DESTINATION ${texts})
file(GLOB_RECURSE pages ${texts}/guide/*.md)
foreach(page ${pages})
  file(READ ${page} text)
  string(REPLACE "](../../proto" "](${proto}" text "${text}")
  string(REPLACE "](../../include/singa" "](${include}" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./\\.\\./[a-zA-Z][^)]*\\)" "\\1" text "${text}")
  file(WRITE ${page} "${text}")
endforeach()
