// SPDX-License-Identifier: Apache-2.0
// The recorder's life: armed when the program initialises the driver, closed when the process ends.
// It is a guest's guest: nothing here prints, throws or ends the process, and every failure ends in
// <pid>.error or in the log.
//
// A forked child must not use what it inherited: the atfork handler lets go of the log, and the
// child is armed anew only by its own cuInit after an exec.
#pragma once

#include <string>

#include "agent/recorder.h"

namespace bohr::agent {

// One of the ways by which driver calls reach the recorder. Both say why where they fail.
struct Way {
  bool (*load)(Recorder& r, std::string* why);   // what it needs
  bool (*begin)(Recorder& r, std::string* why);  // from here on calls may come
  void (*end)(Recorder& r);                      // before the log is closed
};

// Does nothing where BOHR_DIR names no folder, or where the process has a rank that is not wanted
// and nothing is to be repaired.
void arm(const Way& way);

}  // namespace bohr::agent
