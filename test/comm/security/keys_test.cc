#include "comm/security/keys.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(Keys, AreNeverMadeTwice) {
  const JobSecrets a = JobSecrets::Make(2), b = JobSecrets::Make(2);
  EXPECT_EQ(a.job.size(), 16u);
  EXPECT_EQ(a.token.size(), 64u);
  EXPECT_NE(a.job, b.job);
  EXPECT_NE(a.token, b.token);
  EXPECT_NE(a.keys[0].secret_key, a.keys[1].secret_key);
  EXPECT_NE(a.keys[0].secret_key, b.keys[0].secret_key);
}

TEST(Keys, TextIsReadBack) {
  const JobSecrets all = JobSecrets::Make(3);
  EXPECT_EQ(ParseSecrets(SecretsText(all), "test"), all);
  EXPECT_EQ(ParseSecrets(SecretsText(all.ForRank(1)), "test"), all.ForRank(1));
}

TEST(Keys, APartForOneProcessHoldsItsOwnSecretKeyAlone) {
  const JobSecrets all = JobSecrets::Make(3);
  const std::string text = SecretsText(all.ForRank(1));
  EXPECT_EQ(text.find(all.keys[0].secret_key), std::string::npos);
  EXPECT_NE(text.find(all.keys[1].secret_key), std::string::npos);
  EXPECT_EQ(text.find(all.keys[2].secret_key), std::string::npos);
}

TEST(Keys, AFileIsForItsOwnerAlone) {
  const TempDir folder;
  const JobSecrets secrets = JobSecrets::Make(2);
  const std::string path = folder.Path("job.keys");
  WriteSecretsFile(path, secrets);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(ReadSecretsFile(path), secrets);
  EXPECT_ERROR(WriteSecretsFile(path, secrets), kExitCantCreate, "File exists");
}

TEST(Keys, AFileThatOthersMayReadIsRefusedWithModeAndFix) {
  const TempDir folder;
  const std::string path = folder.Path("job.keys");
  WriteSecretsFile(path, JobSecrets::Make(1));
  for (const auto& [mode, shown] : {std::pair{0644, "0644"}, {0620, "0620"}, {0602, "0602"}}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_ERROR(ReadSecretsFile(path), kExitNoPermission, shown, "must be 0600",
                 "chmod 600 " + path);
  }
}

TEST(Keys, AFileOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  const TempDir folder;
  const std::string path = folder.Path("job.keys");
  WriteSecretsFile(path, JobSecrets::Make(1));
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_ERROR(ReadSecretsFile(path), kExitNoPermission, "user 12345");
}

TEST(Keys, WhatIsNoFileIsRefused) {
  const TempDir folder;
  EXPECT_ERROR(ReadSecretsFile(folder.Path("none")), kExitNoInput, "No such file");
  EXPECT_ERROR(ReadSecretsFile(folder.Path("")), kExitNoInput, "no regular file");
  ASSERT_EQ(mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  EXPECT_ERROR(ReadSecretsFile(folder.Path("pipe")), kExitNoInput, "no regular file");
}

TEST(Keys, PassThroughADescriptor) {
  const JobSecrets secrets = JobSecrets::Make(2);
  EXPECT_EQ(ReadSecretsDescriptor(SecretsToDescriptor(secrets)), secrets);
  EXPECT_ERROR(ReadSecretsDescriptor(-1), kExitIo, "descriptor -1");
}

TEST(Keys, EndlessInputIsRefused) {
  const int fd = open("/dev/zero", O_RDONLY);
  EXPECT_ERROR(ReadSecretsDescriptor(fd), kExitBadData, "not the secrets of a job");
}

void ExpectRefused(const std::string& text, const JobSecrets& secrets) {
  try {
    EXPECT_EQ(SecretsText(ParseSecrets(text, "test")), text);
  } catch (const DataError& error) {
    const std::string what = error.what();
    for (const std::string& secret : {secrets.token, secrets.keys[0].secret_key})
      for (size_t i = 0; i + 8 <= secret.size(); ++i)
        ASSERT_EQ(what.find(secret.substr(i, 8)), std::string::npos) << "shown: " << what;
  }
}

// Each changed text is either refused, with no word about its content, or still has its meaning.
TEST(Keys, DamagedTextIsRefusedInSilence) {
  const JobSecrets secrets = JobSecrets::Make(2);
  const std::string text = SecretsText(secrets);
  for (size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_THROW(ParseSecrets(text.substr(0, cut), "test"), DataError) << cut;
  }
  EXPECT_THROW(ParseSecrets(text + "\n", "test"), DataError);
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    for (int changes = 1 + i % 3; changes > 0; --changes)
      damaged[random() % text.size()] = static_cast<char>(random());
    if (i % 5 == 0) damaged.erase(random() % text.size(), random() % 50);
    if (i % 7 == 0) damaged.insert(random() % damaged.size(), text.substr(random() % text.size()));
    ExpectRefused(damaged, secrets);
  }
}

TEST(Keys, KeysThatDoNotBelongTogetherAreRefused) {
  JobSecrets secrets = JobSecrets::Make(2);
  std::swap(secrets.keys[0].secret_key, secrets.keys[1].secret_key);
  EXPECT_ERROR(ParseSecrets(SecretsText(secrets), "test"), kExitBadData, "line 5",
               "do not belong together");
}

TEST(Keys, CountOfProcessesIsBounded) {
  const std::string text = SecretsText(JobSecrets::Make(1));
  for (const char* count : {"0", "-1", "4097", "99999999999", "1x", "01", ""}) {
    std::string changed = text;
    changed.replace(changed.find("processes 1"), 11, std::string("processes ") + count);
    EXPECT_THROW(ParseSecrets(changed, "test"), DataError) << count;
  }
}

}  // namespace
}  // namespace singa
