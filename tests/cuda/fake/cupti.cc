// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcupti: keeps the one subscriber and lets the stand-in driver call it.
// FAKE_CUPTI_BUSY=1 makes it say that another tool holds the slot, FAKE_CUPTI_NEWER=1 that it knows
// every call.
#include <cuda.h>
#include <cupti.h>

#include <cstdlib>

#include "fake.h"

namespace {
CUpti_CallbackFunc subscriber = nullptr;
}

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  if (std::getenv("FAKE_CUPTI_BUSY")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  subscriber = callback;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return CUPTI_SUCCESS; }
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (std::getenv("FAKE_CUPTI_NEWER")) return CUPTI_SUCCESS;
  const bool known = domain != CUPTI_CB_DOMAIN_DRIVER_API || id < CUPTI_DRIVER_TRACE_CBID_SIZE;
  return known ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "fake";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return CUPTI_SUCCESS;
}

void fake_fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (subscriber) subscriber(nullptr, domain, id, data);
}
}
