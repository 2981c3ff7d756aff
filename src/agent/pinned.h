// SPDX-License-Identifier: Apache-2.0
// Sources of asynchronous copies in pinned memory: was one rewritten before its copy was known to
// be done?
//
// A source is digested when the copy is issued and looked at again when a call is entered that
// would make the copy known to be done, and when its bytes are issued again. If it differs the CPU
// wrote in between, and a HostWrite record says so. The record is true whatever was in between; if
// order was, the checker finds it.
//
// For that nothing but the CPU may write there. Memory that the device is told to write (the target
// of a copy or set, named in a kernel's parameters) is therefore not watched from then on, and none
// is once work was issued that may write anywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/events.h"
#include "agent/functions.h"
#include "agent/pinned_sources.h"

namespace bohr::agent {

struct DriverCall;
struct Recorder;

// What a launch of a graph does that is no device work of its nodes.
struct PinnedUse {
  std::vector<PinnedSpan> sources;
  bool calls_host = false;  // host nodes may tell the CPU that copies are done
};

void pinned_added(Recorder& r, uint64_t address, uint64_t bytes, bool registered);
// Before the memory goes.
void pinned_removed(Recorder& r, uint64_t address);
void all_pinned_removed(Recorder& r);

// One load while there is nothing to do.
bool watches_pinned(const Recorder& r);
bool has_pinned_sources(const Recorder& r);

// These come at the entry of `call` and may give it a new sequence number, behind the records that
// they write.
void pinned_read(Recorder& r, DriverCall& call, const std::vector<PinnedSpan>& spans);
void pinned_written(Recorder& r, DriverCall& call, PinnedSpan span);
void look_at_stream(Recorder& r, DriverCall& call, uint32_t stream);
void look_at_event(Recorder& r, DriverCall& call, const EventVersion& event);
void look_at_all(Recorder& r, DriverCall& call);
// The function may tell the CPU that copies ahead of it are done, whatever their stream.
void host_function_issued(Recorder& r, DriverCall& call);

// Entry and exit of a query: that it succeeds is known at its exit alone. It is looked then, unless
// another call was entered or returned meanwhile, since that might have been the guest's way to
// know. Sources that the query covers are forgotten.
void query_entered(Recorder& r, DriverCall& call);
void stream_query_succeeded(Recorder& r, DriverCall& call, uint32_t stream);
void event_query_succeeded(Recorder& r, DriverCall& call, const EventVersion& event);

// The copies are known to be done; those issued after `seq` are not.
void stream_done(Recorder& r, uint32_t stream, uint64_t seq);
void all_done(Recorder& r, uint64_t seq);
// From now on `stream` follows what is ahead of the event's record.
void stream_waits(Recorder& r, uint32_t stream, uint64_t seq, const EventVersion& event);

// Memory that a kernel's parameters point into may be written by the device.
void pinned_named(Recorder& r, const PackedParams& params);
void pinned_unwatched(Recorder& r, PinnedSpan span);
// Work that may write anywhere.
void stop_watching_pinned(Recorder& r, const char* why);

// At the end: how much was not looked at.
void report_pinned(Recorder& r);

}  // namespace bohr::agent
