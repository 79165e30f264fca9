// A plugin is a shared library of layers, updaters, schedules, initializers, algorithms and
// extensions of the schema. A job names it by `plugin: "path"`, a command by --plugin.
//
//   SINGA_REGISTER_LAYER(Gate, GateLayer);   // any number of registrations, of any kind
//   SINGA_PLUGIN();                          // once in each library
//
// singa_plugin() of `find_package(singa CONFIG)` builds one; see examples/custom_layer.
#pragma once

#include <google/protobuf/stubs/common.h>

#include "singa/driver/interface_id.h"

#define SINGA_TEXT_OF(x) #x
#define SINGA_TEXT(x) SINGA_TEXT_OF(x)

// The debug mode of the standard library gives its containers another layout.
#ifdef _GLIBCXX_DEBUG
#define SINGA_CONTAINERS "debug"
#else
#define SINGA_CONTAINERS "release"
#endif

// Properties that must be equal in a plugin and in singa: one line each, "name: value".
#define SINGA_PLUGIN_MARK "\nsinga plugin\n"
#define SINGA_ABI \
  "singa version: " SINGA_VERSION_TEXT "\n"                          \
  "hash of singa's headers and protos: " SINGA_INTERFACE_ID "\n"     \
  "protobuf version: " SINGA_TEXT(GOOGLE_PROTOBUF_VERSION) "\n"      \
  "_GLIBCXX_USE_CXX11_ABI: " SINGA_TEXT(_GLIBCXX_USE_CXX11_ABI) "\n" \
  "layout of containers (_GLIBCXX_DEBUG): " SINGA_CONTAINERS "\n"

// singa looks for this text in the file before it runs any of the plugin's code.
#define SINGA_PLUGIN()                                                               \
  extern "C" __attribute__((visibility("default"), used)) const char singa_plugin[]; \
  const char singa_plugin[] = SINGA_PLUGIN_MARK SINGA_ABI
