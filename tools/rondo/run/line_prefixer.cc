#include "tools/rondo/run/line_prefixer.h"

namespace rondo::tool {

void LinePrefixer::emit(std::string_view rest_of_line, std::string& out) {
  out.append(prefix_).append(partial_).append(rest_of_line);
  partial_.clear();
}

void LinePrefixer::feed(std::string_view bytes, std::string& out) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    emit(bytes.substr(0, end + 1), out);
    bytes.remove_prefix(end + 1);
  }
  partial_.append(bytes);
  if (partial_.size() > kMaxLineBytes) finish(out);
}

void LinePrefixer::finish(std::string& out) {
  if (partial_.empty()) return;
  emit(prefix_.empty() ? "" : "\n", out);
}

}  // namespace rondo::tool
