// SPDX-License-Identifier: Apache-2.0
// What the two stand-in libraries share.
#pragma once

#include <cuda.h>
#include <cupti.h>

extern "C" void fake_fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
