// Compares the ranges that conf/reference.conf states with the checks. A range is a part of a
// field's comment, between semicolons: `>= 1`, `in [0, 1)`, `1 to 64`, `not 0`, or several of
// these, `> begin, <= 1`. Conditions on other fields are ignored. The files of test/conf/ranges are
// jobs in which each field with a number is read.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <regex>
#include <set>

#include "driver/conf/check_job.h"
#include "driver/conf/message_walk.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "support/reference_conf.h"

namespace singa {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct StatedRange {
  double low = -kInf, high = kInf;
  bool low_open = false, high_open = false, not_zero = false;
  bool varies = false;  // the upper bound is not a number
  bool stated = true;

  bool IsOf(const StatedRange& other, bool whole) const {
    const auto least = [whole](const StatedRange& r) { return r.low + (whole && r.low_open); };
    return least(*this) == least(other) && (varies || high == other.high);
  }
};

// Returns the range in `text`; nothing if there is none.
std::optional<StatedRange> RangeOf(const std::string& text) {
  static const std::string number = "(-?[0-9][0-9.]*(?:e-?[0-9]+)?)", word = "([-0-9a-z_. ]+)";
  static const std::regex interval("(?:in )?([\\[(])" + number + ", " + number + "([\\])])");
  static const std::regex from_to("(?:from )?" + number + " to " + word);
  static const std::regex bound("(>=|<=|>|<) " + word);
  static const std::regex whole(number);
  const auto number_in = [&](const std::string& say, double other) {
    return std::regex_match(say, whole) ? std::stod(say) : other;
  };
  std::smatch m;
  StatedRange range;
  if (std::regex_match(text, m, interval))
    return StatedRange{std::stod(m[2]), std::stod(m[3]), m[1] == "(", m[4] == ")"};
  if (std::regex_match(text, m, from_to)) {
    range.low = std::stod(m[1]);
    range.high = number_in(m[2], kInf);
    range.varies = std::isinf(range.high);
    return range;
  }
  static const std::regex between(", | and ");
  for (std::sregex_token_iterator part(text.begin(), text.end(), between, -1), end; part != end;
       ++part) {
    const std::string one = *part;
    if (one == "not 0") {
      range.not_zero = true;
    } else if (std::regex_match(one, m, bound)) {
      const bool low = m[1] == ">=" || m[1] == ">";
      (low ? range.low : range.high) = number_in(m[2], low ? -kInf : kInf);
      (low ? range.low_open : range.high_open) = m[1].length() == 1;
    } else {
      return std::nullopt;
    }
  }
  return range;
}

std::vector<std::string> ClausesOf(const std::string& comment) {
  static const std::regex edges("\\s*;\\s*|^\\s+|\\s+$|\\.\\s+|\\.$");
  return {std::sregex_token_iterator(comment.begin(), comment.end(), edges, -1), {}};
}

StatedRange StatedIn(const std::string& comment) {
  StatedRange all = {.stated = false};
  for (const std::string& clause : ClausesOf(comment)) {
    const auto range = RangeOf(clause);
    if (!range) continue;
    if (range->low > all.low) all.low = range->low, all.low_open = range->low_open;
    if (range->high < all.high) all.high = range->high, all.high_open = range->high_open;
    all.not_zero = all.not_zero || range->not_zero;
    all.varies = all.varies || range->varies;
    all.stated = true;
  }
  return all;
}

bool IsWhole(const google::protobuf::FieldDescriptor& field) {
  using Type = google::protobuf::FieldDescriptor;
  return field.cpp_type() != Type::CPPTYPE_FLOAT && field.cpp_type() != Type::CPPTYPE_DOUBLE;
}

bool IsUnsigned(const google::protobuf::FieldDescriptor& field) {
  using Type = google::protobuf::FieldDescriptor;
  return field.cpp_type() == Type::CPPTYPE_UINT32 || field.cpp_type() == Type::CPPTYPE_UINT64;
}

bool IsNumber(const google::protobuf::FieldDescriptor& field) {
  using Type = google::protobuf::FieldDescriptor;
  return field.cpp_type() <= Type::CPPTYPE_FLOAT;  // integers first, then double and float
}

struct Probes {
  std::vector<double> inside, outside;
};

// Returns values next to the bounds.
Probes ProbesOf(const StatedRange& range, const google::protobuf::FieldDescriptor& field) {
  Probes probes;
  const double step = IsWhole(field) ? 1 : 1e-4;
  const auto add = [&](double bound, bool open, double outwards) {
    if (std::isinf(bound)) return;
    probes.outside.push_back(open ? bound : bound + outwards * step);
    probes.inside.push_back(open ? bound - outwards * step : bound);
  };
  add(range.low, range.low_open, -1);
  add(range.high, range.high_open, 1);
  if (range.not_zero) {
    probes.outside.push_back(0);
    for (const double value : {-step, step}) probes.inside.push_back(value);
  }
  if (IsUnsigned(field)) std::erase_if(probes.outside, [](double value) { return value < 0; });
  return probes;
}

void Put(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
         double value) {
  using Type = google::protobuf::FieldDescriptor;
  const auto* const reflection = message->GetReflection();
  if (field->is_repeated()) reflection->ClearField(message, field);
  const auto put = [&](auto set, auto add, auto typed) {
    if (field->is_repeated())
      (reflection->*add)(message, field, typed);
    else
      (reflection->*set)(message, field, typed);
  };
  using R = google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case Type::CPPTYPE_INT32:
      return put(&R::SetInt32, &R::AddInt32, static_cast<int32_t>(value));
    case Type::CPPTYPE_INT64:
      return put(&R::SetInt64, &R::AddInt64, static_cast<int64_t>(value));
    case Type::CPPTYPE_UINT32:
      return put(&R::SetUInt32, &R::AddUInt32, static_cast<uint32_t>(value));
    case Type::CPPTYPE_UINT64:
      return put(&R::SetUInt64, &R::AddUInt64, static_cast<uint64_t>(value));
    case Type::CPPTYPE_DOUBLE:
      return put(&R::SetDouble, &R::AddDouble, value);
    default:
      return put(&R::SetFloat, &R::AddFloat, static_cast<float>(value));
  }
}

// Removes names from a path: "neuralnet.layer[relu].relu_conf" and "neuralnet.layer[3].relu_conf"
// become the same.
std::string WithoutNames(const std::string& path) {
  static const std::regex index("\\[[^\\]]*\\]");
  return std::regex_replace(path, index, "");
}

class ReferenceRanges : public ReferenceConf {
 protected:
  // Instance is a message of a job, the number-th of its type.
  struct Instance {
    size_t job;
    int number;
  };

  void SetUp() override {
    ReferenceConf::SetUp();
    const std::string shard = dir_.Write("shard.dat", Tuple("k", OneRecord()));
    const std::string text = dir_.Write("text", "a");
    const std::filesystem::path folder = SINGA_SOURCE_DIR "/test/conf/ranges";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::string conf = TempDir::Read(entry.path().string());
      conf = std::regex_replace(conf, std::regex("\"SHARD\""), "\"" + shard + "\"");
      conf = std::regex_replace(conf, std::regex("\"TEXT\""), "\"" + text + "\"");
      const auto checked = CheckJobText(entry.path().string(), conf, {});
      ASSERT_TRUE(checked->conf.ok()) << checked->conf.Render();
      std::map<const google::protobuf::Descriptor*, int> counts;
      JobProto job;  // as written, with its `repeat`
      ASSERT_TRUE(TextFormat::ParseFromString(conf, &job));
      WalkMessages(job, "", [&](const Message& message, const std::string&) {
        const auto* const type = message.GetDescriptor();
        instances_[type].push_back({jobs_.size(), counts[type]++});
      });
      jobs_.push_back(job);
    }
  }

  static std::string OneRecord() {
    Record record;
    record.mutable_image()->ParseFromString(Pixels(0, std::string(1, '\0'), {1, 1}));
    return record.SerializeAsString();
  }

  // Returns the error for a message with `value` in the field; "": none.
  std::string Say(const Field* field, const Instance& instance, double value) const {
    JobProto copy = jobs_[instance.job];
    std::string path, text, said;
    int n = 0;
    WalkMessages(copy, "", [&](const Message& message, const std::string& at) {
      if (message.GetDescriptor() != field->containing_type() || n++ != instance.number) return;
      Put(const_cast<Message*>(&message), field, value);
      path = WithoutNames(JoinPath(at, field->name()));
    });
    TextFormat::PrintToString(copy, &text);
    const auto checked = CheckJobText("F", text, {});
    for (const Diagnostic& one : checked->conf.diagnostics())
      if (one.severity == Diagnostic::kError && WithoutNames(one.path) == path) said = one.text;
    return said;
  }

  // Returns how the accepted values differ from the stated range; "": they do not.
  std::string Differs(const Field* field, const Instance& instance,
                      const StatedRange& range) const {
    static const std::regex must("must be (.*), is .*");
    std::smatch m;
    const Probes probes = ProbesOf(range, *field);
    for (const double value : probes.inside) {
      const std::string said = Say(field, instance, value);
      // No net of these files has as many time steps as the bound allows.
      const bool of_range = std::regex_match(said, m, must) && RangeOf(m[1]);
      const bool other = value == range.high && !of_range;
      if (!said.empty() && !other) return StrCat(value, " is an error: ", said);
    }
    for (const double value : probes.outside) {
      const std::string said = Say(field, instance, value);
      if (said.empty()) return StrCat(value, " is accepted");
      if (!std::regex_match(said, m, must)) continue;
      const auto checked = RangeOf(m[1]);
      if (checked && !range.IsOf(*checked, IsWhole(*field)))
        return StrCat("the check says \"", said, "\"");
    }
    return "";
  }

  TempDir dir_;
  std::vector<JobProto> jobs_;
  std::map<const google::protobuf::Descriptor*, std::vector<Instance>> instances_;
};

TEST_F(ReferenceRanges, AreStatedBetweenSemicolons) {
  static const std::regex range("[<>]=|\\bin [\\[(]|\\bnot 0\\b");
  for (const auto& [field, place] : first_) {
    if (!IsNumber(*field)) continue;
    for (const std::string& clause : ClausesOf(Comment(place)))
      EXPECT_TRUE(!std::regex_search(clause, range) || RangeOf(clause))
          << Where(field, place) << ": \"" << clause << "\"";
  }
}

// The next two tests judge thousands of jobs. With a sanitizer, that takes minutes, and
// job_conf_fuzz runs the same code.
#ifdef SINGA_SANITIZED
constexpr bool kJudgesThousands = false;
#else
constexpr bool kJudgesThousands = true;
#endif

TEST_F(ReferenceRanges, AreWhatIsChecked) {
  if (!kJudgesThousands) GTEST_SKIP() << "not with a sanitizer";
  int ranges = 0;
  for (const auto& [field, place] : first_) {
    const StatedRange range = StatedIn(Comment(place));
    if (!IsNumber(*field) || !range.stated) continue;
    ++ranges;
    std::string differs = "no file of test/conf/ranges has it";
    for (const Instance& instance : instances_[field->containing_type()])
      if ((differs = Differs(field, instance, range)).empty()) break;
    EXPECT_EQ(differs, "") << Where(field, place);
  }
  EXPECT_GT(ranges, 100);
}

TEST_F(ReferenceRanges, AreStatedWhereThereAreAny) {
  if (!kJudgesThousands) GTEST_SKIP() << "not with a sanitizer";
  for (const auto& [field, place] : first_) {
    if (!IsNumber(*field) || StatedIn(Comment(place)).stated) continue;
    for (const Instance& instance : instances_[field->containing_type()])
      for (const double value : {-2., -1., -0.5, 0.}) {
        if ((IsUnsigned(*field) && value < 0) || (IsWhole(*field) && value != std::floor(value)))
          continue;
        EXPECT_EQ(Say(field, instance, value), "") << Where(field, place) << ": " << value;
      }
  }
}

}  // namespace
}  // namespace singa
