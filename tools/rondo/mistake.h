#pragma once

// What a mistake in the command line is answered with: one line that names the word that isn't
// understood, those that it is likely to stand for, and all that are allowed.

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace rondo::tool {

/// `app` has thrown `mistake` while it parsed.
std::string describe_mistake(const CLI::App& app, const CLI::Error& mistake);

}  // namespace rondo::tool
