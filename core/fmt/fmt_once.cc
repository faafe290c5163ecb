// fmt's functions, compiled once for all: as headers alone they cost every file that formats a line
// three seconds of compiling. Built here rather than linked from Debian's libfmt, so that librondo
// needs no shared fmt and shows none of its symbols to the program it lives in.

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// What fmt/format.h declares as extern templates, or uses without defining.
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;

}  // namespace detail
FMT_END_NAMESPACE
