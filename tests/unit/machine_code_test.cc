// SPDX-License-Identifier: Apache-2.0
// Listings of nvcc's code for sm_90, as cuobjdump and nvdisasm print them.
#include "trace/machine_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bohr::trace {
namespace {

// A function of cuobjdump's whose instructions lie 16 bytes apart.
GridCode code_of(const std::vector<std::string>& instructions, const std::string& arch = "90") {
  std::string listing = "\tcode for sm_" + arch + "\n\t\tFunction : _Z1kPf\n";
  char address[32];
  for (size_t i = 0; i < instructions.size(); ++i) {
    std::snprintf(address, sizeof address, "        /*%04zx*/", 16 * i);
    listing += address + std::string("                   ") + instructions[i] +
               " ;   /* 0x000000000000782e */\n";
  }
  const GridCodes codes = read_machine_code(listing);
  return codes.empty() ? GridCode() : codes.begin()->second;
}

const std::string kLoad = "LDG.E R2, desc[UR4][R2.64]";

TEST(MachineCode, AWaitAheadOfAllAccessesIsFirst) {
  EXPECT_EQ(code_of({"S2R R0, SR_TID.X", "LDC R1, c[0x0][0x28]", "ACQBULK", kLoad, "EXIT"}).wait,
            GridWait::first);
}

TEST(MachineCode, AnAccessAheadOfTheWaitMakesItLate) {
  EXPECT_EQ(code_of({kLoad, "ACQBULK", kLoad, "EXIT"}).wait, GridWait::later);
  EXPECT_EQ(code_of({"UTMALDG.2D [UR8], [UR4]", "ACQBULK", "EXIT"}).wait, GridWait::later);
  EXPECT_EQ(code_of({"UTMAPF.L2.2D [UR8]", "LDS R0, [R1]", "ACQBULK", "EXIT"}).wait,
            GridWait::first);
}

TEST(MachineCode, CodeWithoutAWaitNeverWaits) {
  const GridCode code = code_of({kLoad, "EXIT"});
  EXPECT_EQ(code.wait, GridWait::never);
  EXPECT_FALSE(code.triggers);
}

TEST(MachineCode, ATriggerIsSeen) { EXPECT_TRUE(code_of({"PREEXIT", kLoad, "EXIT"}).triggers); }

TEST(MachineCode, ABranchAroundTheWaitMakesItLate) {
  EXPECT_EQ(code_of({"@!P0 BRA 0x20", "ACQBULK", kLoad, "EXIT"}).wait, GridWait::later);
  EXPECT_EQ(code_of({"@!P0 BRA 0x20", "ACQBULK", "EXIT"}).wait, GridWait::first);
}

TEST(MachineCode, AWaitWithAPredicateIsNoneForTheOthers) {
  EXPECT_EQ(code_of({"@P0 ACQBULK", kLoad, "EXIT"}).wait, GridWait::later);
}

TEST(MachineCode, ALoopAheadOfTheWaitEnds) {
  EXPECT_EQ(code_of({"IADD3 R0, R0, 0x1, RZ", "@P0 BRA 0x0", "ACQBULK", kLoad, "EXIT"}).wait,
            GridWait::first);
}

TEST(MachineCode, WhatIsJumpedOverIsNoAccess) {
  EXPECT_EQ(code_of({"BRA 0x20", kLoad, "ACQBULK", "EXIT"}).wait, GridWait::first);
}

TEST(MachineCode, ThreadsThatWereParkedGoOnWhereTheBarrierSays) {
  EXPECT_EQ(code_of({"BSSY B0, 0x30", "@P0 BRA 0x30", "BSYNC B0", "ACQBULK", kLoad, "EXIT"}).wait,
            GridWait::first);
  EXPECT_EQ(code_of({"BSSY B0, 0x40", "@P0 BRA 0x30", "ACQBULK", "BSYNC B0", kLoad, "EXIT"}).wait,
            GridWait::later);
}

TEST(MachineCode, ATargetThatIsNotWrittenDownLeavesItUnknown) {
  EXPECT_EQ(code_of({"BRX R2", "ACQBULK", kLoad, "EXIT"}).wait, GridWait::unknown);
  EXPECT_EQ(code_of({"CALL.ABS.NOINC R2", "PREEXIT", "EXIT"}), GridCode());
  EXPECT_EQ(code_of({"ACQBULK", "BRX R2", kLoad}).wait, GridWait::first)
      << "behind the wait it does not matter";
}

TEST(MachineCode, OlderDevicesAreLeftOut) { EXPECT_EQ(code_of({kLoad, "EXIT"}, "80"), GridCode()); }

TEST(MachineCode, TwoCodesOfOneNameThatDisagreeAreUnknown) {
  const std::string head = "\tcode for sm_90\n\t\tFunction : _Z1kPf\n";
  const std::string first = head + "/*0000*/ ACQBULK ;\n/*0010*/ EXIT ;\n";
  const std::string second = head + "/*0000*/ EXIT ;\n";
  EXPECT_EQ(read_machine_code(first + first).at("_Z1kPf").wait, GridWait::first);
  EXPECT_EQ(read_machine_code(first + second).at("_Z1kPf").wait, GridWait::unknown);
}

TEST(MachineCode, NvdisasmNamesTargetsByLabels) {
  const GridCodes codes = read_machine_code(
      "\t.target\tsm_90a\n"
      "\t.section\t.text._Z1kPf,\"ax\",@progbits\n"
      "_Z1kPf:\n"
      ".text._Z1kPf:\n"
      "        /*0000*/              @!P0 BRA `(.L_x_0) ;\n"
      "        /*0010*/                   ACQBULK ;\n"
      ".L_x_0:\n"
      "        /*0020*/                   LDG.E R2, desc[UR4][R2.64] ;\n"
      "        /*0030*/                   EXIT ;\n"
      ".L_x_1:\n"
      "        /*0040*/                   BRA `(.L_x_1);\n");
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_EQ(codes.at("_Z1kPf").wait, GridWait::later);
}

}  // namespace
}  // namespace bohr::trace
