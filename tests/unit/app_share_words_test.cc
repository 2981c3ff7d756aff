// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/share_words.h"

namespace bohr::app {
namespace {

TEST(AppShareWords, PathsKeepWhatEverybodyHas) {
  ShareWords words({"alice"});
  const auto path = [&](const std::string& text) { return words.scrub(TextKind::path, text); };
  EXPECT_EQ(path("/usr/lib/python3.12/threading.py"), "/usr/lib/python3.12/threading.py");
  EXPECT_EQ(path("/home/alice/secret-plan/serve.py"), "/home/dir1/dir2/serve.py");
  EXPECT_EQ(path("/home/alice/secret-plan/model/v.py"), "/home/dir1/dir2/dir3/v.py");
  EXPECT_EQ(path("/home/alice/.venv/lib/python3.12/site-packages/torch/cuda/graphs.py"),
            "/home/dir1/.venv/lib/python3.12/site-packages/torch/cuda/graphs.py");
  EXPECT_EQ(path("/x/site-packages/alice_tools/a.py"), "/dir4/site-packages/u1xxx_tools/a.py");
  EXPECT_EQ(path("<frozen runpy>"), "<frozen runpy>");
  EXPECT_EQ(path("<prompt: hello!>"), "file1");
  EXPECT_EQ(path("serve.py"), "serve.py");
  EXPECT_EQ(path("/usr/local/cuda-13.0/lib64/libcudart.so.13"),
            "/usr/local/cuda-13.0/lib64/libcudart.so.13");
}

TEST(AppShareWords, NamesOfPeopleGoWhereverTheyStandAsAWord) {
  ShareWords words({"alice", "gpu-node-7", "al", "root"});
  const auto code = [&](const std::string& text) { return words.scrub(TextKind::code, text); };
  // Mangled names count their letters, so a pseudonym is as long as the name.
  EXPECT_EQ(code("_ZN5alice6kernelEPf"), "_ZN5u2xxx6kernelEPf");
  EXPECT_EQ(code("run_ALICE(at::Tensor)"), "run_u2xxx(at::Tensor)");
  EXPECT_EQ(code("malice"), "malice");
  EXPECT_EQ(code("alicent"), "alicent");
  EXPECT_EQ(code("on gpu-node-7."), "on u1xxxxxxxx.");
  EXPECT_EQ(code("al root"), "al root");
}

TEST(AppShareWords, NamesAndSentences) {
  ShareWords words({});
  EXPECT_EQ(words.scrub(TextKind::name, "bs=8"), "bs=8");
  EXPECT_EQ(words.scrub(TextKind::name, "Tell me a secret"), "text1");
  EXPECT_EQ(words.scrub(TextKind::name, "Tell me a secret"), "text1");
  EXPECT_EQ(words.scrub(TextKind::name, "sk0123456789abcdef0123456789"), "text2");
  EXPECT_EQ(words.scrub(TextKind::name, "caf\xc3\xa9"), "text3");
  EXPECT_EQ(words.scrub(TextKind::sentence, "shim: KeyError('my secret')"),
            "shim: KeyError('text4')");
  EXPECT_EQ(words.scrub(TextKind::sentence, "cannot create /home/bob/run/1.bohr: denied"),
            "cannot create /home/dir1/dir2/1.bohr: denied");
  EXPECT_EQ(words.scrub(TextKind::sentence, "the stream's queue"), "the stream's queue");
  EXPECT_EQ(words.scrub(TextKind::plain, "2.11.0+cu130"), "2.11.0+cu130");
  EXPECT_EQ(words.scrub(TextKind::plain, "a/b"), "text5");
  EXPECT_EQ(words.scrub(TextKind::unknown, "x"), "text6");
  EXPECT_EQ(words.scrub(TextKind::fixed, "lost-records"), "lost-records");
}

TEST(AppShareWords, CommandsKeepProgramAndScript) {
  ShareWords words({});
  const auto command = [&](const char* text) { return words.scrub(TextKind::command, text); };
  EXPECT_EQ(command("/home/bob/bin/python3 /home/bob/serve.py --key=abc x"), "python3 serve.py …");
  EXPECT_EQ(command("python3 -X dev -m vllm.entrypoints --model secret"),
            "python3 -m vllm.entrypoints …");
  EXPECT_EQ(command("server"), "server");
  EXPECT_EQ(command("server secret"), "server …");
}

TEST(AppShareWords, OwnersOfHomes) {
  std::set<std::string> names;
  add_home_owner("/home/alice/x and /Users/bob", &names);
  add_home_owner("/home/root/x /home/ab/y /home/123", &names);
  EXPECT_EQ(names, (std::set<std::string>{"alice", "bob"}));
}

}  // namespace
}  // namespace bohr::app
