# SPDX-License-Identifier: GPL-2.0-or-later
#
# tenure_test(NAME PROFILE FILE FAIL_ON LIMIT... [RECORD OPTION...] COMMAND PROGRAM [ARGUMENT...]): a test that records
# a program, compares it with a stored profile, and fails if a limit is passed (`tenure help builds`). A first word of
# COMMAND that names a target is its program. Arguments that are empty or have a semicolon arrive as CMake's lists do:
# without it, or as several.
find_program(TENURE tenure REQUIRED)

function(tenure_test name)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "PROFILE" "FAIL_ON;RECORD;COMMAND")
  foreach(needed PROFILE FAIL_ON COMMAND)
    if(NOT DEFINED given_${needed})
      message(FATAL_ERROR "tenure_test(${name}): ${needed} is missing")
    endif()
  endforeach()
  get_filename_component(stored "${given_PROFILE}" ABSOLUTE)
  list(TRANSFORM given_FAIL_ON PREPEND --fail-on=)
  list(POP_FRONT given_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(recorded "${CMAKE_CURRENT_BINARY_DIR}/${name}.profile")
  add_test(NAME ${name}.record
           COMMAND "${TENURE}" record -q ${given_RECORD} -o "${recorded}" -- ${program} ${given_COMMAND})
  add_test(NAME ${name} COMMAND "${TENURE}" diff ${given_FAIL_ON} "${stored}" "${recorded}")
  set_tests_properties(${name}.record PROPERTIES FIXTURES_SETUP ${name}.profile)
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${name}.profile)
endfunction()
