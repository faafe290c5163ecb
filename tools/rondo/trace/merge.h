#pragma once

// Files of several ranks as one trace of Chrome's, on one clock.

#include <string>
#include <string_view>
#include <vector>

#include "tools/rondo/trace/trace_file.h"

namespace rondo::tool {

/// The traces of each job, ranks in order; the job of the most ranks first. Errors:
/// std::runtime_error (two files of one rank; ranks that differ about the size of their world).
std::vector<std::vector<const RankTrace*>> by_job(const std::vector<RankTrace>& traces);

/// Everything that the files have. A rank is a process of the viewer; those of further jobs, as
/// `split` makes them, follow behind.
std::string merge(const std::vector<std::vector<const RankTrace*>>& jobs);

/// Whether a file's text is one that `merge` has made, as far as it is there.
bool is_merged(std::string_view text);

}  // namespace rondo::tool
