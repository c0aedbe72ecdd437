#include "ppgnn/study/merge.hpp"

#include <map>
#include <system_error>
#include <utility>

#include "ppgnn/io/files.hpp"
#include "ppgnn/study/records.hpp"
#include "ppgnn/study/request.hpp"

namespace ppgnn::study {

namespace {

Error differ(const std::filesystem::path& a, const std::filesystem::path& b, const std::string& what) {
  return {ErrorCode::mismatch, a.string() + " and " + b.string() + ": " + what};
}

// The studies of all folders, each asked for in the same way wherever it is.
Result<std::vector<StudyRequest>> requests_of(std::span<const std::filesystem::path> folders) {
  std::vector<StudyRequest> all;
  std::map<std::string, std::pair<StudyRequest, const std::filesystem::path*>> by_id;
  for (const std::filesystem::path& folder : folders) {
    const Result<std::vector<StudyRequest>> read = read_requests(folder);
    if (!read) return read.error();
    for (const StudyRequest& request : *read) {
      const Result<PlannedStudy> planned = plan_study(request);
      if (!planned) return Error{planned.error().code, folder.string() + ": " + planned.error().message};
      const std::string& id = planned->declaration.id;
      const auto [found, added] = by_id.emplace(id, std::pair(request, &folder));
      if (added) {
        all.push_back(request);
      } else if (!same_runs(found->second.first, request)) {
        return differ(
            *found->second.second, folder,
            "study " + id + " was run in two ways: " + command_of(found->second.first) + "; " + command_of(request));
      }
    }
  }
  return all;
}

// Everything measured but times, which differ from machine to machine.
std::map<std::string, double> figures(const Record& record) {
  std::map<std::string, double> metrics = record.metrics;
  metrics.erase("campaign_seconds");
  return metrics;
}

// What is to be appended, and whose it is.
struct Gathered {
  std::string text;
  RecordLines lines;
  std::map<std::pair<std::string, std::uint64_t>, std::pair<std::size_t, const std::filesystem::path*>> places;
};

Result<MergedFolder> gather(const std::filesystem::path& folder, const std::string& text, const RecordStore& there,
                            const std::filesystem::path& output, Gathered& gathered) {
  RecordLines lines = parse_records(text);
  MergedFolder merged{folder, 0, 0, lines.damaged.size(), lines.other};
  for (std::size_t i = 0; i < lines.records.size(); ++i) {
    Record& record = lines.records[i];
    const auto place = gathered.places.find({record.key, record.run});
    const bool here = place != gathered.places.end();
    const Record* known = here ? &gathered.lines.records[place->second.first] : there.find(record.key, record.run);
    if (known == nullptr) {
      gathered.text.append(text, lines.places[i].start, lines.places[i].size) += '\n';
      gathered.places[{record.key, record.run}] = {gathered.lines.records.size(), &folder};
      gathered.lines.records.push_back(std::move(record));
      ++merged.added;
    } else if (figures(*known) == figures(record)) {
      ++merged.known;
    } else {
      return differ(here ? *place->second.second : output, folder,
                    "different figures of run " + std::to_string(record.run) + " of " + text_of(record.setting) +
                        ", made by " + known->made_by + " and by " + record.made_by);
    }
  }
  return merged;
}

}  // namespace

Result<std::vector<MergedFolder>> merge(std::span<const std::filesystem::path> folders,
                                        const std::filesystem::path& output) {
  for (const std::filesystem::path& folder : folders) {
    std::error_code missing;
    if (std::filesystem::equivalent(folder, output, missing)) {
      return Error{ErrorCode::mismatch, folder.string() + ": is the folder that the others are merged into"};
    }
  }
  Result<std::vector<StudyRequest>> asked = requests_of(folders);
  if (!asked) return asked.error();
  Result<std::vector<StudyRequest>> before = read_requests(output);
  if (!before) return before.error();
  std::vector<std::string> texts;  // before the output is made: a folder that is not there leaves nothing behind
  for (const std::filesystem::path& folder : folders) {
    Result<std::string> text = io::read_file(folder / "results.jsonl");
    if (!text) return text.error();
    texts.push_back(std::move(text).value());
  }
  Result<RecordStore> records = RecordStore::open(output);
  if (!records) return records.error();
  Gathered gathered;
  std::vector<MergedFolder> all;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    Result<MergedFolder> merged = gather(folders[i], texts[i], *records, output, gathered);
    if (!merged) return merged.error();
    all.push_back(std::move(merged).value());
  }
  replace_requests(*before, *asked);
  if (Result<void> written = write_requests(output, *before); !written) return written.error();
  if (Result<void> appended = records->append(gathered.text, std::move(gathered.lines)); !appended) {
    return appended.error();
  }
  return all;
}

}  // namespace ppgnn::study
