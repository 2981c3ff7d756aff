// SPDX-License-Identifier: Apache-2.0
#include "trace/import_kernel_name.h"

#include <gtest/gtest.h>

namespace bohr::trace {
namespace {

TEST(KernelLabel, LeavesOutParametersTemplatesAndEmptyNamespaces) {
  EXPECT_EQ(kernel_label("_Z7consumePKfPfii"), "consume");
  EXPECT_EQ(kernel_label("_Z7consumeIfEvPKT_PS0_ii"), "consume");
  EXPECT_EQ(kernel_label("_ZN4vllm15rms_norm_kernelIN3c108BFloat16EEEvPT_"),
            "vllm::rms_norm_kernel");
  EXPECT_EQ(kernel_label("_ZN12_GLOBAL__N_16kernelEPf"), "kernel");
  EXPECT_EQ(kernel_label("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
}

TEST(KernelLabel, TellsGenericKernelsApartByTheirOperator) {
  EXPECT_EQ(kernel_label("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIfffN"
                         "S0_15binary_internal10MulFunctorIfEEEESt5arrayIPcLm3EEEEviT0_T1_"),
            "vectorized_elementwise_kernel(MulFunctor)");
  EXPECT_EQ(kernel_label("_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_15sin_kernel_cuda"
                         "ERNS_18TensorIteratorBaseEENKUlvE0_clEvENKUlvE0_clEvEUlfE_St5arrayIPcLm2E"
                         "EEEviT0_T1_"),
            "vectorized_elementwise_kernel(sin_kernel_cuda)");
}

TEST(KernelLabel, OfDamagedNamesIsTheNameItself) {
  EXPECT_EQ(kernel_label("_Z"), "_Z");
  EXPECT_EQ(kernel_label("_Z99999999999999999999k"), "_Z99999999999999999999k");
  EXPECT_EQ(kernel_label("_ZN"), "_ZN");
  EXPECT_EQ(kernel_label(""), "");
  EXPECT_EQ(kernel_label(std::string(100000, 'x')).size(), 64u);
}

using Reads = std::vector<bool>;

Reads read_only_parameters(const std::string& mangled, const std::vector<uint64_t>& sizes) {
  Reads reads;
  for (const ParameterType& type : parameter_types(mangled, sizes)) reads.push_back(type.read_only);
  return reads;
}

TEST(ReadOnlyParameters, ArePointersToConstantData) {
  EXPECT_EQ(read_only_parameters("_Z1kPKfPfi", {8, 8, 4}), (Reads{true, false, false}));
  EXPECT_EQ(read_only_parameters("_Z1kIfEvPKT_PS0_", {8, 8}), (Reads{true, false}));
  EXPECT_EQ(read_only_parameters("_Z1kPKvPKPf", {8, 8}), (Reads{true, false}));
  EXPECT_EQ(read_only_parameters("_Z1k6StructPKS_", {64, 8}), (Reads{false, true}));
}

TEST(ReadOnlyParameters, AreSeenThroughTemplateArguments) {
  // k<float const*>(T const*): the data are pointers.
  EXPECT_EQ(read_only_parameters("_Z1kIPKfEvPKT_", {8}), (Reads{false}));
}

TEST(ReadOnlyParameters, AreUnknownUnlessAllIsUnderstood) {
  EXPECT_TRUE(read_only_parameters("_Z1kPKfPf", {8}).empty()) << "another number of parameters";
  EXPECT_TRUE(read_only_parameters("_Z1kPKfPf", {4, 8}).empty()) << "a pointer of 4 bytes";
  EXPECT_TRUE(read_only_parameters("_Z1kPKfPFviE", {8, 8}).empty()) << "a function pointer";
  EXPECT_TRUE(read_only_parameters("_Z1kRKfPf", {8, 8}).empty()) << "a reference";
  EXPECT_TRUE(read_only_parameters("_Z1kPKfz", {8, 8}).empty()) << "an ellipsis";
  EXPECT_TRUE(read_only_parameters("triton_k", {8}).empty());
  EXPECT_TRUE(read_only_parameters("f", {}).empty()) << "no name, though it demangles to a type";
}

TEST(ReadOnlyParameters, DoNotTakeNamesThatGrowWithoutBound) {
  std::string name = "_Z1kSt4pairIiiE";
  for (int i = 0; i < 40; ++i) name += "St4pairIS" + std::string(i == 0 ? "" : "0") + "_S_E";
  EXPECT_TRUE(read_only_parameters(name, std::vector<uint64_t>(41, 8)).empty());
}

TEST(ParameterTypes, SayWhichParametersAreOfOneType) {
  const auto types = parameter_types("_Z1kPKfPfS0_S1_i", {8, 8, 8, 8, 4});
  ASSERT_EQ(types.size(), 5u);
  EXPECT_EQ(types[2].same_as, 0u);
  EXPECT_EQ(types[3].same_as, 1u);
  EXPECT_EQ(types[4].same_as, 4u);
}

TEST(KernelLabel, LosesItsMiddleWhenLong) {
  const std::string name = "sm80_xmma_gemm_" + std::string(100, 'f') + "_execute_split_k_kernel";
  EXPECT_EQ(kernel_label(name), name.substr(0, 42) + "..ecute_split_k_kernel");
}

TEST(TensorArrays, AreThoseOfPyTorchsKernelsAlone) {
  const std::string fill =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm2EEEEvi";
  EXPECT_TRUE(takes_tensor_array(fill));
  EXPECT_FALSE(takes_tensor_array("_ZN2at6native6kernelEPfS1_"));
  EXPECT_FALSE(takes_tensor_array("_Z1kSt5arrayIPcLm1EE"));
  EXPECT_EQ(element_wise_array(fill, {4, 8, 16}), 2);
  EXPECT_EQ(element_wise_array(fill, {4, 8, 8}), -1) << "an output alone";
  EXPECT_EQ(element_wise_array(fill, {4, 8}), -1);
  EXPECT_EQ(element_wise_array("_ZN2at6native6kernelISt5arrayIPcLm2EEEEviT_", {4, 8, 16}), -1);
}

}  // namespace
}  // namespace bohr::trace
