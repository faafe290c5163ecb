#include "tools/rondo/bench/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/rondo/bench/chart_svg.h"
#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Recorded point(std::uint64_t bytes, double gbps, const std::string& library = "rondo") {
  Recorded result;
  result.collective = "all_reduce";
  result.bytes = bytes;
  result.type = "f32";
  result.redop = "sum";
  result.ranks = 2;
  result.transport = "shm";
  result.wire_format = "none";
  result.buffers = "registered";
  result.library = library;
  result.busbw_gbps = gbps;
  return result;
}

RecordedFile file_of(const std::string& path, std::vector<Recorded> results) {
  return {path, {}, std::move(results)};
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(Lines, FilesThatDiffer_AreNamedByWhatTellsThemApart) {
  const auto lines = lines_of(
      {file_of("x/old.json", {point(8, 1), point(64, 2)}), file_of("x/new.json", {point(8, 3)})});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].label, "old.json");
  EXPECT_EQ(lines[1].label, "new.json");
  EXPECT_DOUBLE_EQ(lines[0].points.at(64), 2);
}

TEST(Lines, FilesOfOneName_AreNamedByTheirFoldersToo) {
  const auto labels = [](const std::vector<std::string>& paths) {
    std::vector<RecordedFile> files;
    for (const std::string& path : paths) files.push_back(file_of(path, {point(8, 1)}));
    std::vector<std::string> found;
    for (const ChartLine& line : lines_of(files)) found.push_back(line.label);
    return found;
  };
  EXPECT_THAT(labels({"old/r.json", "new/r.json"}), ElementsAre("old/r.json", "new/r.json"));
  EXPECT_THAT(labels({"/a/1/x/r.json", "/a/2/x/r.json", "/a/2/x/s.json"}),
              ElementsAre("1/x/r.json", "2/x/r.json", "s.json"));
  EXPECT_THAT(labels({"r.json", "old/r.json", "/old/r.json"}),
              ElementsAre("r.json", "old/r.json", "/old/r.json"));
  EXPECT_THAT(labels({"a/r.json", "a//r.json"}), ElementsAre("a/r.json", "a//r.json"));
  EXPECT_THAT(labels({"a/r.json", "a/r.json"}), ElementsAre("all_reduce")) << "one file";
}

TEST(Lines, OneLine_IsNamedByItsCollective) {
  EXPECT_EQ(lines_of({file_of("a.json", {point(8, 1)})})[0].label, "all_reduce");
}

TEST(Lines, Cycles_GiveTheirMedian) {
  const auto lines = lines_of({file_of("a.json", {point(8, 1), point(8, 9), point(8, 4)})});
  EXPECT_DOUBLE_EQ(lines[0].points.at(8), 4);
}

TEST(Lines, NothingToDraw_IsAnError) {
  EXPECT_THROW(lines_of({file_of("a.json", {})}), FileError);
  EXPECT_THROW(lines_of({file_of("a.json", {point(0, 1), point(8, 0)})}), FileError);
}

TEST(Lines, MoreThanCanBeTold_IsAnError) {
  std::vector<Recorded> results(kMostLines + 1, point(8, 1));
  for (std::size_t i = 0; i < results.size(); ++i) results[i].root = static_cast<int>(i);
  EXPECT_THROW(lines_of({file_of("a.json", results)}), FileError);
  results.pop_back();
  EXPECT_EQ(lines_of({file_of("a.json", results)}).size(), kMostLines);
}

TEST(ChartTable, EverySize_HasARowAndMissingOnesADash) {
  const auto lines =
      lines_of({file_of("a.json", {point(8, 1), point(64, 2)}), file_of("b.json", {point(64, 3)})});
  const std::string table = chart_table(lines, 4);
  EXPECT_THAT(table, HasSubstr("a.json"));
  EXPECT_THAT(table, HasSubstr("           8     1.000 25%             -\n"));
  EXPECT_THAT(table, HasSubstr("          64     2.000 50%     3.000 75%\n"));
  EXPECT_THAT(table, HasSubstr("# Percent: of the bound, 4 GB/s"));
  EXPECT_THAT(chart_table(lines, 0), Not(HasSubstr("%")));
}

TEST(ChartSvg, Picture_HasLinesAxesLegendAndBound) {
  const auto lines =
      lines_of({file_of("<a&b>.json", {point(8, 0.01), point(1 << 20, 20)}),
                file_of("c.json", {point(8, 1)}), file_of("d.json", {point(8, 2, "bound")})});
  const std::string svg = chart_svg(lines, "a \"title\"", 50);
  EXPECT_EQ(count(svg, "<polyline"), 3);
  EXPECT_EQ(count(svg, "<circle"), 4);
  EXPECT_THAT(svg, HasSubstr("bus bandwidth (GB/s)"));
  EXPECT_THAT(svg, HasSubstr(">size<"));
  EXPECT_THAT(svg, HasSubstr("&lt;a&amp;b&gt;.json"));
  EXPECT_THAT(svg, HasSubstr("a &quot;title&quot;"));
  EXPECT_THAT(svg, HasSubstr("bound, 50 GB/s"));
  EXPECT_THAT(svg, HasSubstr(">128 KiB<"));
  EXPECT_EQ(count(svg, "<svg"), 1);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

/// A point alone, equal values, and the ends of what files may hold: axes have a length.
TEST(ChartSvg, OddValues_AreDrawnInsideThePicture) {
  const std::vector<std::vector<Recorded>> odd = {{point(8, 1)},
                                                  {point(1, 1), point(2, 1)},
                                                  {point(1, kLeastBandwidth), point(~0ULL, 1e15)},
                                                  {point(3, 1e-3), point(3'000'000'000, 2e-3)}};
  for (const auto& results : odd) {
    const std::string svg = chart_svg(lines_of({file_of("a.json", results)}), "t", 0);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_LT(svg.size(), 40'000U);
    for (std::size_t at = 0; (at = svg.find("cx=\"", at)) != std::string::npos; ++at) {
      const double x = std::stod(svg.substr(at + 4));
      const double y = std::stod(svg.substr(svg.find("cy=\"", at) + 4));
      EXPECT_TRUE(x >= 80 && x <= 820 && y >= 44 && y <= 444) << x << " " << y;
    }
  }
}

TEST(SizeText, Bytes_AreInPowersOf1024) {
  EXPECT_EQ(size_text(8), "8 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(1 << 30), "1 GiB");
}

}  // namespace
}  // namespace rondo::tool
