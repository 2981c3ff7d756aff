// SPDX-License-Identifier: Apache-2.0
// What is kept of a command line and of names of files, and that the page names all that can be.
#include <gtest/gtest.h>

#include "agent/provenance_words.h"
#include "app/files.h"

namespace bohr::agent {
namespace {

TEST(AgentProvenance, TheProgramIsNamedWithoutItsFolderAndArguments) {
  EXPECT_EQ(program_words({"/opt/bin/server", "--api-key", "hush"}), "server");
  EXPECT_EQ(program_words({"/venv/bin/python3", "-u", "-X", "dev", "/home/me/serve.py", "--tp"}),
            "python3 serve.py");
  EXPECT_EQ(program_words({"python", "-m", "sglang.launch_server", "--tp", "2"}),
            "python -m sglang.launch_server");
  EXPECT_EQ(program_words({"python", "-c", "print('hush')"}), "python -c");
  EXPECT_EQ(program_words({"python"}), "python");
  EXPECT_EQ(program_words({}), "");
}

TEST(AgentProvenance, OptionsOnTheListAndNoOthers) {
  const Settings settings =
      allowed_options({"serve", "--tp", "2", "--api-key", "hush", "--dtype=bfloat16",
                       "--enforce-eager", "--quantization", "/home/me/q.json", "--", "--dp", "4"});
  const Settings wanted = {{"--tp", "2"},
                           {"--dtype", "bfloat16"},
                           {"--enforce-eager", "set"},
                           {"--quantization", "(a path)"}};
  EXPECT_EQ(settings, wanted);
  EXPECT_TRUE(allowed_options({"--tp"}).empty());  // the program's own name
  EXPECT_EQ(allowed_options({"x", "--tp"}), (Settings{{"--tp", "set"}}));
}

TEST(AgentProvenance, LongValuesAreCut) {
  EXPECT_EQ(kept_value(std::string(5000, 'x')).size(), kMaxValue + 3);
  EXPECT_EQ(kept_value("max_split_size_mb:64"), "max_split_size_mb:64");
}

TEST(AgentProvenance, LibrariesByTheirFile) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(library_of("libcudnn.so.9.10.2"), Pair("libcudnn", "9.10.2"));
  EXPECT_EQ(library_of("libnccl.so.2"), Pair("libnccl", "2"));
  EXPECT_EQ(library_of("libtorch_cuda.so"), Pair("libtorch_cuda", ""));
  EXPECT_EQ(library_of("libcudnn.so.9-of-me"), Pair("libcudnn", ""));
  EXPECT_EQ(library_of("libcudnn_adv.so.9"), Pair());
  EXPECT_EQ(library_of("libsecret.so.1"), Pair());
  EXPECT_EQ(library_of(""), Pair());
}

TEST(AgentProvenance, PackagesByTheirFolder) {
  using Pair = std::pair<std::string, std::string>;
  const std::string packages = "/home/me/venv/lib/python3.12/site-packages/";
  EXPECT_EQ(package_of(packages + "cupy/_core/core.so"), Pair(packages, "cupy"));
  EXPECT_EQ(package_of(packages + "nvidia/nccl/lib/libnccl.so.2"), Pair(packages, "nvidia_nccl"));
  EXPECT_EQ(package_of(packages + "mine/secret.so"), Pair());
  EXPECT_EQ(package_of(packages + "cupy"), Pair());
  EXPECT_EQ(package_of("/usr/lib/libcupy.so"), Pair());
  std::string version;
  EXPECT_TRUE(version_of_package("cupy_cuda12x-13.4.1.dist-info", "cupy", &version));
  EXPECT_EQ(version, "13.4.1");
  EXPECT_TRUE(version_of_package("nvidia_nccl_cu12-2.27.3.dist-info", "nvidia_nccl", &version));
  EXPECT_EQ(version, "2.27.3");
  EXPECT_FALSE(version_of_package("torchvision-0.20.dist-info", "torch", &version));
  EXPECT_FALSE(version_of_package("torch-2.11.0.egg-info", "torch", &version));
  EXPECT_FALSE(version_of_package("torch-", "torch", &version));
  EXPECT_EQ(version, "2.27.3");
}

TEST(AgentProvenance, ThePageNamesAllThatCanBeKept) {
  const std::string page =
      app::read_text(std::string(BOHR_SOURCE_DIR) + "/docs/provenance.md").value();
  const auto named = [&](const std::string& name) {
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  };
  for (const char* name : kAllowedVariables) named(name);
  for (const char* name : kAllowedLibraries) named(name);
  for (const char* name : kAllowedPackages) named(name);
  for (const char* name : kAllowedOptions) named(std::string("--") + name);
  const std::string shim =
      app::read_text(std::string(BOHR_SOURCE_DIR) + "/python/bohr/_shim.py").value();
  const size_t begin = shim.find("_PACKAGES = (");
  ASSERT_NE(begin, std::string::npos);
  const std::string list = shim.substr(begin, shim.find(')', begin) - begin);
  size_t count = 0;
  for (size_t at = 0; (at = list.find('"', at)) != std::string::npos; ++count) {
    const size_t end = list.find('"', at + 1);
    named(list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  EXPECT_GT(count, 5u);
}

}  // namespace
}  // namespace bohr::agent
