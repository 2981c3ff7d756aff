// SPDX-License-Identifier: Apache-2.0
// Names and values from the records that say how a program ran.
#include <gtest/gtest.h>

#include "imported.h"
#include "log_builder.h"

namespace bohr::trace {
namespace {

using List = std::vector<bohr::Provenance>;

List provenance_of(const LogBuilder& b) { return imported(b).provenance; }

TEST(ImportProvenance, EachNameOnceInTheOrderOfThePage) {
  LogBuilder b;
  b.add(Provenance{ProvenanceKind::option, b.text("--tp"), b.text("2")});
  b.add(Process{.pid = 7,
                .command = b.text("python3 serve.py"),
                .recorder = b.text("0.6"),
                .driver = 13000,
                .driver_text = b.text("580.1")});
  b.add(Device{0, b.text("NVIDIA H200"), 1});
  b.add(Framework{b.text("torch"), b.text("2.11.0"), b.text("native"), {}});
  b.add(Provenance{ProvenanceKind::variable, b.text("RANK"), b.text("1")});
  b.add(Provenance{ProvenanceKind::library, b.text("libcudnn"), b.text("9")});
  b.add(Provenance{ProvenanceKind::library, b.text("libcudnn"), b.text("9.10.2")});
  b.add(Provenance{ProvenanceKind::package, b.text("torch"), b.text("2.11.0+cu130")});
  const List wanted = {{"program", "python3 serve.py"},
                       {"driver", "580.1"},
                       {"CUDA of the driver", "13.0"},
                       {"recorder", "0.6"},
                       {"GPU 0", "NVIDIA H200"},
                       {"torch", "2.11.0+cu130"},
                       {"torch allocator", "native"},
                       {"libcudnn", "9.10.2"},
                       {"RANK", "1"},
                       {"--tp", "2"}};
  EXPECT_EQ(provenance_of(b), wanted);
}

TEST(ImportProvenance, AnOlderLogHasWhatItHas) {
  LogBuilder b;
  EXPECT_TRUE(provenance_of(b).empty());
  b.add(Provenance{});  // of nothing
  EXPECT_TRUE(provenance_of(b).empty());
}

TEST(ImportProvenance, AMillionNamesAreNotKept) {
  LogBuilder b;
  for (int i = 0; i < 3000; ++i)
    b.add(Provenance{ProvenanceKind::option, b.text("o" + std::to_string(i)), b.text("x")});
  EXPECT_EQ(provenance_of(b).size(), 1000u);
}

}  // namespace
}  // namespace bohr::trace
